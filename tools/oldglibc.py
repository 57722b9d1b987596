"""Link for a glibc older than this machine's, with this machine's gcc.

`stubs` are the libraries of that glibc as a linker needs them: names of symbols with their oldest
versions, no code.  They are zig's (the package `ziglang`), which has the lists of every glibc.
`libgomp` is gcc's own, of the version that compiles here, linked with the stubs: that of the system
needs the system's glibc.  Its source is Debian's package gcc-N-source.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

from sbom import LICENSES

LIBRARIES = ("m", "pthread", "dl", "rt", "util")
NEEDED = re.compile(
    r"[^/]+/(include|config|libgomp|libbacktrace)(/(?!testsuite).*|$)|[^/]+/gcc/BASE-VER|"
    r"[^/]+/(config\.\w+|config-ml\.in|install-sh|ltmain\.sh|missing|depcomp|compile|"
    r"mkinstalldirs|move-if-change|libtool-ldflags|COPYING3|COPYING\.RUNTIME)"
)
STAND_INS = ("Makefile.in", "libgomp-test-support.exp.in", "libgomp-site-extra.exp.in")


def here() -> tuple[int, ...]:
    """Version of this machine's glibc."""
    return numbers(os.confstr("CS_GNU_LIBC_VERSION") or "")


def numbers(text: str) -> tuple[int, ...]:
    """Numbers of a version such as "glibc 2.28", to be compared."""
    return tuple(int(each) for each in re.findall(r"\d+", text))


def stubs(python: Path, folder: Path, version: str) -> Path:
    """Folder for -L: with it gcc links as where glibc is `version`.

    Parameters
    ----------
    python : of an environment with the package ziglang
    """
    made, cache = folder / "stubs", folder / "zig"
    made.mkdir()
    (folder / "empty.c").write_text("int empty(void) { return 0; }\n")
    target = f"{os.uname().machine}-linux-gnu.{version}"
    command = [python, "-m", "ziglang", "cc", "-target", target, "-shared", "empty.c"]
    command += ["-o", "empty.so", *(f"-l{name}" for name in LIBRARIES)]
    more = os.environ | {"ZIG_GLOBAL_CACHE_DIR": str(cache)}
    subprocess.run(command, cwd=folder, env=more, check=True)
    (libc,) = cache.rglob("libc.so.6")
    for path in [*libc.parent.glob("lib*.so.*"), *cache.rglob("libc_nonshared.a")]:
        shutil.copy(path, made)
    (made / "libc.so").write_text(f"GROUP ( {made / libc.name} {made / 'libc_nonshared.a'} )\n")
    for name in LIBRARIES:
        (file,) = made.glob(f"lib{name}.so.*")
        (made / f"lib{name}.so").symlink_to(file.name)
    return made


def libgomp(folder: Path, libraries: Path) -> tuple[Path, dict[str, Any], list[Path]]:
    """libgomp.so.1 for an older glibc: its folder, its component of an SBOM, its licenses.

    Parameters
    ----------
    libraries : of `stubs`
    """
    major = _told("gcc", "-dumpversion").partition(".")[0]
    package = f"gcc-{major}-source"
    if not shutil.which("apt-get"):
        raise SystemExit(
            f"libgomp for an older glibc is built of Debian's package {package}, and there is no "
            "apt-get; build in the image manylinux_2_28, or give --glibc here"
        )
    subprocess.run(["apt-get", "download", "-q", package], cwd=folder, check=True)
    (archive,) = folder.glob(f"{package}_*.deb")
    version = _told("dpkg-deb", "-f", str(archive), "Version")
    subprocess.run(["dpkg-deb", "-x", archive, folder / "deb"], check=True)
    (sources,) = (folder / "deb").rglob("gcc-*.tar.xz")
    with tarfile.open(sources) as file:
        wanted = (one for one in file if NEEDED.fullmatch(one.name))
        file.extractall(folder / "gcc", wanted, filter="data")
    (source,) = (folder / "gcc").iterdir()
    (source / "libgomp/testsuite").mkdir(exist_ok=True)
    for name in STAND_INS:  # for those of tests, which configure asks for
        (source / "libgomp/testsuite" / name).write_text("all:\n" * name.startswith("Make"))
    built = folder / "libgomp"
    built.mkdir()
    options = ("--disable-multilib", "--disable-static", "--disable-werror", "FC=no")
    flags = {"CC": "gcc", "CFLAGS": "-O2", "LDFLAGS": f"-L{libraries}"}
    _quietly(built, [source / "libgomp/configure", *options], flags)
    _quietly(built, ["make", f"-j{os.cpu_count()}", f"LDFLAGS=-L{libraries}"], flags)
    made = folder / "lib"
    made.mkdir()
    library = made / "libgomp.so.1"
    subprocess.run(["strip", "-o", library, built / ".libs/libgomp.so.1.0.0"], check=True)
    component = {
        "name": "libgomp",
        "version": (source / "gcc/BASE-VER").read_text().strip(),
        "licenses": LICENSES["libgomp"],
        "purl": f"pkg:deb/debian/{package}@{version.replace('+', '%2B')}?arch=source",
    }
    return made, component, [source / "COPYING3", source / "COPYING.RUNTIME"]


def _told(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def _quietly(folder: Path, words: list[Any], more: dict[str, str]) -> None:
    """Run a program, whose output is shown where it fails."""
    done = subprocess.run(
        words, cwd=folder, env=os.environ | more, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout[-3000:]}{done.stderr[-3000:]}\n{words[0]} failed")
