#!/usr/bin/env bash
# From a fresh clone to a trained network: sets up, builds, and runs examples/quickstart.py, which learns to tell clothes
# apart (handwritten digits, where Debian's dataset-fashion-mnist is absent) and leaves pictures in build/quickstart.
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
step "examples/quickstart.py"
PYTHONPATH=build/release/python .venv/bin/python examples/quickstart.py
