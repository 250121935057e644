#!/bin/sh
# Measures multi-turn long context: conversations over a growing history.
# Variables: MODEL, INITIAL_LEN, QUESTION_LEN, NUM_SESSIONS, MAX_TURNS, MAX_CONCURRENCY and OUTPUT
#   (a number caps the output tokens, anything else is the folder for reports).
# Names of targets or target files may follow, then flags of `llm-bench multiturn`, which beat the variables.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
case ${OUTPUT:-} in
  '') output= ;;
  *[!0-9]*) output=--output-dir=$OUTPUT ;;
  *) output=--max-output-tokens=$OUTPUT ;;
esac

left=$#
while [ "$left" -gt 0 ]; do
  case $1 in -*) break ;; esac
  target=$1
  shift
  set -- "$@" "--target=$target"
  left=$((left - 1))
done

exec sh "$here/llm-bench-mcp" multiturn \
  ${MODEL:+"--model=$MODEL"} \
  ${INITIAL_LEN:+"--initial-len=$INITIAL_LEN"} \
  ${QUESTION_LEN:+"--question-len=$QUESTION_LEN"} \
  ${NUM_SESSIONS:+"--num-sessions=$NUM_SESSIONS"} \
  ${MAX_TURNS:+"--max-turns=$MAX_TURNS"} \
  ${MAX_CONCURRENCY:+"--max-concurrency=$MAX_CONCURRENCY"} \
  ${output:+"$output"} \
  "$@"
