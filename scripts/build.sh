#!/usr/bin/env bash
# Configures and builds one preset: scripts/build.sh release|debug|asan|tsan [cmake options] [--targets name...]
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/common.sh
build "$@"
