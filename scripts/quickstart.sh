#!/usr/bin/env bash
# From a fresh clone to a running Weft: sets up, builds, runs the tour, and trains a first network.
#   scripts/quickstart.sh
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/common.sh
case "${1:-}" in
  '') ;;
  -h | --help) usage "$0"; exit 0 ;;
  *) echo "quickstart: unknown option $1" >&2; usage "$0" >&2; exit 2 ;;
esac

step "set up"
scripts/setup.sh
step "build"
build release --targets weft python/all
make_importable .venv
step "examples/tour.py"
PYTHONPATH=build/release/python .venv/bin/python examples/tour.py
step "examples/digits.py"
PYTHONPATH=build/release/python .venv/bin/python examples/digits.py
