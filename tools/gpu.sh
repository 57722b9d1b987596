#!/usr/bin/env bash
# Build kinemesh in place with CUDA and test it on a GPU host.
#
#   tools/gpu.sh build            compile for the device that is there
#   tools/gpu.sh test [args]      the test suite, in several processes; with args (to pytest) in one
#   tools/gpu.sh sanitize [args]  memcheck, racecheck, initcheck and synccheck, one after the other,
#                                 on the tests marked so; args are the pytest selection instead of these
#
# PYTHON (python3), KINEMESH_SM (the device's own) and the variables of setup.py may be set.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
export PYTHONPATH="$PWD/python${PYTHONPATH:+:$PYTHONPATH}"
for folder in /usr/local/cuda/bin /usr/local/cuda/compute-sanitizer; do
  if [ -d "$folder" ]; then PATH="$PATH:$folder"; fi
done

fail() {
  echo "gpu.sh: $*" >&2
  exit 1
}

compute_capability() {
  local found=""
  if command -v nvidia-smi >/dev/null; then
    found=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d '. ') || found=""
  fi
  case "$found" in
    '' | *[!0-9]*) echo 90 ;;
    *) echo "$found" ;;
  esac
}

build() {
  command -v nvcc >/dev/null || fail "nvcc is neither on the PATH nor in /usr/local/cuda/bin"
  command -v gcc >/dev/null || fail "gcc is not on the PATH"
  "$python" -c 'import setuptools, numpy' || fail "$python needs setuptools and numpy"
  export KINEMESH_CUDA=1 KINEMESH_SM="${KINEMESH_SM:-$(compute_capability)}"
  "$python" setup.py -q build_ext --inplace
  "$python" -c 'from kinemesh import _cuda; print("CUDA devices:", _cuda.device_count())'
}

sanitize() {
  command -v compute-sanitizer >/dev/null || fail "compute-sanitizer is not on the PATH"
  local tool status=0 selection=("$@") logs=build/sanitize
  local chosen='cuda and sanitize and not flow and not slow and not alone and not no_sanitizer'
  mkdir -p "$logs"
  declare -A less=([memcheck]=' and not no_memcheck' [racecheck]=' and not no_racecheck')
  # One after the other: side by side on one device they report errors that are none.
  for tool in memcheck racecheck initcheck synccheck; do
    local options=(--tool "$tool" --error-exitcode 9)
    local tests=("${selection[@]}")
    if [ ${#tests[@]} -eq 0 ]; then tests=(-m "$chosen${less[$tool]:-}"); fi
    # Tests ask for what CUDA refuses, on purpose.
    if [ "$tool" = memcheck ]; then options+=(--report-api-errors no); fi
    compute-sanitizer "${options[@]}" "$python" -m pytest -p no:cacheprovider "${tests[@]}" \
      >"$logs/$tool.log" 2>&1 || status=$?
    echo "== compute-sanitizer $tool"
    tail -n 4 "$logs/$tool.log"
  done
  return $status
}

command=${1:-}
if [ $# -gt 0 ]; then shift; fi
case "$command" in
  build) build ;;
  test) if [ $# -gt 0 ]; then "$python" -m pytest -rs "$@"; else "$python" tools/parts.py; fi ;;
  sanitize) sanitize "$@" ;;
  *)
    sed -n '2,9s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
