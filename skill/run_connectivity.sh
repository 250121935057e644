#!/bin/sh
# One measured request: does the endpoint answer, and with which settings?
# Variables: MODEL and OUTPUT (the folder for reports).
# Flags of `llm-bench connectivity` may follow and beat the variables.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
case ${OUTPUT:-} in
  '' | *[!0-9]*) ;;
  *)
    echo "OUTPUT is $OUTPUT: allowed is the folder for reports (a cap of output tokens is --max-output-tokens $OUTPUT)" >&2
    exit 2
    ;;
esac

exec sh "$here/llm-bench-mcp" connectivity \
  ${MODEL:+"--model=$MODEL"} \
  ${OUTPUT:+"--output-dir=$OUTPUT"} \
  "$@"
