"""Results of ready cases, written into a clone, stay out of its commits."""

from fnmatch import fnmatch
from pathlib import Path

import kinemesh as km
import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.no_sanitizer
@pytest.mark.skipif(not (ROOT / ".gitignore").is_file(), reason="no clone")
def test_folders_of_ready_cases_are_ignored():
    lines = (ROOT / ".gitignore").read_text("utf-8").split()
    patterns = [line.strip("/") for line in lines if line.startswith("/")]
    names = [name + end for name in km.cases.names() for end in ("", "-flutter")]
    assert [n for n in names if not any(fnmatch(n, p) for p in patterns)] == []
