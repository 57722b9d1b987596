"""Print the oldest dependencies that kinemesh takes, for pip: python tools/floors.py [EXTRA ...]

What `name>=version` of pyproject.toml says, as `name==version`; `.ci/run` runs tests on them.
"""

import sys
import tomllib
from pathlib import Path

FILE = Path(__file__).parents[1] / "pyproject.toml"


def floors(extras: list[str]) -> list[str]:
    """Requirements of the package and of extras, each at its least version."""
    project = tomllib.loads(FILE.read_text("utf-8"))["project"]
    optional = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(one for extra in extras for one in optional[extra])]
    found = []
    for one in wanted:
        if one.count(">=") != 1 or "," in one:
            raise SystemExit(f"pyproject.toml: {one!r}, expected name>=version")
        found.append(one.replace(">=", "=="))
    return found


if __name__ == "__main__":
    print("\n".join(floors(sys.argv[1:])))
