"""Copies of the package with other kernels, compiled for the CPU, and runs in them."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import kinemesh as km
import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
HOST = ("core/bind", "core/check", "core/shape", "core/recording", "core/module", "core/processor",
        "kernels/host_f32", "kernels/host_f64")  # fmt: skip
GCC = ["gcc", "-O1", "-w", "-fopenmp", "-fPIC", "-Icsrc", "-DPy_LIMITED_API=0x030b0000",
       f"-I{sysconfig.get_path('include')}", '-DNEEDS=""', '-DWITHOUT_CUDA=""']  # fmt: skip
needs_gcc = pytest.mark.skipif(
    not ((ROOT / "csrc").is_dir() and shutil.which("gcc")), reason="needs gcc and the C sources"
)


def copied(folder):
    """A copy of kernels and package, as `csrc` and `python/kinemesh`."""
    shutil.copytree(ROOT / "csrc", folder / "csrc")
    shutil.copytree(Path(km.__file__).parent, folder / "python/kinemesh")
    return folder


def build(folder):
    """Compile the kernels of a copy, its files side by side."""
    running = [subprocess.Popen([*GCC, "-c", f"csrc/{name}.c", "-o", f"{i}.o"], cwd=folder)
               for i, name in enumerate(HOST)]  # fmt: skip
    assert not any(made.wait() for made in running)
    link = ["gcc", "-shared", "-fopenmp", *(f"{i}.o" for i in range(len(HOST))), "-lm", "-o"]
    subprocess.run([*link, "python/kinemesh/_core.abi3.so"], cwd=folder, check=True)


def found_in(folder, file):
    """Arrays that a file leaves where it is run in the copy."""
    run = [sys.executable, "-W", "ignore", file, "found.npz"]
    subprocess.run(
        run, env=os.environ | {"PYTHONPATH": f"python:{ROOT / 'tests'}"}, cwd=folder, check=True
    )
    return np.load(folder / "found.npz")
