# What the scripts share; sourced from the project's root.

step() { printf '\n== %s\n' "$*"; }

# The comment at the head of script $1.
usage() { sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$1"; }

# Configures and builds preset $1; what follows is given to cmake, after --targets to the build.
build() {
  local preset=$1
  shift
  local options=() log
  log=$(mktemp)
  while (($#)) && [[ $1 != --targets ]]; do
    options+=("$1")
    shift
  done
  (($# == 0)) || shift
  cmake --preset "$preset" "${options[@]}" >"$log" 2>&1 || { cat "$log"; return 1; }
  rm -f "$log"
  cmake --build --preset "$preset" ${1:+--target "$@"}
}

# Lets the Python of venv $1 import weft from the release build. A venv that is a link belongs to someone else.
make_importable() {
  [[ -d build/release/python/weft && ! -L $1 ]] || return 0
  local packages
  packages=$("$1"/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  echo "$PWD/build/release/python" >"$packages/weft-build.pth"
}
