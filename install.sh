#!/bin/sh
# From this folder to a working llm-bench command and a registered MCP server.
# Asks nothing, says what it does, and may be run again at any time.
set -eu

usage() {
  cat <<'END'
usage: sh install.sh [--client claude|codex|trae|none]... [--binary FILE] [--prefix DIR] [--dry-run] [--uninstall]

Builds llm-bench outside this folder and registers its MCP server with the agents on this machine.

  --client NAME   register with this agent; repeatable; none: with no agent (default: those found)
  --binary FILE   install this program instead of building one; needs no Go
  --prefix DIR    put the program into DIR/bin (default: $LLM_BENCH_HOME, else ~/.llm-bench)
  --dry-run       say what would be done and change nothing
  --uninstall     take back the registrations, delete the program and its list of runs; reports stay where they are

exit codes: 0 done, 2 wrong usage, 10 no usable Go, 11 no working program, 12 the installed server
doesn't work, 20 an agent couldn't be registered
END
}

say() { printf '%s\n' "$*"; }
die() {
  code=$1
  shift
  printf 'install.sh: %s\n' "$*" >&2
  exit "$code"
}

source_dir=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
clients='' binary='' prefix='' dry_run=false uninstall=false

# value_of FLAG COUNT: dies unless a value follows the flag.
value_of() { [ "$2" -ge 2 ] || die 2 "$1 needs a value; see --help"; }

while [ $# -gt 0 ]; do
  case $1 in
    --client)
      value_of "$1" $#
      case $2 in
        claude | codex | trae | none) clients="$clients $2" ;;
        *) die 2 "--client is $2: allowed is claude, codex, trae or none" ;;
      esac
      shift 2
      ;;
    --binary)
      value_of "$1" $#
      binary=$2
      shift 2
      ;;
    --prefix)
      value_of "$1" $#
      prefix=$2
      shift 2
      ;;
    --dry-run) dry_run=true; shift ;;
    --uninstall) uninstall=true; shift ;;
    -h | --help) usage; exit 0 ;;
    *) die 2 "unknown argument $1; see --help" ;;
  esac
done

home=${prefix:-${LLM_BENCH_HOME:-}}
if [ -z "$home" ]; then
  [ -n "${HOME:-}" ] || die 2 "HOME is not set: name a folder with --prefix"
  home=$HOME/.llm-bench
fi
case $home in /*) ;; *) home=$PWD/$home ;; esac
suffix=''
case $(uname -s) in MINGW* | MSYS* | CYGWIN*) suffix=.exe ;; esac
program=$home/bin/llm-bench$suffix
# where the program keeps what settings were before it changed them
LLM_BENCH_HOME=$home
export LLM_BENCH_HOME

trae_found() {
  for folder in "$HOME/Library/Application Support/Trae" "$HOME/Library/Application Support/Trae CN" \
    "$HOME/.config/Trae" "$HOME/.config/Trae CN" "${APPDATA:-/nonexistent}/Trae" "${APPDATA:-/nonexistent}/Trae CN"; do
    [ ! -d "$folder/User" ] || return 0
  done
  return 1
}

find_clients() {
  if command -v claude >/dev/null 2>&1; then clients="$clients claude"; fi
  if command -v codex >/dev/null 2>&1; then clients="$clients codex"; fi
  if [ -n "${HOME:-}" ] && trae_found; then clients="$clients trae"; fi
}

# find_go sets go to a Go program that can build this module, or fails.
find_go() {
  for go in go "${GOROOT:-/usr/local/go}/bin/go"; do
    command -v "$go" >/dev/null 2>&1 || continue
    version=$("$go" env GOVERSION 2>/dev/null) || continue
    minor=$(printf '%s' "$version" | sed -n 's/^go1\.\([0-9][0-9]*\).*/\1/p')
    needed=$(sed -n 's/^go 1\.\([0-9][0-9]*\).*/\1/p' "$source_dir/go.mod")
    if [ "${minor:-0}" -ge "$needed" ]; then return 0; fi
    # From 1.21 on, Go fetches the newer Go that a module asks for.
    if [ "${minor:-0}" -ge 21 ]; then
      GOTOOLCHAIN=auto
      export GOTOOLCHAIN
      return 0
    fi
  done
  return 1
}

no_go() {
  die 10 "Go 1.21 or newer is needed to build llm-bench and was not found. Install Go from https://go.dev/dl/ and run this again," \
    "or get a ready program for this system and run: sh '$source_dir/install.sh' --binary FILE"
}

# check_program dies unless $binary begins as a program does: ELF, Mach-O or PE.
# The system would take any other file for a script and run it.
check_program() {
  [ -f "$binary" ] || die 11 "--binary is $binary, which is no file"
  case $(od -An -N4 -tx1 -- "$binary" | tr -d ' \n') in
    7f454c46 | feedface | feedfacf | cefaedfe | cffaedfe | cafebabe | 4d5a*) ;;
    1f8b* | 504b* | 425a68* | fd377a58 | 28b52ffd) die 11 "--binary is $binary, which is no program but an archive: unpack it and name the program in it" ;;
    *) die 11 "--binary is $binary, which is no program (neither ELF, Mach-O nor PE): name the llm-bench program for this system" ;;
  esac
}

# obtain puts a program into $fresh.
obtain() {
  if [ -n "$binary" ]; then
    if ! cp -- "$binary" "$fresh" || ! chmod 755 "$fresh"; then die 11 "$binary can't be copied"; fi
    return
  fi
  say "building with $("$go" env GOVERSION) in $source_dir"
  (cd -- "$source_dir" && CGO_ENABLED=0 "$go" build -trimpath -buildvcs=false -ldflags '-s -w' -o "$fresh" .) ||
    die 11 "the build failed, see above. If modules could not be fetched, set GOPROXY to a module proxy that this machine reaches, and run this again"
}

place() {
  mkdir -p -- "$home/bin" || die 11 "$home/bin can't be made: choose another folder with --prefix"
  fresh=$home/bin/.llm-bench.$$$suffix
  trap 'rm -f -- "$fresh"' EXIT
  trap 'exit 130' INT TERM
  obtain
  version=$("$fresh" version) || die 11 "the new program doesn't run on this machine; it is for another system or damaged"
  if [ -f "$program" ] && cmp -s -- "$fresh" "$program"; then
    say "up to date: $program ($version)"
  else
    mv -f -- "$fresh" "$program"
    say "installed: $program ($version)"
  fi
}

register() {
  for client in $clients; do
    [ "$client" != none ] || continue
    say "registering with $client"
    if "$program" setup --client "$client"; then registered=yes; else failed="$failed $client"; fi
  done
}

install() {
  if [ -n "$binary" ]; then
    check_program
  else
    [ -f "$source_dir/go.mod" ] || die 11 "$source_dir holds no source: use --binary FILE"
    find_go || no_go
  fi
  if $dry_run; then
    if [ -n "$binary" ]; then say "would copy $binary to $program"; else say "would build $program with $go from $source_dir"; fi
    for client in $clients; do
      [ "$client" = none ] || say "would register the MCP server with $client: $program setup --client $client"
    done
    say "would try the server: $program setup --check"
    return
  fi
  failed='' registered=''
  place
  register
  "$program" setup --check || die 12 "the installed server doesn't work, see above"
  [ -n "$clients" ] || say "no agent found: name one with --client claude, codex or trae, or use the command line"
  [ -z "$failed" ] || die 20 "not registered with:$failed. The command line works: $program"
  if [ -n "$registered" ]; then say "The tools are there when the agent's session is opened again."; fi
  say "done. The command works now: $program"
}

# forget deletes the list of runs and the locks, and names the folders that hold
# the reports of those runs.
forget() {
  for entry in "$home"/runs/*; do
    [ -f "$entry" ] || continue
    run=''
    IFS= read -r run <"$entry" || true
    rm -f -- "$entry"
    [ ! -d "$run" ] || dirname -- "$run"
  done | sort -u | while IFS= read -r folder; do say "kept: $folder (reports of runs)"; done
  for entry in "$home"/locks/*; do
    [ ! -f "$entry" ] || rm -f -- "$entry"
  done
}

# held prints what is left in $home.
held() {
  for entry in "$home"/* "$home"/.[!.]*; do
    if [ -e "$entry" ]; then printf ' %s' "${entry##*/}"; fi
  done
}

take_back() {
  if $dry_run; then
    for client in $clients; do
      [ "$client" = none ] || say "would take back the registration with $client"
    done
    say "would delete $program and the list of runs; reports stay where they are"
    return
  fi
  failed=''
  if [ -x "$program" ]; then
    for client in $clients; do
      [ "$client" != none ] || continue
      "$program" setup --client "$client" --uninstall || failed="$failed $client"
    done
    [ -z "$failed" ] || die 20 "the registration couldn't be taken back with:$failed. $program is still there; run this again"
    rm -f -- "$program"
    say "deleted: $program"
  else
    say "not installed: $program"
  fi
  forget
  rmdir -- "$home/bin" "$home/setup" "$home/runs" "$home/locks" "$home" 2>/dev/null || true
  [ ! -d "$home" ] || say "kept: $home, which still holds:$(held)"
}

if $uninstall; then
  [ -n "$clients" ] || clients='claude codex trae'
  take_back
else
  [ -n "$clients" ] || find_clients
  install
fi
