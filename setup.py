"""Build the two extension modules: _core (always) and _cuda (where nvcc is found).

KINEMESH_CUDA=auto|0|1   build for CUDA where nvcc is found; never; or fail without it
KINEMESH_ARCH=...        gcc's -march (default: native)
KINEMESH_WERROR=1        warnings are errors
KINEMESH_STRICT=1        no contraction to fused multiply-add, on either device
KINEMESH_SM=80,90        CUDA architectures (PTX of the last one is added)
KINEMESH_SANITIZE=1      address and undefined-behaviour checks (tools/sanitize.sh)
"""

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).parent
HEADERS = [str(p.relative_to(HERE)) for p in sorted((HERE / "csrc").rglob("*.h"))]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
LIMITED = ("Py_LIMITED_API", "0x030b0000")
INCLUDE = "csrc"  # headers are named from here: core/table.h
HOST = ["csrc/core/bind.c", "csrc/core/check.c", "csrc/core/shape.c"]
HOST += ["csrc/core/recording.c"]
HOST += ["csrc/kernels/host_f32.c", "csrc/kernels/host_f64.c"]
DEVICE = ["csrc/kernels/device_f32.cu", "csrc/kernels/device_f64.cu"]
DEVICE += ["csrc/core/graph.cu", "csrc/core/launch.cu", "csrc/sparse/sparse.cu"]
CUDA = ["csrc/core/module_cuda.c", "csrc/core/array.c", "csrc/core/dlpack.c"]
CUDA += ["csrc/sparse/sparse_bind.c"]


def flag(name):
    return os.environ.get(name, "0") not in ("0", "")


def find_nvcc():
    """Path of nvcc, or None where CUDA is not wanted or not there."""
    want = os.environ.get("KINEMESH_CUDA", "auto")
    if want not in ("auto", "0", "1"):
        raise SystemExit(f"KINEMESH_CUDA is {want!r}, expected auto, 0 or 1")
    if want == "0":
        return None
    found = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if not found and want == "1":
        raise SystemExit("KINEMESH_CUDA=1 but nvcc is not on the PATH nor in /usr/local/cuda/bin")
    return found


def host_flags():
    flags = ["-std=c11", "-O3", f"-march={os.environ.get('KINEMESH_ARCH', 'native')}"]
    flags += ["-fopenmp", "-fno-math-errno", "-fno-trapping-math", "-fvisibility=hidden"]
    flags += ["-Wall", "-Wextra", "-Wdouble-promotion"]
    flags += ["-Werror"] if flag("KINEMESH_WERROR") else []
    flags += ["-ffp-contract=off"] if flag("KINEMESH_STRICT") else []
    if flag("KINEMESH_SANITIZE"):
        flags += [*SANITIZE, "-fno-omit-frame-pointer", "-O1", "-g"]  # the last -O counts
        flags += ["-fno-wrapv"]  # Python's own flags define what a signed overflow gives
    return flags


def device_flags():
    architectures = os.environ.get("KINEMESH_SM", "80,90").split(",")
    flags = ["-O3", "-std=c++17", "-Xcompiler", "-fPIC,-fvisibility=hidden,-Wall,-Wextra"]
    flags += [f"-I{INCLUDE}"]
    for sm in architectures:
        flags += ["-gencode", f"arch=compute_{sm},code=sm_{sm}"]
    last = architectures[-1]
    flags += ["-gencode", f"arch=compute_{last},code=compute_{last}"]
    flags += ["--cudart", "static"]
    flags += ["-Werror", "all-warnings"] if flag("KINEMESH_WERROR") else []
    flags += ["-fmad=false"] if flag("KINEMESH_STRICT") else []
    return flags


class Build(build_ext):
    """gcc for C; nvcc for the .cu files of an extension, both at once."""

    def build_extension(self, ext):
        nvcc = getattr(ext, "nvcc", None)
        if nvcc:
            ext.extra_objects = self.compile_cuda(nvcc)
        super().build_extension(ext)

    def compile_cuda(self, nvcc):
        folder = Path(self.build_temp)
        folder.mkdir(parents=True, exist_ok=True)

        def compile_one(source):
            target = folder / (Path(source).stem + ".o")
            newest = max(Path(p).stat().st_mtime for p in [source, *HEADERS])
            if not target.exists() or target.stat().st_mtime < newest:
                command = [nvcc, *device_flags(), "-c", source, "-o", str(target)]
                print(" ".join(command), flush=True)
                subprocess.check_call(command)
            return str(target)

        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            return list(pool.map(compile_one, DEVICE))


def extensions():
    common = {
        "depends": HEADERS,
        "define_macros": [LIMITED],
        "py_limited_api": True,
        "extra_compile_args": host_flags(),
    }
    nvcc = find_nvcc()
    off = os.environ.get("KINEMESH_CUDA") == "0"
    why = "" if nvcc else "switched off by KINEMESH_CUDA=0" if off else "no nvcc found"
    link = ["-fopenmp", *(SANITIZE if flag("KINEMESH_SANITIZE") else [])]
    all_ext = [
        Extension(
            "kinemesh._core",
            [*HOST, "csrc/core/module.c"],
            include_dirs=[INCLUDE],
            extra_link_args=link,
            **common | {"define_macros": [LIMITED, ("WITHOUT_CUDA", f'"{why}"')]},
        )
    ]
    if nvcc and (HERE / "csrc/core/launch.cu").exists():
        root = Path(nvcc).resolve().parents[1]
        lib = next((p for p in (root / "lib64", root / "lib") if p.is_dir()), root / "lib64")
        cuda = Extension(
            "kinemesh._cuda",
            [*HOST, *CUDA],
            include_dirs=[INCLUDE, str(root / "include")],
            library_dirs=[str(lib)],
            libraries=["cudart_static", "rt", "pthread", "dl", "stdc++"],
            extra_link_args=link,
            **common,
        )
        cuda.nvcc = nvcc
        cuda.depends = [*HEADERS, *DEVICE]
        all_ext.append(cuda)
    return all_ext


setup(
    ext_modules=extensions(),
    cmdclass={"build_ext": Build},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
