"""kinemesh bench --loops: figures, the model, the winners, wrong input."""

import argparse
import json
from functools import lru_cache

import numpy as np
import pytest
from kinemesh import bench, cli
from kinemesh.bench import joules, timing
from kinemesh.bench.loops import ROW_TITLES, model, pairs
from kinemesh.bench.loops.lattice import lattice
from kinemesh.bench.loops.orders import put_in
from kinemesh.bench.loops.procedures import ROWS
from kinemesh.bench.loops.report import report
from kinemesh.bench.loops.study import Study
from kinemesh.bench.loops.topology import measured
from kinemesh.bench.loops.touches import Touch, Touches, count, itself, listed, sectors, table
from kinemesh.bench.table import KEYS, LOOP_KEYS, markdown, read
from kinemesh.device.backend import Backend
from kinemesh.errors import DeviceError, SettingsError
from kinemesh.flow import memory

SMALL = ("--device", "cpu", "--repeat", "1", "--cells", "1000")


def arguments(*words):
    parser = argparse.ArgumentParser()
    bench.add_arguments(parser)
    return parser.parse_args(words)


@pytest.fixture(autouse=True)
def _no_copies(monkeypatch):
    """Copies of 128 MiB and readings of 20 ms take longest."""
    monkeypatch.setattr(timing, "copy_bandwidth", lambda backend: 1e10)
    monkeypatch.setattr(timing, "SPAN", 1e-4)


# ---------------------------------------------------------------- figures


def test_every_row_has_a_figure_with_every_key_and_a_line_in_the_table(tmp_path, capsys):
    path = tmp_path / "figures.json"
    words = ("--loops", "--mesh", "mixed,triangles", "--order", "shuffled", *SMALL)

    assert bench.main(arguments(*words, "--json", str(path))) == 0

    out = capsys.readouterr().out
    figures = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert len(figures) == 2 * len(ROWS)
    assert {f["row"] for f in figures} == {row.name for row in ROWS}
    for f in figures:
        assert sorted(f) == sorted([*KEYS, *LOOP_KEYS])
        assert f["method"] == "loops"
        assert f["row"] == f"{f['procedure']}-{f['loops']}"
        assert f["order"] == "shuffled"
        assert f["faces"] > f["nodes"] > 800  # a lattice of whole hexahedra
        assert 0 < f["least"] <= f["seconds"]
        assert f["bytes"] > 0
        assert f["predicted"] is None, "a model of a GPU"
        assert f["joules_per_million_cells"] is None, "--seconds asks for them"
        assert f["repeatable"] == next(r for r in ROWS if r.name == f["row"]).repeatable
    assert {f["mesh"] for f in figures} == {"mixed", "triangles"}
    assert out.count("no model") == len(figures)
    assert "mixed, " in out
    assert "is fastest" in out
    text = markdown(read([path]))
    assert text.count("\n| ") == 2 + len(figures)  # head, line below it
    assert all(ROW_TITLES[f["row"]] in text for f in figures)


def test_modes_and_rows_choose_rows(capsys):
    bench.main(arguments("--loops", "nodes,cells", "--mesh", "tets", "--rows",
                         "node-values,extrema", "--order", "natural,hilbert", *SMALL))  # fmt: skip

    lines = [line for line in capsys.readouterr().out.splitlines() if " tets " in line]
    assert len(lines) == 2 * 3
    assert sum("hilbert" in line for line in lines) == 3


def test_scatters_alone_are_not_repeatable_but_for_extrema():
    scatters = {row.name for row in ROWS if not row.repeatable}

    assert scatters == {
        "residual-atomics", "flux-sum-faces", "gradient-faces", "gradient-nodes",
        "node-values-faces", "node-values-cells",
    }  # fmt: skip


# ---------------------------------------------------------------- the model


@lru_cache(maxsize=2)
def prisms(order):
    top = lattice("prisms", 3000)
    new, by = put_in(top, order)
    return Study(Backend("cpu"), new, measured(top).numbered(by))


def test_sectors_are_those_counted_by_hand():
    forty = np.array([0, 1, 2, 3])  # bytes 0 to 160: five sectors, of records two each

    assert sectors(40, forty, shared=True) == 5
    assert sectors(40, forty, shared=False) == 8
    assert sectors(8, np.array([0, 3, 4, 4]), shared=True) == 2
    assert sectors(120, np.array([1]), shared=True) == 5  # bytes 120 to 240
    assert sectors(32, np.arange(9), shared=False) == 9
    assert sectors(4, np.array([], int), shared=True) == 0


def test_a_warp_moves_a_sector_once_and_reduces_each_record():
    pairs_of = np.stack([np.arange(64) // 2, np.arange(64)], axis=1)
    touched = [Touch("read", 8, table(pairs_of)), Touch("write", 16, itself),
               Touch("reduce", 8, table(pairs_of))]  # fmt: skip

    found = count(Touches(64, touched))

    # the first warp reads the records 0 to 31, the other 16 to 63: 8 and 12 sectors of four
    assert found == {"read": 8 + 12, "write": 32, "reduce": 128}


def test_a_call_of_many_warps_is_sampled_to_within_a_share():
    rng = np.random.default_rng(0)
    offsets = np.arange(0, 4 * 100_000 + 1, 4)
    touched = [Touch("read", 40, listed(offsets, rng.integers(0, 10**6, 400_000)))]

    # no two of a warp's 128 records share a sector, but one in a thousand
    assert count(Touches(100_000, touched))["read"] == pytest.approx(8 * 100_000, rel=0.01)


def test_seconds_are_those_of_the_slower_of_memory_and_cache():
    machine = model.Machine(copies=1e9, gathers=1e6, reductions=5e5)
    touched = [Touches(32, [Touch("read", 32, itself), Touch("reduce", 32, itself)])]
    cache = 32 / 1e6 + 32 / 5e5

    assert machine.predicted(1000, touched, 1) == pytest.approx(cache + 1e-6)
    assert machine.predicted(10**6, touched, 2) == pytest.approx(1e-3 + 2e-6)


GATHERS = [row for row in ROWS if row.touches and row.name != "flux-sum-faces"]


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.parametrize("row", GATHERS, ids=lambda row: row.name)
def test_items_in_random_order_touch_more_sectors(row):
    """Neighbours in memory share sectors."""
    found = {}
    for order in ("natural", "random"):
        study = prisms(order)
        each = [count(t) for t in row.touches(study)]
        found[order] = sum(f["read"] + f["write"] for f in each)
        reduced = sum(f["reduce"] for f in each)
        assert (reduced > 0) == (row.name in SCATTERS)

    assert found["random"] > 1.05 * found["natural"]


SCATTERS = {row.name for row in ROWS if not row.repeatable} | {"extrema-faces"}


def test_constants_are_measured_where_they_are_asked_for(host):
    found = model.constants(host, 1e10, 1, records=500, items=2000)

    assert found.copies == 1e10
    assert 1e4 < found.gathers < 1e13
    assert 1e4 < found.reductions < 1e13
    assert model.machine(host, 1e10, 1) is None


# ---------------------------------------------------------------- winners


def figures_of(procedure, **seconds):
    shared = {"mesh": "tets", "nodes": 1000, "order": "natural", "procedure": procedure}
    return [shared | {"loops": loops, "seconds": s} for loops, s in seconds.items()]


def test_the_report_names_the_winner_and_how_far_the_default_is_behind():
    (close,) = report(figures_of("residual", store=1.05e-3, atomics=1.0e-3))
    (far,) = report(figures_of("residual", store=1.2e-3, atomics=1.0e-3))
    (first,) = report(figures_of("residual", store=1e-3, atomics=2e-3))

    assert "atomics is fastest (1 ms), the default, store, takes 5 % more" in close
    assert "more than 10 %" not in close
    assert "the default, store, takes 20 % more, more than 10 %" in far
    assert "store is fastest (1 ms)" in first
    assert "default" not in first


def test_one_thread_wins_by_its_own_time():
    """Others on the machine make the wall's time longer, not that of the processor."""
    found = [
        f | {"threads": threads, "process": 2e-3 - f["seconds"]}
        for threads in (1, 2)
        for f in figures_of("residual" if threads == 1 else "extrema", store=5e-4, cells=1e-3)
    ]
    one, two = report(found)

    assert "cells is fastest (1 ms)" in one
    assert "store is fastest (0.5 ms)" in two


def test_the_report_has_the_papers_ratios_beside_ours():
    (line,) = report(figures_of("gradient", faces=2e-3, cells=1e-3, nodes=8e-3))

    assert "cells / faces 0.50 (V100 in the paper: above 2)" in line
    assert "nodes / faces 4.00 (V100 in the paper: above 15)" in line


def test_other_numbers_do_not_win():
    (line,) = report(
        figures_of("gradient", faces=2e-3, cells=1e-3) + [
            f | {"loops": "least-squares", "seconds": 1e-4}
            for f in figures_of("gradient", faces=0)
        ]
    )  # fmt: skip

    assert "cells is fastest" in line


def test_joules_are_counted_where_seconds_are_given(monkeypatch, capsys, tmp_path):
    path = tmp_path / "figures.json"
    counts = iter([
        joules.Count(times=1000, seconds=2.0, joules=150.0, over=1.5),
        joules.Count(times=10, seconds=2.0, why="no counter here"),
    ])  # fmt: skip
    monkeypatch.setattr(joules, "counted", lambda backend, work, seconds: next(counts))
    bench.main(arguments("--loops", "--mesh", "tets", "--rows", "extrema", "--seconds", "2",
                         *SMALL, "--json", str(path)))  # fmt: skip

    first, second = read([path])
    # 100 W for 2 ms, and 750 cells
    assert first["joules_per_million_cells"] == pytest.approx(0.2 / first["nodes"] * 1e6)
    assert second["joules_per_million_cells"] is None
    out = capsys.readouterr().out
    assert out.count("no joules: no counter here") == 1
    assert f"{0.2 / first['nodes'] * 1e6:.3f}" in out


# ---------------------------------------------------------------- pairs


def test_both_loops_over_a_cloud_give_the_derivative(backend):
    made = pairs.Derivative(backend, 600)
    backend.put(made.p, made.x @ [0.3, -0.2] + 1.0)
    found = []
    for calls in (made.by_points(), made.by_pairs()):
        backend.put(made.slope, np.nan)
        backend.record(calls)()
        found.append(backend.get(made.slope).astype(float))

    # differences of numbers of order one over the shortest way, 0.01 chords or so
    size = np.abs(backend.get(made.fields["weights"]).astype(float)).max()
    far = np.abs(made.x).max()
    assert np.abs(found[0] - 0.3).max() <= 20 * backend.eps * size * far
    assert np.abs(found[0] - found[1]).max() <= 20 * backend.eps * size * far


def test_the_loop_over_pairs_is_left_to_one_thread(monkeypatch, capsys):
    monkeypatch.setattr(pairs, "SIZES", (600,))
    words = ("--loops", "--rows", "pairs", "--device", "cpu", "--repeat", "1")
    for threads in (2, 1):
        monkeypatch.setattr(Backend, "describe",
                            lambda self, n=threads: {"device": "cpu", "threads": n})  # fmt: skip
        bench.main(arguments(*words))
        out, err = capsys.readouterr()
        if threads > 1:
            assert "pairs left out: the loop over pairs is one thread's" in err
            assert "derivative" not in out
        else:
            assert "derivative, by pairs" in out
            assert "by points / by pairs" in out
            assert "3142 points: 1.39)" in out


# ---------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--loops", "--cells", "0"), "cells: '0', expected whole numbers of at least 1000"),
        (("--loops", "--cells", "1e6"), "cells: '1e6', expected whole numbers"),
        (
            ("--loops", "--mesh", "wing-tets,prisms", "--cells", "50000"),
            "of at least 54000 of wing-",
        ),
        (("--loops", "--mesh", "wing"), "mesh: unknown 'wing'.*wing-hexes, wing-prisms, wing-tets"),
        (("--loops", "fast"), "loops: unknown 'fast'.*store, recompute, atomics, colours"),
        (("--loops", "stored"), "loops: unknown 'stored'; did you mean 'store'"),
        (("--loops", "--mesh", "hexes"), "mesh: unknown 'hexes'.*triangles, prisms, tets, mixed"),
        (("--loops", "--mesh", "prism"), "mesh: unknown 'prism'; did you mean 'prisms'"),
        (("--loops", "--order", "sorted"), "order: unknown 'sorted'.*natural, rcm, hilbert"),
        (("--loops", "--rows", "gradients"), "rows: unknown 'gradients'; did you mean 'gradient'"),
        (("--loops", "store", "--rows", "extrema"), "no row of extrema is by store; expected some"),
        (("--loops", "--repeat", "0"), "repeat is 0"),
        (("--loops", "--sizes", "5000"), "sizes: without --loops"),
        (("--loops", "--overset"), "overset: without --loops"),
        (("--loops", "--seconds", "0.2"), "seconds is 0.2, expected at least 1"),
        (("--loops", "--cpu-watts", "80"), "cpu-watts: not with --loops"),
        (("--cells", "5000"), "cells: only with --loops"),
        (("--order", "rcm"), "order: only with --loops"),
        (("--table", "a.json", "--loops"), "--table draws what was measured"),
    ],
)
def test_what_cannot_be_measured_is_refused(words, message):
    with pytest.raises(SettingsError, match=message):
        bench.main(arguments("--device", "cpu", *words))


def test_more_cells_than_memory_are_refused_before_any_is_made(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda backend: 2**30)
    monkeypatch.setattr("kinemesh.bench.loops.lattice", None)  # nothing is made

    with pytest.raises(DeviceError, match=r"9000000 cells of tets need about .* GiB on cpu, 1 GiB "
                       "are free; choose smaller --cells"):  # fmt: skip
        bench.main(arguments("--device", "cpu", "--loops", "--mesh", "tets", "--cells", "9000000"))


def test_the_program_refuses_in_a_sentence(capsys):
    assert cli.main(["bench", "--loops", "fast", "--device", "cpu"]) == 2
    assert "loops: unknown 'fast'" in capsys.readouterr().err
