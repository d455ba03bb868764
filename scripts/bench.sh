#!/usr/bin/env bash
# Measures Weft beside PyTorch and JAX in one interleaved run and prints ratios.
#   scripts/bench.sh [options of benchmarks/run.py]
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/common.sh
case "${1:-}" in
  -h | --help) usage "$0"; exit 0 ;;
esac

step "set up"
scripts/setup.sh --peers
step "build"
build release --targets weft python/all benchmarks/all
make_importable .venv
make_importable .venv-peers
step "benchmarks"
if [[ -f benchmarks/run.py ]]; then
  PYTHONPATH=build/release/python .venv-peers/bin/python benchmarks/run.py "$@"
else
  for program in build/release/benchmarks/*_bench; do
    echo "-- $(basename "$program")"
    "$program"
  done
fi
