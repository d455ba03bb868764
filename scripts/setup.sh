#!/usr/bin/env bash
# Installs everything Weft needs to build and test: Debian packages by apt, Python packages into .venv.
# Idempotent: when nothing is to do it says so and ends within two seconds.
#   scripts/setup.sh           what building and testing need
#   scripts/setup.sh --peers   also .venv-peers with PyTorch, JAX and TensorFlow, for scripts/bench.sh and tests
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { sed -n '2,5p' "$0" | sed 's/^# \{0,1\}//'; }
peers=0
for arg in "$@"; do
  case "$arg" in
    --peers) peers=1 ;;
    -h | --help) usage; exit 0 ;;
    *) echo "setup: unknown option $arg" >&2; usage >&2; exit 2 ;;
  esac
done

apt_packages=(
  cmake ninja-build ccache mold                      # building
  g++ clang-19 clang-format-19 clang-tidy-19         # two compilers, and their checks
  libclang-rt-19-dev llvm-19 llvm-19-dev             # sanitizers; the code generator
  libopenblas-openmp-dev liblapacke-dev              # linear algebra (the build that threads may share); lapack.h
  libgtest-dev                                       # tests
  libhwy-dev                                         # vqsort
  libpng-dev libjpeg62-turbo-dev zlib1g-dev          # images, packed files
  valgrind                                           # instruction counts
  python3-dev python3-venv
)
pip_packages=('nanobind>=3,<4' 'scikit-build-core>=0.10' 'numpy>=2' 'pytest>=8' 'hypothesis>=6' 'mypy>=1.10'
              'scikit-learn>=1.4'   # for the digits of examples/digits.py
              'safetensors>=0.5')   # reads what we save, in the tests

say() { echo "setup: $*"; }

missing=()
for package in "${apt_packages[@]}"; do
  [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" == installed ]] || missing+=("$package")
done
if ((${#missing[@]})); then
  sudo=''
  [[ $EUID -eq 0 ]] || sudo=sudo
  say "installing Debian packages: ${missing[*]}"
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
else
  say "Debian packages: nothing to do"
fi

# Makes venv $1 hold the packages that follow; a stamp with their list says that it does already.
fill_venv() {
  local venv=$1 stamp=$1/.weft-packages
  shift
  if [[ -f $stamp && "$(cat "$stamp")" == "$*" ]]; then
    say "$venv: nothing to do"
    return
  fi
  say "$venv: installing $*"
  [[ -x $venv/bin/python ]] || python3 -m venv "$venv"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check "$@"
  echo "$*" >"$stamp"
}

fill_venv .venv "${pip_packages[@]}"
if ((peers)); then
  fill_venv .venv-peers torch==2.13.0 jax tensorflow-cpu pillow 'numpy>=2'
fi
say "done"
