#!/bin/sh
# One measured request: does the endpoint answer, and with which settings?
# Variables: MODEL and OUTPUT (the folder for reports).
# Names of targets or target files may follow, then flags of `llm-bench connectivity`, which beat the variables.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
case ${OUTPUT:-} in
  '' | *[!0-9]*) ;;
  *)
    echo "OUTPUT is $OUTPUT: allowed is the folder for reports (a cap of output tokens is --max-output-tokens $OUTPUT)" >&2
    exit 2
    ;;
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
  ${OUTPUT:+"--output-dir=$OUTPUT"} \
  "$@"
