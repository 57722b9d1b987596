"""Bad inputs that no other test has: each ends in an error that says what, where and what to do.

Elsewhere: markers, counts, junk and damaged files in test_mesh_su2 and test_mesh_core; keys,
motions and time steps of case files in test_casefile; settings, runs, states and faults in
test_settings; devices in test_bind; folders in test_cli and test_folder; memory in test_memory.
"""

import re
import tracemalloc

import kinemesh as km
import numpy as np
import pytest
from kinemesh.io import restart, summary
from kinemesh.io.history import History
from solver_cases import on_devices, ring, square

GOOD = """NDIME= 2
NELEM= 2
5 0 1 2 0
5 0 2 3 1
NPOIN= 4
0 0 0
1 0 1
1 1 2
0 1 3
NMARK= 1
MARKER_TAG= all
MARKER_ELEMS= 4
3 0 1
3 1 2
3 2 3
3 3 0
"""


def stored(path, text):
    path.write_text(text, "utf-8")
    return path


# ---------------------------------------------------------------- mesh files


def test_the_good_mesh_is_good(tmp_path):
    assert km.mesh.read(stored(tmp_path / "m.su2", GOOD)).nodes == 4


def test_a_node_of_no_element_is_named_with_its_file(tmp_path):
    path = stored(tmp_path / "m.su2", GOOD.replace("NPOIN= 4", "NPOIN= 5\n5 5 9"))
    shifted = re.sub(r"^(5|3) (.*)$", lambda m: shift(m.group(0)), path.read_text(), flags=re.M)

    with pytest.raises(km.MeshError) as caught:
        km.mesh.read(stored(path, shifted))

    assert str(caught.value) == (
        f"{path}: node(s) 0 belong to no element, expected every node in one; remove them "
        "from the mesh"
    )


def shift(line):
    """An element line with its nodes one higher."""
    kind, *nodes = line.split()
    count = {"5": 3, "3": 2}[kind]
    return " ".join([kind, *(str(int(n) + 1) for n in nodes[:count])])


@pytest.mark.parametrize("count", ["NELEM= 2", "NPOIN= 4", "MARKER_ELEMS= 4"])
def test_a_count_larger_than_the_file_allocates_nothing(tmp_path, count):
    """10^12 lines would be terabytes; a file of 200 bytes is read in a few kilobytes."""
    key = count.split()[0]
    path = stored(tmp_path / "m.su2", GOOD.replace(count, f"{key} 1000000000000"))
    km.mesh.read(stored(tmp_path / "good.su2", GOOD))
    tracemalloc.start()

    try:
        with pytest.raises(km.MeshError, match="expected 1000000000000: the count is larger"):
            km.mesh.read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 2**20


def test_a_marker_count_larger_than_the_file_allocates_nothing(tmp_path):
    path = stored(tmp_path / "m.su2", GOOD.replace("NMARK= 1", "NMARK= 1000000000000"))

    with pytest.raises(km.MeshError, match=r"1 marker\(s\) \(all\), expected NMARK= 10000"):
        km.mesh.read(path)


# ---------------------------------------------------------------- states


@on_devices
def test_a_state_that_is_no_number_is_named_by_its_row(device):
    ale = km.Ale(square(6), mach=0.4, walls=[], device=device)
    bad = ale.primitive()
    bad[7, 2], bad[9, 0] = np.nan, np.inf

    with pytest.raises(km.SettingsError) as caught:
        ale.initialise(bad)

    assert re.fullmatch(
        r"initial state: row 7 is \[1\.0, 0\.4, nan, 0\.714\d*\], expected \(49, 4\) finite "
        r"numbers \(rho, u, v, p\), a row per node of the solver: 2 such row\(s\)",
        str(caught.value),
    )


@pytest.mark.parametrize("state", ["uniform", [["a"] * 4] * 49, None, [[1.0] * 3] * 49], ids=str)
def test_a_state_that_is_no_array_of_numbers_is_refused(state):
    ale = km.Ale(square(6), mach=0.4, walls=[], device="cpu")

    if state is None:
        ale.initialise(state)  # the free stream
        return
    with pytest.raises(km.SettingsError, match=r"initial state: shape .* expected \(49, 4\)"):
        ale.initialise(state)


# ---------------------------------------------------------------- runs that stop


def stopped(ale, folder, steps, **options):
    """(message, step it stopped at) of a run that a fault stops, its files checked.

    The history has every step before, and the restart the last multiple of 16 of them.
    """
    with pytest.raises(km.NumericalFault) as caught:
        ale.run(steps=steps, start="as is", out=folder, **options)
    text = str(caught.value)
    step = int(re.search(rf"\(step (\d+) of {steps}(, iteration \d+)?\)", text).group(1))
    history = History.read(folder / "history.csv")
    assert history["step"].tolist() == list(range(1, step))
    arrays, record = restart.read(folder / "restart.h5")
    assert record["step"] == 16 * ((step - 1) // 16)
    assert all(np.isfinite(arrays[name]).all() for name in ("u", "u1", "x"))
    assert summary.read(folder / "summary.json")["finished"] is None
    return text, step


@on_devices
def test_an_amplitude_that_inverts_the_mesh_stops_with_files_intact(tmp_path, device):
    """A body that turns by 4 degrees a step, with the graph that does not follow so far."""
    law = km.motion.function(lambda t: km.motion.Pose(np.radians(40.0) * t))
    ale = km.Ale(ring(20, 10), mach=0.3, motion=law, device=device, deform=km.deform.Delaunay())

    text, step = stopped(ale, tmp_path / "out", 60, time_step=0.1, preflight=False)

    assert re.fullmatch(
        r"member 0: (area of a cell or dual volume is not positive|an element of the Delaunay "
        r"graph folds) at node \d+ \(x = \S+, y = \S+\) \(step \d+ of 60\); try .*",
        text,
    )
    assert step > 16  # the restart is not the first one


@pytest.mark.filterwarnings("ignore:mach is 20:RuntimeWarning")
@on_devices
def test_a_cfl_number_that_the_flow_cannot_bear_is_told_by_unconverged_steps(device):
    """Mach 20 against a circle, impulsively, without limiter: no state turns negative,
    as updates are scaled, but no step converges."""
    settings = km.AleSettings(
        unsteady_cfl=1e4, cfl_max=1e4, max_change=0.4, limiter="none", unsteady_iterations=20
    )
    law = km.motion.pitch(2.0, 0.5)
    ale = km.Ale(ring(24, 12), mach=20.0, motion=law, device=device, settings=settings)

    with pytest.warns(RuntimeWarning) as told:
        run = ale.run(time_step=0.01, steps=10, start="as is", preflight=False)

    said = r"member 0: \d+ of 10 steps ended above the asked"
    assert any(re.match(said, str(warning.message)) for warning in told)
    assert run.summary["result"]["unconverged_steps"] > 5
    assert (run.history["converged"] == 0).sum() == run.summary["result"]["unconverged_steps"]


@pytest.mark.long
@on_devices
def test_a_pressure_that_turns_negative_stops_with_files_intact(tmp_path, device):
    """A node loses its energy on the way: what, where and when are told."""
    holder = []

    def law(t):
        if holder and 0.395 < t < 0.5:  # step 40 of 0.01; rates are asked for at the end, too
            (ale,) = holder
            u = ale.backend.get(ale.u)
            u[7, 3] = 0.01 * u[7, 3]
            ale.backend.put(ale.u, u)
        return km.motion.Pose()

    ale = km.Ale(ring(24, 12), mach=0.5, motion=km.motion.function(law), device=device)
    holder.append(ale)

    text, step = stopped(ale, tmp_path / "out", 60, time_step=0.01, preflight=False)

    assert re.fullmatch(
        r"member 0: pressure is not positive at node \d+ \(x = \S+, y = \S+\) "
        r"\(step \d+ of 60, iteration \d+\); try a smaller CFL number .*",
        text,
    )
    assert step in (40, 41)
