#!/usr/bin/env bash
# Installs everything Weft needs to build and test: Debian packages by apt, Python packages into .venv.
# Idempotent: when nothing is to do it says so and ends within two seconds. Goes on without the data for the quickstart
# where they cannot be had.
#   scripts/setup.sh           what building and testing need
#   scripts/setup.sh --peers   also .venv-peers with PyTorch, JAX and TensorFlow, for scripts/bench.sh and tests
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { sed -n '2,6p' "$0" | sed 's/^# \{0,1\}//'; }
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
  libpng-dev libjpeg62-turbo-dev                     # images
  zlib1g-dev libdeflate-dev                          # packed files
  valgrind                                           # instruction counts
  python3-dev python3-venv
)
data_package=dataset-fashion-mnist  # for examples/quickstart.py, which reads digits without it
pip_packages=('nanobind>=3,<4' 'scikit-build-core>=0.10' 'numpy>=2' 'pytest>=8' 'hypothesis>=6' 'mypy>=1.10'
              'scikit-learn>=1.4'   # for its digits: load_dataset("digits")
              'safetensors>=0.5')   # reads what we save, in the tests

say() { echo "setup: $*"; }

is_installed() { [[ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" == installed ]]; }
# apt_install ROOT PACKAGE...: where ROOT is what makes us root, or nothing.
apt_install() { DEBIAN_FRONTEND=noninteractive $1 apt-get install -y -qq --no-install-recommends "${@:2}" >/dev/null; }

sudo=''
[[ $EUID -eq 0 ]] || sudo=sudo
missing=()
for package in "${apt_packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
if ((${#missing[@]})); then
  say "installing Debian packages: ${missing[*]}"
  $sudo apt-get update -qq
  apt_install "$sudo" "${missing[@]}"
else
  say "Debian packages: nothing to do"
fi
# Nobody is asked for a password for the sake of data.
if ! is_installed "$data_package"; then
  if apt_install "${sudo:+sudo -n}" -o Acquire::http::Timeout=20 "$data_package" 2>/dev/null; then
    say "installed $data_package"
  else
    say "$data_package cannot be installed now; going on without it"
  fi
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
