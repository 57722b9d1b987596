"""Source archives have what git has, wheels say what is in them, the recipe is of this version."""

import hashlib
import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from scripts import script

pytestmark = pytest.mark.no_sanitizer
ROOT = Path(__file__).parents[1]
CLONE = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs a clone with git")
COMMITTED = ("MANIFEST.in", "pyproject.toml", "setup.py", "tools/wheels.py")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
INFO = "kinemesh-1.0.dist-info"
GOMP = {
    "name": "libgomp",
    "version": "12.2.0",
    "licenses": [{"expression": "GPL-3.0-or-later WITH GCC-exception-3.1"}],
    "purl": "pkg:deb/debian/gcc-12-source@12.2.0-14?arch=source",
}


# ---------------------------------------------------------------- source archive


@CLONE
@pytest.mark.long
def test_a_source_archive_has_the_files_of_git_and_builds_its_metadata(tmp_path):
    changed = subprocess.run(["git", "diff", "--quiet", "HEAD", "--", *COMMITTED], cwd=ROOT)
    if changed.returncode:
        pytest.skip(f"the archive is of the commit, and one of {', '.join(COMMITTED)} is not")
    archive = script("wheels").source(Path(sys.executable).parent, tmp_path, tmp_path)

    with tarfile.open(archive) as file:
        file.extractall(tmp_path / "made", filter="data")
    (tree,) = (tmp_path / "made").iterdir()
    for name in ("csrc/kernels/device_f64.cu", "csrc/core/kernel_host.h", "tests/conftest.py",
                 "python/kinemesh/cases/agard-ct5.toml", "docs/theory.md"):  # fmt: skip
        committed = subprocess.run(
            ["git", "show", f"HEAD:{name}"], cwd=ROOT, capture_output=True, check=True
        )
        assert (tree / name).read_bytes() == committed.stdout
    assert re.search(r"^Name: kinemesh$", (tree / "PKG-INFO").read_text("utf-8"), re.M)


def test_files_of_git_that_an_archive_lacks_are_found(tmp_path):
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as file:
        file.add(__file__, "kinemesh-1.0/tests/a.py")

    found = script("wheels").lacking(
        tmp_path / "a.tar.gz", ["tests/a.py", "csrc/b.h", ".ci/run", ".github/c.yml"]
    )

    assert found == ["csrc/b.h"]


# ---------------------------------------------------------------- SBOM


def wheel(path, more):
    """A wheel as auditwheel leaves it."""
    members = {
        "kinemesh/_core.abi3.so": b"core",
        f"{INFO}/METADATA": b"Name: kinemesh\n",
        f"{INFO}/RECORD": b"old",
    }
    with zipfile.ZipFile(path, "w") as file:
        for name, data in (members | more).items():
            file.writestr(name, data)
    return path


def documented(tmp_path, more, known, licenses=()):
    """Files of that wheel once it has an SBOM."""
    wheels = script("wheels")
    old = wheel(tmp_path / "kinemesh-1.0-cp311-abi3-manylinux_2_28_x86_64.whl", more)
    out = tmp_path / "out"
    out.mkdir()
    libraries = wheels.Linking(known=known, licenses=tuple(licenses))
    return wheels.members_of(wheels.documented(old, libraries, {"gcc": "12.2.0"}, out))


def test_the_sbom_of_a_wheel_has_the_libraries_in_it(tmp_path):
    (tmp_path / "COPYING3").write_text("GPL")
    gomp = {"kinemesh.libs/libgomp-a1.so.1.0.0": b"gomp"}
    found = documented(tmp_path, gomp, {"libgomp": GOMP}, [tmp_path / "COPYING3"])

    made = json.loads(found[f"{INFO}/sboms/kinemesh.cdx.json"])
    assert (made["bomFormat"], made["specVersion"], made["version"]) == ("CycloneDX", "1.6", 1)
    own = made["metadata"]["component"]
    assert (own["name"], own["version"], own["purl"]) == (
        "kinemesh",
        "1.0",
        "pkg:pypi/kinemesh@1.0",
    )
    (one,) = made["components"]
    assert one["type"] == "library"
    assert {key: one[key] for key in GOMP} == GOMP
    assert one["hashes"] == [{"alg": "SHA-256", "content": hashlib.sha256(b"gomp").hexdigest()}]
    assert one["evidence"]["occurrences"] == [{"location": "kinemesh.libs/libgomp-a1.so.1.0.0"}]
    assert made["dependencies"] == [
        {"ref": own["bom-ref"], "dependsOn": [one["bom-ref"]]},
        {"ref": one["bom-ref"]},
    ]
    assert found[f"{INFO}/licenses/libgomp/COPYING3"] == b"GPL"
    rows = found[f"{INFO}/RECORD"].decode().split()
    assert {row.split(",")[0] for row in rows} == found.keys()


def test_the_origin_of_a_library_of_the_system_is_that_of_auditwheel(tmp_path):
    told = {"name": "libgomp1", "version": "12.2.0-14", "purl": "pkg:deb/debian/libgomp1@12.2.0-14"}
    audit = json.dumps({"components": [told | {"type": "library", "bom-ref": "a"}]}).encode()
    gomp = {
        "kinemesh.libs/libgomp-a1.so.1.0.0": b"gomp",
        f"{INFO}/sboms/auditwheel.cdx.json": audit,
    }

    found = documented(tmp_path, gomp, {})

    (one,) = json.loads(found[f"{INFO}/sboms/kinemesh.cdx.json"])["components"]
    assert {key: one[key] for key in told} == told
    assert one["licenses"] == GOMP["licenses"]


def test_a_library_whose_origin_nobody_knows_has_no_sbom(tmp_path):
    with pytest.raises(SystemExit, match=r"kinemesh\.libs/libodd-1\.so: where libodd is from"):
        documented(tmp_path, {"kinemesh.libs/libodd-1.so": b"odd"}, {"libgomp": GOMP})


def test_the_runtime_of_cuda_stands_in_the_sbom_where_it_is_linked_in(tmp_path):
    linked = b"...cudaErrorInvalidDeviceFunction..."
    found = documented(tmp_path, {"kinemesh/_cuda.abi3.so": linked}, {})

    (one,) = json.loads(found[f"{INFO}/sboms/kinemesh.cdx.json"])["components"]
    assert one["name"] == "cudart_static"
    assert one["licenses"][0]["license"]["name"] == "NVIDIA CUDA Toolkit EULA"
    assert one["evidence"]["occurrences"] == [{"location": "kinemesh/_cuda.abi3.so"}]


# ---------------------------------------------------------------- recipe, metadata


def test_the_recipe_of_conda_has_the_version_and_the_dependencies_of_the_package():
    recipe = (ROOT / "packaging/conda/recipe.yaml").read_text("utf-8")

    assert f'version: "{PROJECT["version"]}"' in recipe
    assert f"summary: {PROJECT['description']}\n" in recipe
    run = re.search(r"^  run:\n((?:    - .*\n)+)", recipe, re.M)[1]
    listed = {line.removeprefix("    - ").replace(" ", "") for line in run.splitlines()}
    wanted = {name.replace("matplotlib>", "matplotlib-base>") for name in PROJECT["dependencies"]}
    assert listed == {f"python{PROJECT['requires-python']}", *wanted}


def test_classifiers_name_the_versions_of_python_from_the_oldest_on():
    named = [each.rpartition(" :: ")[2] for each in PROJECT["classifiers"]
             if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", each)]  # fmt: skip

    oldest = int(PROJECT["requires-python"].removeprefix(">=3."))
    assert named == [f"3.{n}" for n in range(oldest, oldest + len(named))]
    assert len(named) > 1
