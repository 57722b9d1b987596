"""Inputs found by tools/fuzz.py are refused by typed errors, and the fuzzer detects bad readers."""

import gzip
import lzma
import subprocess
import sys
from pathlib import Path

import kinemesh as km
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.cases.stream import FlowPart
from scripts import script

TOOL = Path(__file__).parents[1] / "tools" / "fuzz.py"

pytestmark = pytest.mark.skipif(not TOOL.is_file(), reason="needs the sources' tools")


@pytest.fixture(scope="module")
def fuzz():
    return script("fuzz")


# ---------------------------------------------------------------- findings

MESHES = {
    # int() refuses more than 4300 digits by a bare ValueError
    "count of 5000 digits": (b"NPOIN= 6 6", b"NPOIN= " + b"9" * 5000, r"line 6: NPOIN= '9{40}',"),
    "count of Arabic digits": (b"NPOIN= 6 6", "NPOIN= ٦".encode(), r"line 6: NPOIN= '٦', expected"),
    "square overflows": (b"2.0 1e0 5", b"1e308 1e308 5", r"point 5 is .* at most 1e\+150"),
    "far away": (b"2.0 1e0 5", b"2.0 -1e151 5", r"point 5 is .* expected finite coordinates"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), MESHES.values(), ids=MESHES.keys())
def test_meshes_that_broke_the_reader_are_refused(fuzz, tmp_path, old, new, message):
    lines = fuzz.TINY.split(b"\n", 1)[1]  # without the comment
    assert old in lines
    (tmp_path / "m.su2").write_bytes(lines.replace(old, new))

    with pytest.raises(km.MeshError, match=message) as caught:
        km.mesh.read(tmp_path / "m.su2")

    assert len(str(caught.value)) < 400 + len(str(tmp_path))


@pytest.mark.parametrize("far", ["1e308", "-1e151", "9223372036854775807"])
def test_a_section_with_a_point_far_away_is_refused(fuzz, tmp_path, far):
    """The length along the section overflowed, or did not grow from there on."""
    text = fuzz.seeds("section")[0].decode()
    (tmp_path / "s.dat").write_text(text.replace("0.562500 0.032813", f"0.5625 {far}"))

    with pytest.raises(km.MeshError, match=r"s\.dat: a point at \(0\.5625, .*scale the file"):
        km.mesh.section(tmp_path / "s.dat")


CASES = {
    "nested lists": (b"mach = 0.6", b"mach = " + b"[" * 3000, r"nested too deeply"),
    "nested tables": (b"mach = 0.6", b"mach = " + b"{a=" * 3000, r"nested too deeply"),
    "5000 digits": (b"nodes = 4000", b"nodes = " + b"9" * 5000, r"not TOML: .*digits"),
    "hexadecimal": (b"mach = 0.6", b"mach = 0x" + b"f" * 5000, r"mach has an integer beyond 64"),
    "400 digits in a list": (b"[0.25, 0.0]\nchord", b"[" + b"9" * 400 + b", 0]\nchord",
                             r"moment_about has an integer beyond 64 bits"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), CASES.values(), ids=CASES.keys())
def test_case_files_that_broke_the_reader_are_refused(fuzz, tmp_path, old, new, message):
    assert old in fuzz.FULL
    (tmp_path / "c.toml").write_bytes(fuzz.FULL.replace(old, new))

    with pytest.raises(km.CaseError, match=message) as caught:
        Case.read(tmp_path / "c.toml")

    assert str(caught.value).startswith(f"{tmp_path / 'c.toml'}: ")


@pytest.mark.parametrize("value", [10**400, -(10**400)], ids=["above", "below"])
def test_a_number_beyond_float64_is_no_number(value):
    """From Python, where an int may have any length; float(10**400) raises OverflowError."""
    with pytest.raises(km.CaseError, match=r"\[flow\] mach = .*expected"):
        FlowPart(mach=value)
    with pytest.raises(km.SettingsError, match=r"pitch: k = .*expected a finite number"):
        km.motion.pitch(1.0, value)


# ---------------------------------------------------------------- the fuzzer


@pytest.mark.filterwarnings("ignore:.*turned counter-clockwise")
@pytest.mark.filterwarnings("ignore:.*inside out")
def test_the_good_inputs_of_the_fuzzer_are_good(fuzz, tmp_path):
    """Damage to what is refused anyway finds little."""
    pack = {"gz": gzip.compress, "xz": lzma.compress}
    for kind, suffix in fuzz.SUFFIX.items():
        for number, text in enumerate(fuzz.seeds(kind)[:3]):
            path = tmp_path / f"{number}{suffix}"
            path.write_bytes(pack.get(kind, bytes)(text))
            fuzz.read(kind, path)


def test_an_input_is_the_same_in_every_process(fuzz):
    command = [sys.executable, str(TOOL), "--seed", "7", "--show", "case", "12"]

    shown = subprocess.run(command, capture_output=True, check=True).stdout

    assert shown == fuzz.made("case", 7, 12)
    assert shown != fuzz.made("case", 7, 13)
    assert shown != fuzz.made("case", 8, 12)


@pytest.mark.parametrize("error", [ValueError, MemoryError, RecursionError, RuntimeWarning])
def test_what_is_no_error_of_ours_is_a_finding(fuzz, monkeypatch, tmp_path, error):
    def read(kind, path):
        raise error("broken")

    monkeypatch.setattr(fuzz, "read", read)

    signature, text = fuzz.attempt("su2", tmp_path / "m.su2")

    assert signature.startswith(f"su2 {error.__name__} ")
    assert "broken" in text


def test_an_error_of_ours_is_none(fuzz, tmp_path):
    assert fuzz.attempt("su2", tmp_path / "absent.su2") is None
