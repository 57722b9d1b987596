"""The history comes back from its file as it was, row by row."""

import math

import numpy as np
import pytest
from kinemesh.errors import CaseError
from kinemesh.io import STEADY, UNSTEADY, History, summary
from kinemesh.study.hysteresis import hysteresis


def row(step, member=0, **changes):
    values = dict.fromkeys(UNSTEADY, 0.1)
    values |= {
        "member": member,
        "step": step,
        "inner_iterations": 7,
        "converged": 1,
        "cl": math.pi / step,
    }
    return values | changes


def test_file_holds_every_row_as_soon_as_it_is_appended(tmp_path):
    history = History(path=tmp_path / "deep" / "history.csv")
    for step in (1, 2, 3):
        history.append(row(step))

        assert History.read(history.path).rows == step


def test_values_read_back_to_the_same_bits(tmp_path):
    history = History(path=tmp_path / "history.csv")
    rng = np.random.default_rng(3)
    for step in range(1, 20):
        history.append(row(step, cd=rng.normal() * 1e-17, cm=rng.normal() * 1e200))
    history.append(row(20, residual_drop=math.nan, min_area=math.inf))

    again = History.read(history.path)

    for name in UNSTEADY:
        np.testing.assert_array_equal(again[name], history[name])
        assert again[name].dtype == history[name].dtype
    assert again["step"].dtype == np.int64


def test_header_is_the_documented_one(tmp_path):
    History(path=tmp_path / "history.csv").close()

    assert (tmp_path / "history.csv").read_text() == (
        "member,step,time,cycle,phase_deg,alpha_deg,cl,cd,cm,inner_iterations,residual_drop,"
        "min_area,min_angle_deg,converged\n"
    )


def test_member_gives_the_rows_of_that_member_only():
    history = History()
    for step in (1, 2):
        for member in (0, 4):
            history.append(row(step, member))

    assert history.members == [0, 4]
    assert list(history.member(4).step) == [1, 2]
    assert set(history.member(4)["member"]) == {4}
    with pytest.raises(CaseError, match=r"no member 1; there are \[0, 4\]"):
        history.member(1)


def test_rows_of_a_member_go_on_as_rows_are_added():
    history = History()
    for step in (1, 2, 3):
        for member in (2, 0):
            history.append(row(step, member))
        assert list(history.member(0).step) == list(range(1, step + 1))
        assert history.members == [0, 2]


def test_rows_are_sorted_by_member_once(monkeypatch):
    """However many members ask for theirs."""
    history, sorts = History(), []
    sort = np.argsort
    monkeypatch.setattr(np, "argsort", lambda *a, **more: sorts.append(a) or sort(*a, **more))
    for member in range(20):
        history.append(row(1, member))

    for member in range(20):
        assert history.member(member).rows == 1

    assert len(sorts) == 1


def test_blocks_of_rows_have_the_text_of_rows_one_by_one(tmp_path):
    """Down to the sign of zero, which is not one number with the other zero."""
    rng = np.random.default_rng(1)
    columns = {name: rng.normal(size=6) * 10.0 ** rng.integers(-300, 300, 6) for name in UNSTEADY}
    columns |= {"member": np.arange(6), "step": np.full(6, 7), "converged": np.arange(6) > 2}
    columns |= {"inner_iterations": np.full(6, 3), "cycle": np.full(6, 0.1), "cd": np.zeros(6)}
    columns |= {"min_area": np.array([0.0, -0.0] * 3), "min_angle_deg": np.full(6, np.nan)}
    columns["cm"][:3] = math.inf, -math.inf, 1e16
    block, single = (tmp_path / name for name in ("block.csv", "single.csv"))

    with History(path=block) as whole, History(path=single) as parts:
        whole.extend(columns)
        whole.extend({name: values[:0] for name, values in columns.items()})
        for k in range(6):
            parts.append({name: values[k] for name, values in columns.items()})

    assert block.read_bytes() == single.read_bytes()
    floats = [name for name in UNSTEADY if columns[name].dtype == float]
    for k, line in enumerate(block.read_text().splitlines()[1:]):
        told = dict(zip(UNSTEADY, line.split(","), strict=True))
        assert {name: told[name] for name in floats} == {
            name: repr(float(columns[name][k])) for name in floats
        }
        assert (told["member"], told["step"], told["converged"]) == (str(k), "7", str(int(k > 2)))
    assert len(whole["cl"]) == 6


def test_columns_are_read_only_and_renewed_by_append():
    history = History()
    history.append(row(1))

    before = history["cl"]
    history.append(row(2))

    assert len(before) == 1
    assert len(history.cl) == 2
    with pytest.raises(ValueError, match="read-only"):
        before[0] = 0


def test_resume_cuts_later_rows_in_the_file_too(tmp_path):
    with History(path=tmp_path / "history.csv") as history:
        for step in range(1, 6):
            history.append(row(step))

    resumed = History.resume(tmp_path / "history.csv", step=3)
    resumed.append(row(4, cl=-1.0))

    assert list(History.read(tmp_path / "history.csv").step) == [1, 2, 3, 4]
    assert History.read(tmp_path / "history.csv").cl[-1] == -1.0


def test_steady_history_is_known_by_its_header(tmp_path):
    with History(STEADY, tmp_path / "history.csv") as history:
        history.append(member=0, iteration=1, residual=1.0, cl=0.1, cd=0.2, cm=0.3, cfl=5.0)

    assert History.read(tmp_path / "history.csv").kind == "steady"


def test_wrong_rows_are_refused():
    history = History()

    with pytest.raises(CaseError, match=r"misses \['cl'\] and has unknown \['lift'\]"):
        history.append({k: v for k, v in row(1).items() if k != "cl"}, lift=1)
    with pytest.raises(CaseError, match=r"step = 1\.5, expected an integer"):
        history.append(row(1.5, cl=0))
    with pytest.raises(CaseError, match="converged = 2, expected 0 or 1"):
        history.append(row(1, converged=2))
    with pytest.raises(KeyError, match="did you mean 'alpha_deg'"):
        history["alpha"]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "not a history"),
        ("a,b\n1,2\n", "expected the header"),
        (",".join(STEADY) + "\n0,1,2.0\n", "row 2 has 3 values, expected 7"),
        (",".join(STEADY) + "\n0,1,x,0,0,0,0\n", "row 2: history: residual = 'x'"),
    ],
)
def test_damaged_files_are_refused(tmp_path, text, word):
    (tmp_path / "history.csv").write_text(text)

    with pytest.raises(CaseError, match=word):
        History.read(tmp_path / "history.csv")
    with pytest.raises(CaseError, match="cannot read"):
        History.read(tmp_path / "missing.csv")


# ---- members that failed ------------------------------------------------------------------


def beside(folder, members=(0, 1)):
    """A history of four steps of each member, of whom 1 and 2 failed by the summary beside it."""
    with History(path=folder / "history.csv") as history:
        for step in range(1, 5):
            for m in members:
                history.append(row(step, m, cycle=step / 4, phase_deg=90.0 * (step % 4)))
    told = [{"member": m, "text": f"member {m}: it broke"} for m in (1, 2)]
    made = summary.collect("unsteady", "cpu", "float64", {"mach": 0.8}, {"nodes": 1}, {}, {}, {})
    summary.write(folder / "summary.json", made | {"failed": told})
    return folder / "history.csv"


def test_a_history_tells_from_the_summary_beside_it_who_failed(tmp_path):
    history = History.read(beside(tmp_path))

    assert history.failed == {1: "member 1: it broke", 2: "member 2: it broke"}
    assert "2 failed, 8 rows" in repr(history)
    assert history.member(1).failed == {1: "member 1: it broke"}
    assert history.member(0).failed == {}
    with pytest.raises(CaseError, match=r"there are \[0, 1\] \(member 2: it broke\)"):
        history.member(2)


def test_a_loop_of_a_member_that_failed_is_refused_from_the_file_alone(tmp_path):
    path = beside(tmp_path)

    assert hysteresis(path, 0).steps == 4
    for source in (path, History.read(path)):
        with pytest.raises(CaseError, match="failed: member 1: it broke"):
            hysteresis(source, 1)


def test_a_history_without_a_summary_of_its_own_knows_of_no_failure(tmp_path):
    path = beside(tmp_path)
    other = path.rename(tmp_path / "other.csv")
    assert History.read(other).failed == {}
    other.rename(path)
    (tmp_path / "summary.json").write_text("{")

    with pytest.warns(RuntimeWarning, match="whether members failed, .* is not known: .*not JSON"):
        assert History.read(path).failed == {}
    (tmp_path / "summary.json").unlink()
    assert History.read(path).failed == {}
