"""No figure is empty: those of sweeps are of what the cases have, and are left out without it."""

import figures
import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import CaseError
from test_sweep_plot import by_time, over_one, steady, sweep

NAN = np.nan


def of_motion(damping, thrust, power, efficiency, one=False):
    """A sweep by cycles whose cases have these numbers, over two parameters or over one."""
    found = sweep().rename(mach="parts.wing.motion.plunge.k", k="parts.wing.motion.pitch.k")
    found = found.assign_coords(mach=0.3)
    numbers = {"damping": damping, "thrust": thrust, "power_in": power, "efficiency": efficiency}
    rise = 1 + 0.1 * found["state"].cumsum(found["state"].dims[0])
    lift = {"cl_amplitude": rise, "cm_amplitude": 0.1 * rise}
    made = found.assign({name: value * rise for name, value in numbers.items()} | lift)
    return made.isel({found["state"].dims[1]: [1]}) if one else made


KINDS = {
    "pitch": ((0.1, -0.01, 0.2, NAN), ["damping"]),
    "plunge": ((0.1, 0.2, 0.4, 0.5), ["damping", "thrust", "power_in", "efficiency"]),
    "both": ((NAN, 0.2, 0.4, 0.5), ["thrust", "power_in", "efficiency"]),
    "both, drag": ((NAN, -0.2, 0.4, NAN), ["thrust", "power_in"]),
    "by a function": ((NAN,) * 4, ["cl_amplitude", "cm_amplitude"]),
}


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore:left out, having failed:UserWarning")
def test_maps_of_a_sweep_are_of_what_its_motion_has(kind, tmp_path, monkeypatch, looked):
    (tmp_path / "sweep.json").touch()
    numbers, names = KINDS[kind]
    monkeypatch.setattr("kinemesh.results.open", lambda folder: of_motion(*numbers))

    made = km.plot.from_directory(tmp_path)

    assert [path.stem for path in made] == ["hysteresis", *(f"map-{name}" for name in names)]
    assert looked == {path.name: [] for path in made}


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore:left out, having failed:UserWarning")
def test_lines_of_a_sweep_over_one_parameter_are_of_what_its_motion_has(
    kind, tmp_path, monkeypatch, looked
):
    (tmp_path / "sweep.json").touch()
    numbers, names = KINDS[kind]
    found = of_motion(*numbers, one=True)
    monkeypatch.setattr("kinemesh.results.open", lambda folder: found)

    assert [path.stem for path in km.plot.from_directory(tmp_path)] == ["hysteresis", "lines"]

    assert looked == {"hysteresis.png": [], "lines.png": []}
    panels = figures.panels(km.plot.sweep_lines(found))
    shown = names if "cl_amplitude" in names else [*names, "cl_amplitude", "cm_amplitude"]
    assert len(panels) == len(shown)


@pytest.mark.parametrize(
    "found", [by_time(), over_one(), steady("cl", "cd"), steady("cl")],
    ids=["by time", "by time over one", "steady", "one load"],
)  # fmt: skip
def test_figures_of_sweeps_without_a_cycle_have_no_empty_panel(
    found, tmp_path, monkeypatch, looked
):
    (tmp_path / "sweep.json").touch()
    monkeypatch.setattr("kinemesh.results.open", lambda folder: found)

    made = km.plot.from_directory(tmp_path)

    assert looked == {path.name: [] for path in made}


def test_a_sweep_without_a_damping_has_no_map_of_it(tmp_path, monkeypatch, looked):
    (tmp_path / "sweep.json").touch()
    monkeypatch.setattr("kinemesh.results.open", lambda folder: of_motion(NAN, NAN, 0.4, NAN))
    monkeypatch.setattr("kinemesh.plot.sweeps.MOST", 0)

    assert [path.stem for path in km.plot.from_directory(tmp_path)] == ["map-power_in"]

    assert looked == {"map-power_in.png": []}


def test_a_map_of_what_no_case_has_is_refused_with_what_they_have():
    found = of_motion(NAN, 0.2, 0.4, NAN)

    with pytest.raises(CaseError, match=r"number of 'damping', so .* of .*thrust, power_in"):
        km.plot.sweep_map(found, "damping")


@pytest.mark.long  # texts have their places once the figure is laid out
def test_keys_of_case_files_are_told_in_words():
    found = of_motion(NAN, 0.2, 0.4, 0.5)

    figure = km.plot.sweep_map(found)

    told = [own.get_text() for own, _ in figures.texts(figure)]
    assert {"wing plunge k", "wing pitch k", "Mach 0.3", "mean thrust coefficient"} <= set(told)
    assert not any("motion" in text for text in told)
    assert figures.overlaps(figure) == []


@pytest.mark.parametrize("ends", [(), ("mass_flow_in", "loss")])
def test_a_sweep_of_a_channel_without_walls_is_of_its_ends(ends, tmp_path, monkeypatch, looked):
    (tmp_path / "sweep.json").touch()
    found = steady("cl", "cd", "cm")
    flows = {name: 0.4 + 0.1 * found["state"] for name in ends}
    still = found.assign({name: 0 * found[name] for name in ("cl", "cd", "cm")} | flows)
    monkeypatch.setattr("kinemesh.results.open", lambda folder: still)

    if not ends:
        with pytest.raises(CaseError, match="no figures, as"):
            km.plot.from_directory(tmp_path)
        return
    km.plot.from_directory(tmp_path)

    assert looked == {"lines.png": []}
    shown = [panel.get_ylabel() for panel in figures.panels(km.plot.sweep_lines(still))]
    assert shown == ["mass flow in", "loss"]


def test_what_ran_without_a_number_has_no_mark_at_the_foot():
    found = of_motion(NAN, 0.2, 0.4, 0.5, one=True)
    lost = found["efficiency"].copy()
    lost[3] = NAN  # it ran, did not converge, and is not propelled

    panel = figures.panels(km.plot.sweep_lines(found.assign(efficiency=lost)))[2]

    at = found["state"].coords[found["state"].dims[0]].values
    marked = np.concatenate([line.get_xdata() for line in panel.lines if line.get_marker() in "os"])
    finite = np.concatenate([line.get_ydata() for line in panel.lines if line.get_marker() in "os"])
    assert at[3] in marked
    assert at[3] not in marked[np.isfinite(finite)]
