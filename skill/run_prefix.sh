#!/bin/sh
# Measures prefix reuse: requests that share long prefixes.
# Variables: MODEL, PREFIX_LEN, SUFFIX_LEN, NUM_PREFIXES, NUM_REQUESTS, MAX_CONCURRENCY and OUTPUT
#   (a number caps the output tokens, anything else is the folder for reports).
# Names of targets or target files may follow, then flags of `llm-bench prefix`, which beat the variables.
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

exec sh "$here/llm-bench-mcp" prefix \
  ${MODEL:+"--model=$MODEL"} \
  ${PREFIX_LEN:+"--prefix-len=$PREFIX_LEN"} \
  ${SUFFIX_LEN:+"--suffix-len=$SUFFIX_LEN"} \
  ${NUM_PREFIXES:+"--num-prefixes=$NUM_PREFIXES"} \
  ${NUM_REQUESTS:+"--num-requests=$NUM_REQUESTS"} \
  ${MAX_CONCURRENCY:+"--max-concurrency=$MAX_CONCURRENCY"} \
  ${output:+"$output"} \
  "$@"
