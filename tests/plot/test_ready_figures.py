"""Every figure of every ready case, from a run of few steps: nothing empty, cut or over another."""

from pathlib import Path

import figures
import kinemesh as km
import pytest
from kinemesh import cases

pytestmark = [
    pytest.mark.no_sanitizer,
    pytest.mark.slow,
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore"),  # of runs of few steps
]


def short(name):
    """A ready case on its smallest mesh, in few steps."""
    case = cases.load(name).replace(device="cpu")
    of_file = getattr(case.mesh, "file", None)  # parts over one another have none
    case = case if of_file else case.replace(nodes="coarse")
    if case.mode == "steady":
        return case.changed(["solver.steady_iterations=4"])
    case = case.replace(preflight=False)
    if case.job.time_step is not None:
        return case.changed(["run.steps=20"])
    until = None if case.free else "cycles"  # a body on springs has no cycle
    return case.replace(cycles=1, steps_per_cycle=16, until=until)


@pytest.mark.parametrize("name", cases.names())
def test_figures_of_a_ready_case_have_room_and_something_to_show(name, tmp_path, monkeypatch):
    found = {}

    def look(figure, path):
        Path(path).touch()
        found[Path(path).name] = figures.empty(figure), figures.overlaps(figure)

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", look)
    short(name).replace(out=str(tmp_path)).run(overwrite=True)

    made = km.plot.from_directory(tmp_path, complete=False)

    assert found == {path.name: ([], []) for path in made if path.suffix == ".png"}
    assert {"mesh.png"} <= set(found)
