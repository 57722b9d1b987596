"""Tenants are short, and name nothing private."""

from pathlib import Path

import limits
import pytest

HERE = Path(__file__).parent


@pytest.mark.parametrize("name", limits.LINES)
def test_a_tenant_is_short_and_names_nothing_private(name):
    limits.check(HERE / f"{name}.py")


def test_a_long_tenant_and_one_with_a_private_name_are_seen(tmp_path):
    long, private = (tmp_path / name / "test_wall.py" for name in ("long", "private"))
    for path, text in ((long, "pass\n" * 61), (private, "from kinemesh import _core\n")):
        path.parent.mkdir()
        path.write_text(text)
        with pytest.raises(AssertionError):
            limits.check(path)
