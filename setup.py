"""Build the two extension modules: _core (always) and _cuda (where nvcc is found).

KINEMESH_CUDA=auto|0|1   build for CUDA where nvcc is found; never; or fail without it
KINEMESH_ARCH=...        gcc's -march; default: native where what is built is installed here at once
                         (pip install . or -e ., build_ext --inplace), x86-64-v3 for other wheels
KINEMESH_WERROR=1        warnings are errors
KINEMESH_STRICT=1        no contraction to fused multiply-add, on either device
KINEMESH_SM=80,90        CUDA architectures (PTX of the last one is added)
KINEMESH_SANITIZE=1      address and undefined-behaviour checks (tools/sanitize.sh)
"""

import os
import platform
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).parent
HEADERS = [str(p.relative_to(HERE)) for p in sorted((HERE / "csrc").rglob("*.h"))]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
LIMITED = ("Py_LIMITED_API", "0x030b0000")
INCLUDE = "csrc"  # headers are named from here: core/table.h
PROCESSOR = "csrc/core/processor.c"  # asks the processor, so that it must run on any
UNSANITIZED = "csrc/kernels/host_f32.c"
HOST = ["csrc/kernels/host_f64.c", UNSANITIZED]
HOST += ["csrc/core/bind.c", "csrc/core/check.c", "csrc/core/shape.c"]
HOST += ["csrc/core/recording.c", PROCESSOR]
DEVICE = ["csrc/kernels/device_f64.cu", "csrc/kernels/device_f32.cu"]
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


# What gcc defines where -march has it, and its name of it in __builtin_cpu_supports.
FEATURES = {f"__{name.upper()}__": name for name in ("avx", "avx2", "fma", "bmi", "bmi2")}
FEATURES["__SSE4_2__"] = "sse4.2"
for name in ("F", "DQ", "CD", "BW", "VL", "IFMA", "VBMI", "VBMI2", "VNNI", "BITALG"):
    FEATURES[f"__AVX512{name}__"] = f"avx512{name.lower()}"
FEATURES |= {"__AVX512VPOPCNTDQ__": "avx512vpopcntdq", "__AVX512BF16__": "avx512bf16"}


def on_the_spot():
    """Whether what is built is installed here at once: it may be for this processor alone.

    `pip install .` makes a wheel too, as `pip wheel .` and `python -m build` do: who asked tells.
    """
    if "bdist_wheel" not in sys.argv:
        return True  # build_ext --inplace, or editable
    parent = Path(f"/proc/{os.getppid()}/cmdline")
    return parent.is_file() and b"install" in parent.read_bytes().split(b"\0")


def architecture():
    """The value of gcc's -march, or "" for the compiler's own."""
    found = os.environ.get("KINEMESH_ARCH", "")
    if found or on_the_spot():
        return found or "native"
    return "x86-64-v3" if platform.machine() == "x86_64" else ""


def march():
    return [f"-march={ARCH}"] if ARCH else []


def needs():
    """Names of what a processor must have to run what gcc makes, between spaces."""
    command = [*os.environ.get("CC", "gcc").split(), *march(), "-dM", "-E", "-x", "c", os.devnull]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    defined = {line.split()[1] for line in told.splitlines()}
    return " " + "".join(f"{name} " for macro, name in FEATURES.items() if macro in defined)


ARCH = architecture()


def host_flags():
    flags = ["-std=c11", "-O3", *march()]
    flags += ["-fopenmp", "-fno-math-errno", "-fno-trapping-math", "-fvisibility=hidden"]
    flags += ["-Wall", "-Wextra", "-Wdouble-promotion"]
    flags += ["-Werror"] if flag("KINEMESH_WERROR") else []
    flags += ["-ffp-contract=off"] if flag("KINEMESH_STRICT") else []
    return flags


def sanitize_flags(source):
    """Flags of the sanitizers, of one of the two precisions: both are one source, whose indices are
    the same, and to compile either takes minutes."""
    if not flag("KINEMESH_SANITIZE") or source == UNSANITIZED:
        return []
    flags = [*SANITIZE, "-fno-omit-frame-pointer", "-O1", "-g"]  # the last -O counts
    return [*flags, "-fno-wrapv"]  # Python's own flags define what a signed overflow gives


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


def older(target, sources):
    """Whether a file is not there, or was made before one of its sources."""
    made = Path(target).stat().st_mtime if Path(target).exists() else 0
    return made < max(Path(p).stat().st_mtime for p in sources)


class Build(build_ext):
    """Objects of both extensions side by side, each once; then the files of its own and a link."""

    def build_extensions(self):
        built = [
            ext
            for ext in self.extensions
            if self.force or older(self.get_ext_fullpath(ext.name), [*ext.sources, *ext.depends])
        ]
        nvcc = next((ext.nvcc for ext in built if ext.nvcc), None)
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:  # the longest come first
            device = pool.map(partial(self.compile_cuda, nvcc), DEVICE if nvcc else [])
            host = pool.map(self.compile_host, HOST if built else [])
        device, host = list(device), list(host)
        for ext in built:
            ext.extra_objects = host + (device if ext.nvcc else [])
        super().build_extensions()

    def compile_host(self, source):
        """The object of a C source, without -march of the one that runs on any processor."""
        flags = [flag for flag in host_flags() if source != PROCESSOR or flag not in march()]
        flags += sanitize_flags(source)
        folders = [INCLUDE, *self.include_dirs]
        return self.compiler.compile(
            [source], self.build_temp, [LIMITED], folders, extra_postargs=flags
        )[0]

    def compile_cuda(self, nvcc, source):
        target = Path(self.build_temp) / (Path(source).stem + ".o")
        target.parent.mkdir(parents=True, exist_ok=True)
        if older(target, [source, *HEADERS]):
            command = [nvcc, *device_flags(), "-c", source, "-o", str(target)]
            print(" ".join(command), flush=True)
            subprocess.check_call(command)
        return str(target)


def extensions():
    needed = ("NEEDS", f'"{needs()}"')
    print(f"kinemesh: gcc {' '.join(march())}: for processors with{needs()}", flush=True)
    common = {
        "depends": [*HEADERS, *HOST],
        "define_macros": [LIMITED, needed],
        "py_limited_api": True,
        "extra_compile_args": host_flags() + sanitize_flags("csrc/core/module.c"),
    }
    nvcc = find_nvcc()
    off = os.environ.get("KINEMESH_CUDA") == "0"
    why = (
        "the wheel kinemesh_cuda is not there"
        if nvcc
        else "switched off by KINEMESH_CUDA=0"
        if off
        else "no nvcc found"
    )
    link = ["-fopenmp", *(SANITIZE if flag("KINEMESH_SANITIZE") else [])]
    all_ext = [
        Extension(
            "kinemesh._core",
            ["csrc/core/module.c"],
            include_dirs=[INCLUDE],
            libraries=["m"],  # not every Python has it
            extra_link_args=link,
            **common | {"define_macros": [LIMITED, needed, ("WITHOUT_CUDA", f'"{why}"')]},
        )
    ]
    all_ext[0].nvcc = None
    if nvcc and (HERE / "csrc/core/launch.cu").exists():
        root = Path(nvcc).resolve().parents[1]
        lib = next((p for p in (root / "lib64", root / "lib") if p.is_dir()), root / "lib64")
        cuda = Extension(
            "kinemesh._cuda",
            CUDA,
            include_dirs=[INCLUDE, str(root / "include")],
            library_dirs=[str(lib)],
            libraries=["cudart_static", "rt", "pthread", "dl", "stdc++", "m"],
            extra_link_args=link,
            **common,
        )
        cuda.nvcc = nvcc
        cuda.depends = [*common["depends"], *DEVICE]
        all_ext.append(cuda)
    return all_ext


setup(
    ext_modules=extensions(),
    cmdclass={"build_ext": Build},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
