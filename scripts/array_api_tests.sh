#!/bin/sh
# Runs the array API standard's own test suite against the built package.
#
#     git clone --recursive https://github.com/data-apis/array-api-tests /tmp/array-api-tests
#     python3 -m venv /tmp/suite && /tmp/suite/bin/pip install numpy -r /tmp/array-api-tests/requirements.txt
#     scripts/array_api_tests.sh /tmp/array-api-tests /tmp/suite/bin/python [arguments of pytest]
#
# Expected failures are in tests/array_api/xfails.txt, and explained in docs/array_api.md.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -lt 2 ]; then
  echo "usage: scripts/array_api_tests.sh <array-api-tests> <python> [arguments of pytest]" >&2
  exit 2
fi
suite=$1
python=$2
shift 2
cd "$suite"
PYTHONPATH="$root/build/release/python${PYTHONPATH:+:$PYTHONPATH}" ARRAY_API_TESTS_MODULE=weft ARRAY_API_TESTS_VERSION=2024.12 \
  exec "$python" -m pytest array_api_tests -q --disable-deadline --max-examples 50 --derandomize \
  --xfails-file "$root/tests/array_api/xfails.txt" "$@"
