#!/bin/sh
# Measures prefix reuse: requests that share long prefixes.
# Variables: MODEL, PREFIX_LEN, SUFFIX_LEN, NUM_PREFIXES, NUM_REQUESTS, MAX_CONCURRENCY and OUTPUT
#   (the folder for reports).
# Names of targets or target files may follow, then flags of `llm-bench prefix`, which beat the variables.
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

exec sh "$here/llm-bench-mcp" prefix \
  ${MODEL:+"--model=$MODEL"} \
  ${PREFIX_LEN:+"--prefix-len=$PREFIX_LEN"} \
  ${SUFFIX_LEN:+"--suffix-len=$SUFFIX_LEN"} \
  ${NUM_PREFIXES:+"--num-prefixes=$NUM_PREFIXES"} \
  ${NUM_REQUESTS:+"--num-requests=$NUM_REQUESTS"} \
  ${MAX_CONCURRENCY:+"--max-concurrency=$MAX_CONCURRENCY"} \
  ${OUTPUT:+"--output-dir=$OUTPUT"} \
  "$@"
