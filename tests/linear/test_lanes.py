"""Renewed rows of coarse levels by a team's lanes, as a GPU has them, in threads of a CPU."""

import shutil
import subprocess
from pathlib import Path

import pytest

CSRC, SOURCE = Path(__file__).parents[2] / "csrc", Path(__file__).with_name("lanes.c")

pytestmark = [
    pytest.mark.no_sanitizer,
    pytest.mark.skipif(
        not (CSRC.is_dir() and shutil.which("gcc")), reason="needs gcc and the C sources"
    ),
]


@pytest.mark.long
def test_lanes_that_share_a_row_have_the_sums_of_one_loop(tmp_path):
    program = tmp_path / "lanes"
    subprocess.run(
        ["gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", f"-I{CSRC}",
         str(SOURCE), "-o", str(program), "-pthread", "-lm"],
        check=True,
    )  # fmt: skip

    found = subprocess.run([program], capture_output=True, text=True, timeout=60)

    assert found.returncode == 0, found.stdout
