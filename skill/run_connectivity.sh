#!/bin/sh
# One measured request: does the endpoint answer, and with which settings?
# Variables: MODEL and OUTPUT (a number caps the output tokens, anything else is the folder for reports).
# Names of targets or target files may follow, then flags of `llm-bench connectivity`, which beat the variables.
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

exec sh "$here/llm-bench-mcp" connectivity \
  ${MODEL:+"--model=$MODEL"} \
  ${output:+"$output"} \
  "$@"
