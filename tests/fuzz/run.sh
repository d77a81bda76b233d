#!/bin/sh
# run.sh BUILD_DIR SECONDS [FUZZER...]: runs each fuzzer for that long, from a scratch copy of its seeds.
# Says how many inputs each has tried; exits 1 if one of them found a bug, and keeps the input.
set -u
if [ $# -lt 2 ]; then
  echo "usage: $0 BUILD_DIR SECONDS [FUZZER...]" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
bin=$1/tests/fuzz
seconds=$2
shift 2
[ $# -gt 0 ] || set -- spec_text spec_json positions_text npy safetensors gguf config answers

failed=0
for name in "$@"; do
  if [ ! -x "$bin/${name}_fuzzer" ]; then
    echo "$0: $bin/${name}_fuzzer is not built: configure with -DPOSENC_BUILD_FUZZERS=ON and clang" >&2
    exit 2
  fi
  scratch=$(mktemp -d)
  mkdir "$scratch/corpus"
  cp "$here/corpus/$name/"* "$scratch/corpus/"
  mkdir -p "$bin/found"
  # Weighing inputs by entropy takes most of a short run where there are many seeds: those of configs left no time for others.
  if "$bin/${name}_fuzzer" -max_total_time="$seconds" -entropic=0 -timeout=10 -rss_limit_mb=2048 -max_len=4096 \
      -dict="$here/$name.dict" -artifact_prefix="$bin/found/${name}-" -print_final_stats=1 "$scratch/corpus" \
      >"$scratch/log" 2>&1; then
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$scratch/log")
    echo "${name}_fuzzer: $runs runs, nothing found"
  else
    tail -n 60 "$scratch/log"
    echo "${name}_fuzzer: FOUND A BUG; its input is in $bin/found"
    failed=1
  fi
  rm -rf "$scratch"
done
exit $failed
