#!/bin/sh
# Measures prefix reuse: requests that share long prefixes.
# Variables: MODEL, PREFIX_LEN, SUFFIX_LEN, NUM_PREFIXES, NUM_REQUESTS, MAX_CONCURRENCY and OUTPUT
#   (the folder for reports).
# Flags of `llm-bench prefix` may follow and beat the variables.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
case ${OUTPUT:-} in
  '' | *[!0-9]*) ;;
  *)
    echo "OUTPUT is $OUTPUT: allowed is the folder for reports (a cap of output tokens is --max-output-tokens $OUTPUT)" >&2
    exit 2
    ;;
esac

exec sh "$here/llm-bench-mcp" prefix \
  ${MODEL:+"--model=$MODEL"} \
  ${PREFIX_LEN:+"--prefix-len=$PREFIX_LEN"} \
  ${SUFFIX_LEN:+"--suffix-len=$SUFFIX_LEN"} \
  ${NUM_PREFIXES:+"--num-prefixes=$NUM_PREFIXES"} \
  ${NUM_REQUESTS:+"--num-requests=$NUM_REQUESTS"} \
  ${MAX_CONCURRENCY:+"--max-concurrency=$MAX_CONCURRENCY"} \
  ${OUTPUT:+"--output-dir=$OUTPUT"} \
  "$@"
