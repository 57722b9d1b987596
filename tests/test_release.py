"""Wheels run where they were not built, and a release is tagged when all says its version."""

import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from scripts import script

pytestmark = pytest.mark.no_sanitizer
ROOT = Path(__file__).parents[1]
CLONE = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs a clone with git")


# ---------------------------------------------------------------- release


def tree(path, version="0.3.0", cited="0.3.0", changes="## [0.3.0]\n\n- a\n"):
    """A committed tree that says its version in three places."""
    (path / "pyproject.toml").write_text(f'[project]\nversion = "{version}"\n')
    (path / "CITATION.cff").write_text(f"cff-version: 1.2.0\nversion: {cited}\n")
    (path / "CHANGELOG.md").write_text(f"# Changelog\n\n## [Unreleased]\n\n{changes}")
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "all"]):
        subprocess.run(["git", *words], cwd=path, check=True)
    return path


def test_a_release_whose_tree_is_ready_lacks_nothing(tmp_path):
    assert script("release").missing("0.3.0", tree(tmp_path)) == []


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ({"version": "0.2.9"}, "pyproject.toml has version 0.2.9, expected 0.3.0"),
        ({"cited": "0.2.9"}, "CITATION.cff has version 0.2.9, expected 0.3.0"),
        ({"changes": "## [0.2.9]\n"}, "entry of CHANGELOG.md has version 0.2.9, expected 0.3.0"),
        ({"changes": "- news\n\n## [0.3.0]\n"}, "has lines under [Unreleased]"),
    ],
)
def test_what_a_release_lacks_is_named(tmp_path, made, words):
    (line,) = script("release").missing("0.3.0", tree(tmp_path, **made))

    assert words in line


def test_a_release_is_not_tagged_twice_nor_with_changes(tmp_path):
    release, root = script("release"), tree(tmp_path)
    subprocess.run(["git", "tag", "v0.3.0"], cwd=root, check=True)
    (root / "CHANGELOG.md").write_text("## [0.3.0]\n")

    assert release.missing("0.3.0", root) == [
        "the tree has changes that are not committed",
        "the tag v0.3.0 is there already",
    ]
    assert "expected numbers such as 0.2.0" in release.missing("v0.3", root)[0]


def test_the_citation_has_the_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]

    assert script("release")._cited(ROOT) == version


# ---------------------------------------------------------------- wheels


def test_a_wheel_with_both_modules_becomes_two(tmp_path):
    wheels = script("wheels")
    both = tmp_path / "kinemesh-1.0-cp311-abi3-linux_x86_64.whl"
    info = "kinemesh-1.0.dist-info"
    members = {
        "kinemesh/__init__.py": b"",
        "kinemesh/_core.abi3.so": b"core",
        "kinemesh/_cuda.abi3.so": b"cuda",
        f"{info}/METADATA": b"Name: kinemesh\n",
        f"{info}/WHEEL": b"Tag: cp311-abi3-linux_x86_64\n",
        f"{info}/licenses/LICENSE": b"MIT",
        f"{info}/RECORD": b"old",
    }
    with zipfile.ZipFile(both, "w") as file:
        for name, data in members.items():
            file.writestr(name, data)

    first, second = (zipfile.ZipFile(path) for path in wheels.split(both, tmp_path))

    assert Path(second.filename).name == "kinemesh_cuda-1.0-cp311-abi3-linux_x86_64.whl"
    assert "kinemesh/_cuda.abi3.so" not in first.namelist()
    of_cuda = {n for n in second.namelist() if not n.startswith("kinemesh_cuda-1.0.dist-info/")}
    assert of_cuda == {"kinemesh/_cuda.abi3.so"}
    assert b"Requires-Dist: kinemesh==1.0" in second.read("kinemesh_cuda-1.0.dist-info/METADATA")
    for wheel in (first, second):
        (record,) = [n for n in wheel.namelist() if n.endswith("RECORD")]
        rows = wheel.read(record).decode().split()
        assert {row.split(",")[0] for row in rows} == set(wheel.namelist())


@CLONE
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="wheels of Linux")
def test_a_wheel_runs_the_main_job_where_there_is_no_compiler(tmp_path):
    command = [sys.executable, ROOT / "tools" / "wheels.py", "--out", tmp_path]
    subprocess.run(command, check=True)
    (wheel,) = tmp_path.glob("kinemesh-*.whl")
    assert re.search(r"-cp311-abi3-manylinux_2_28_x86_64\.whl$", wheel.name)
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path / "files")
    modules = [path for path in (tmp_path / "files").rglob("*.so*") if path.is_file()]
    assert {path.name.partition("-")[0] for path in modules} == {"_core.abi3.so", "libgomp"}
    for path in modules:
        command = ["objdump", "-T", path]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        needed = [tuple(map(int, n.split("."))) for n in re.findall(r"GLIBC_([\d.]+)", told)]
        assert max(needed) <= (2, 28)
    (sbom,) = (tmp_path / "files").rglob("sboms/kinemesh.cdx.json")
    (gomp,) = json.loads(sbom.read_text("utf-8"))["components"]
    (library,) = (tmp_path / "files" / "kinemesh.libs").iterdir()
    assert gomp["evidence"]["occurrences"] == [{"location": f"kinemesh.libs/{library.name}"}]

    home = tmp_path / "venv"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    # its dependencies are those of these tests, to be found behind what the wheel puts in place
    (site,) = home.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    pip = [python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", wheel]
    alone = {"PATH": str(home / "bin"), "HOME": str(tmp_path), "OMP_NUM_THREADS": "1"}
    assert shutil.which("gcc", path=alone["PATH"]) is None
    subprocess.run(pip, env=alone, check=True)
    asked = [python, "-c", "from kinemesh import _core; print(_core.__file__)"]
    module = subprocess.run(asked, env=alone, capture_output=True, text=True, check=True).stdout
    assert Path(module.strip()).is_relative_to(home)

    short = ["--nodes", "800", "--cycles", "1", "--steps-per-cycle", "16"]
    run = [home / "bin" / "kinemesh", "run", "agard-ct5", *short, "--quiet"]
    subprocess.run(run, cwd=tmp_path, env=alone, check=True)
    there = {path.name for path in (tmp_path / "agard-ct5").iterdir()}
    assert {"history.csv", "hysteresis.png"} <= there

    emulator = shutil.which("qemu-x86_64")
    if emulator:  # SandyBridge has AVX, and no AVX2
        old = [emulator, "-cpu", "SandyBridge", python, "-m", "kinemesh", "info"]
        done = subprocess.run(old, env=alone, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        assert "the one here has no avx2" in " ".join(done.stderr.split())


# ---------------------------------------------------------------- oldest dependencies


def test_floors_are_those_of_the_package_and_of_an_extra():
    made = script("floors").floors(["energy"])

    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["energy"]
    assert [one.replace("==", ">=") for one in made] == wanted
    assert all(one.count("==") == 1 for one in made)


def test_the_extras_of_tests_and_developers_have_one_floor():
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]

    assert set(extras["test"]) <= set(extras["dev"])
    assert set(extras["sweep"]) <= set(extras["test"])
