#!/usr/bin/env bash
# Build the CPU module with the address and undefined-behaviour sanitizers of gcc, in a copy that
# is thrown away, and run the tests on it.
#
#   tools/sanitize.sh [args]          args are the pytest selection instead of the tests by their markers
#   tools/sanitize.sh --build FOLDER  build alone, in a new folder
#   tools/sanitize.sh --in FOLDER     run the tests there
#
# Kernels are sanitized in float64 alone: float32 is the same source.
# PYTHON (python3) needs the package's dependencies, pytest and pytest-xdist.  One OpenMP thread: libgomp's
# barriers are not known to the sanitizers.  One part looks for memory that the module itself
# allocated and lost; what Python and NumPy leave behind at the end is not ours.
set -euo pipefail
cd "$(dirname "$0")/.."

python=$(command -v "${PYTHON:-python3}")
build() { # a copy in the folder
  mkdir -p "$1"
  tar --exclude=./.git --exclude=./build --exclude='*.so' --exclude='*.egg-info' --exclude=./.venv -cf - . |
    tar -xf - -C "$1"
  echo "== build: KINEMESH_SANITIZE=1 setup.py build_ext --inplace"
  (cd "$1" && KINEMESH_SANITIZE=1 KINEMESH_CUDA=0 "$python" setup.py -q build_ext --inplace)
}

case "${1:-}" in
  --build)
    build "$2"
    exit
    ;;
  --in)
    work=$2
    shift 2
    trap 'kill "${leaks:-}" 2>/dev/null || true' EXIT
    ;;
  *)
    work=$(mktemp -d)
    trap 'kill "${leaks:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
    build "$work"
    ;;
esac
cd "$work"

export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONPATH=$work/python
export PYTHONMALLOC=malloc # Python's own pools would hide what lies between two objects
export UBSAN_OPTIONS=print_stacktrace=1
preload="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
# capture=sys: what a sanitizer writes to standard error ends with the process, in a file of pytest's
pytest=("$python" -m pytest -p no:cacheprovider --capture=sys)

# A sanitizer that is not there finds nothing: the module must be the one just built.
LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=0 "$python" - <<'PYTHON'
from pathlib import Path
from kinemesh import _core
assert Path(_core.__file__).is_relative_to(Path.cwd()), _core.__file__
assert b"__asan_init" in Path(_core.__file__).read_bytes(), "built without the sanitizers"
assert "libasan" in Path("/proc/self/maps").read_text(), "libasan is not loaded"
PYTHON

# Memory lost by calls, refusals and recordings.  The exact unwinder: Python keeps no frame pointers,
# and a flow would take ten minutes.
LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=1:fast_unwind_on_malloc=0:malloc_context_size=12:exitcode=23 \
  "${pytest[@]}" -m 'leaks and not cuda and not long' tests/device >leaks.txt 2>&1 &
leaks=$!

# Short tests that need no flow, and a few flows: the others run the same kernels for longer.  So do
# sweeps, figures, runs and the examples of pages, and what compares kernels between devices: each runs
# on its sample in test_modes.py.  Files, meshes, loops and case files are read and made in Python, and
# what lies beside the folders calls little else.
chosen='not slow and not no_sanitizer and (not (flow or long) or sanitize)'
selection=("$@")
if [ ${#selection[@]} -eq 0 ]; then
  selection=(-m "$chosen" -k "not host-f32")
  for folder in bench study plot docs cases io loops mesh results run; do selection+=("--ignore=tests/$folder"); done
  selection+=("--ignore-glob=tests/test_*.py" "--ignore=tests/device/test_kernels_agree.py")
fi
echo "== tests: ${selection[*]}"
LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 "${pytest[@]}" -n auto --dist loadfile "${selection[@]}"

echo "== leaks: memory lost by calls, refusals and recordings"
status=0
wait "$leaks" || status=$? # leaks of others end with status 23 as well
if [ "$status" -ne 0 ] && [ "$status" -ne 23 ]; then
  tail -n 40 leaks.txt
  exit 1
fi
grep -q ' passed' leaks.txt
awk -v RS= '/leak of/ && /csrc\/|kinemesh\/_core/' leaks.txt >ours.txt
if [ -s ours.txt ]; then
  cat ours.txt
  echo "leaks: the blocks above were allocated by the module and lost" >&2
  exit 1
fi
echo "no leak"
