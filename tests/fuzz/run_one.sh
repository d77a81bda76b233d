#!/bin/sh
# run_one.sh BUILD_DIR FUZZER: what ctest calls; POSENC_FUZZ_SECONDS says how long (20).
exec "$(dirname "$0")/run.sh" "$1" "${POSENC_FUZZ_SECONDS:-20}" "$2"
