"""Markers choose tests for sanitizers, and these run every kernel in both precisions."""

import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest
from kinemesh.device.backend import kernels

pytestmark = pytest.mark.no_sanitizer
ROOT = Path(__file__).parents[2]
TOOLS = {  # script, device, and a file of tests that launch each kernel on its sample
    "sanitize.sh": ("host", "tests/device/test_modes.py"),
    "gpu.sh": ("cuda", "tests/device/test_kernels_agree.py"),
}


def chosen(script, file):
    """Names of the tests of a file that a script of tools/ runs: pytest -m "$chosen"."""
    (markers,) = re.findall(r"chosen='(.*)'", (ROOT / "tools" / script).read_text("utf-8"))
    options = ["--collect-only", "-q", "-p", "no:cacheprovider", "-o", "addopts=", "-m", markers]
    done = subprocess.run([sys.executable, "-m", "pytest", *options, file],
                          cwd=ROOT, capture_output=True, text=True, check=False)  # fmt: skip
    return done.stdout


@pytest.mark.long
@pytest.mark.parametrize("script", TOOLS)
def test_every_kernel_runs_under_the_sanitizers(script):
    device, file = TOOLS[script]

    launched = re.findall(rf"\[{device}-(f\d\d)-(\w+)[-\]]", chosen(script, file))

    assert {*itertools.product(("f32", "f64"), kernels())} - {*launched} == set()
