"""Packages on the path, with the metadata that pip writes of them."""

import tomllib
from pathlib import Path

NOZZLE = Path(__file__).parent / "packages" / "nozzle"


def metadata(folder, name, version, points):
    """Metadata of a package in a folder of the path; `points`: {group: {name: value}}."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [
        line
        for group, each in points.items()
        for line in (f"[{group}]", *(f"{one} = {value}" for one, value in each.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return info


def installed(folder, package=NOZZLE):
    """Entries of the path with which a package of tests/packages is as if it were installed."""
    project = tomllib.loads((package / "pyproject.toml").read_text("utf-8"))["project"]
    metadata(folder, project["name"], project["version"], project["entry-points"])
    return [str(folder), str(package / "src")]
