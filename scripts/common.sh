# What the scripts in this folder share. Source it first; it defines root, jobs and a few helpers.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=${BRIDLE_JOBS:-$(nproc)}

say() { printf '%s\n' "$*"; }

# fail MESSAGE [EXIT_CODE]: one line on stderr, then exit (1 unless told).
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$1" >&2
  exit "${2:-1}"
}

# The comment at the top of the calling script is its help text.
show_help() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }

# configure PRESET [CMAKE_ARGUMENT...]: into build/PRESET, through ccache where that is installed.
configure() {
  local preset=$1 launcher=()
  shift
  if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  mkdir -p "$root/build"
  cmake -S "$root" --preset "$preset" "${launcher[@]}" "$@" >"$root/build/$preset.log" 2>&1 || {
    cat "$root/build/$preset.log" >&2
    fail "cmake could not configure build/$preset"
  }
}

# build PRESET [TARGET...]: everything unless targets are named.
build() {
  local preset=$1
  shift
  cmake --build "$root/build/$preset" --parallel "$jobs" ${1:+--target "$@"}
}
