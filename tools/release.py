"""Check, tag and build a release.

    python tools/release.py 0.2.0            look only: what is missing before the tag
    python tools/release.py 0.2.0 --tag      and tag v0.2.0, signed where git is set up so
    python tools/release.py 0.2.0 --tag --build    and make the source archive and wheels in dist/

Nothing is sent anywhere: `git push origin v0.2.0` and the upload stay with you.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSION = re.compile(r"\d+\.\d+\.\d+((a|b|rc)\d+)?")


def git(*words: str, root: Path = ROOT) -> str:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _package(root: Path) -> str:
    return str(tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"])


def _cited(root: Path) -> str:
    found = re.search(r"^version: *(\S+)", (root / "CITATION.cff").read_text("utf-8"), re.M)
    return found[1] if found else ""


def _newest(root: Path) -> str:
    """Newest version of the changelog, "" without one."""
    text = (root / "CHANGELOG.md").read_text("utf-8")
    found = re.search(r"^## \[(\d[^\]]*)\]", text, re.M)
    return found[1] if found else ""


def _unreleased(root: Path) -> bool:
    """True if the changelog has lines under [Unreleased]."""
    text = (root / "CHANGELOG.md").read_text("utf-8")
    found = re.search(r"^## \[Unreleased\]$(.*?)(?=^## \[|\Z)", text, re.M | re.S)
    return bool(found and re.search(r"^- ", found[1], re.M))


def missing(version: str, root: Path = ROOT) -> list[str]:
    """Sentences on obstacles to tagging the tree; [] if it is ready."""
    found = []
    if not VERSION.fullmatch(version):
        return [f"the version is {version!r}, expected numbers such as 0.2.0 or 0.2.0rc1"]
    for where, has in (
        ("pyproject.toml", _package(root)),
        ("CITATION.cff", _cited(root)),
        ("the newest entry of CHANGELOG.md", _newest(root)),
    ):
        if has != version:
            found.append(f"{where} has version {has or 'none'}, expected {version}")
    if _unreleased(root):
        found.append("CHANGELOG.md has lines under [Unreleased]: move them under the version")
    if git("status", "--porcelain", root=root):
        found.append("the tree has changes that are not committed")
    if git("tag", "--list", f"v{version}", root=root):
        found.append(f"the tag v{version} is there already")
    return found


def tag(version: str, root: Path = ROOT) -> None:
    """An annotated tag, signed where git is set up to sign."""
    sign = ["-s"] if git("config", "user.signingkey", root=root) else ["-a"]
    words = ["git", "tag", *sign, f"v{version}", "-m", f"kinemesh {version}"]
    subprocess.run(words, cwd=root, check=True)


def build(version: str) -> None:
    """The source archive and wheels of what is tagged (tools/wheels.py), into dist/.

    The archive's sha256 is for the recipe of conda-forge.
    """
    dist = ROOT / "dist"
    wheels = [sys.executable, str(ROOT / "tools" / "wheels.py"), "--out", str(dist)]
    subprocess.run(wheels, cwd=ROOT, check=True)
    archive = dist / f"kinemesh-{version}.tar.gz"
    print(f"{archive}: sha256 {hashlib.sha256(archive.read_bytes()).hexdigest()}")


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("version", help="such as 0.2.0")
    words.add_argument("--tag", action="store_true", help="make the tag if nothing is missing")
    words.add_argument("--build", action="store_true", help="with --tag: build into dist/")
    given = words.parse_args()
    if given.build and not given.tag:
        words.error("--build is of what is tagged: give --tag too")
    lacks = missing(given.version)
    for line in lacks:
        print(f"release.py: {line}", file=sys.stderr)
    if lacks:
        return 1
    if not given.tag:
        print(f"ready; .ci/run and {sys.argv[0]} {given.version} --tag come next")
        return 0
    tag(given.version)
    if given.build:
        build(given.version)
    print(f"tagged v{given.version}; next: git push origin v{given.version}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
