#!/usr/bin/env bash
# Builds Weft and runs its tests; the last line is `N passed, M failed`.
#   scripts/test.sh              set up, one release build with g++, all C++ and Python tests
#   scripts/test.sh --sanitize   also builds with clang 19: with address and undefined sanitizers, where a quarter of the
#                                op suite and a tenth of the random calls run, others with each commit (all with --long),
#                                and with the thread sanitizer for the folders that use threads
#   scripts/test.sh --long       also the exhaustive sweeps and soak tests: hours
set -uo pipefail
cd "$(dirname "$0")/.."
source scripts/common.sh

sanitize=0
long=0
for arg in "$@"; do
  case "$arg" in
    --sanitize) sanitize=1 ;;
    --long) long=1 ;;
    -h | --help) usage "$0"; exit 0 ;;
    *) echo "test: unknown option $arg" >&2; usage "$0" >&2; exit 2 ;;
  esac
done

# A slice of a suite, k/n: another one with each commit, the whole with --long.
slice() {
  local head
  head=$(git rev-parse --short=7 HEAD 2>/dev/null || echo 0)
  ((long)) && echo 0/1 || echo "$((16#$head % $1))/$1"
}

counts=$(mktemp)
trap 'rm -f "$counts"' EXIT
tally() { .venv/bin/python scripts/tally.py "$counts" "$@"; }
# A step without which the rest makes no sense.
need() {
  "$@" && return
  echo "failed: $*"
  if [[ -s $counts ]]; then tally total; else echo "0 passed, 1 failed"; fi
  exit 1
}

step "set up"
need scripts/setup.sh

step "build with g++"
need build release
python3 scripts/compile_report.py build/release
make_importable .venv

step "C++ tests"
tally ctest build/release

step "Python tests"
if compgen -G 'python/tests/test_*.py' >/dev/null; then
  PYTHONPATH=build/release/python tally pytest -q python/tests
else
  echo "none yet"
fi

if ((sanitize)); then
  # Generated code has no use for sanitizers: these builds take the kernels of the release build.
  step "build with clang 19, address and undefined sanitizers"
  if tally command "asan build" -- scripts/build.sh asan -DWEFT_KERNELS_FROM="$PWD/build/release"; then
    # The op suite and random calls take several times as long here.
    WEFT_OP_SLICE=$(slice 4) WEFT_FUZZ_SLICE=$(slice 10) tally ctest build/asan
  fi
  step "build with clang 19, thread sanitizer"
  if tally command "tsan build" -- scripts/build.sh tsan -DWEFT_KERNELS_FROM="$PWD/build/release" \
    --targets weft_thread_tests; then
    tally ctest build/tsan --label-regex threads
  fi
fi

if ((long)); then
  step "exhaustive and soak tests"
  WEFT_LONG=1 tally ctest build/release --build-config Long --label-regex long
fi

step "total, after $((SECONDS / 60)) min $((SECONDS % 60)) s"
tally total
