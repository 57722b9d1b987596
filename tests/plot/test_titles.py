"""Titles of figures that are made in Python: those of the shell, of results that know their run."""

from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace

import kinemesh as km
import made_up
import numpy as np
import pytest
from kinemesh import plot
from kinemesh.plot.titles import in_common, title_of
from kinemesh.results.along_walls import Wall
from kinemesh.results.boundary_layers import Layer
from kinemesh.results.pressures import Pressures
from kinemesh.results.spanwise import Spanwise
from kinemesh.study.convergence import Convergence
from made_up import folder
from two_runs import loop_run, sine, steady_run

pytestmark = pytest.mark.no_sanitizer
NONE = np.zeros(4)
FRICTION = import_module("kinemesh.plot.friction")  # whose name in the package is a function


def titled(figure):
    """Title over a figure, or over its first panel."""
    return figure.get_suptitle() or figure.axes[0].get_title(loc="left")


def case(title="A case", mach=0.8, kind="steady", **more):
    """A run of one member, as far as titles need it."""
    member = {"converged": np.ones(3), "cycle": np.ones(3), "time": np.arange(3.0)}
    return SimpleNamespace(
        summary={"case": {"title": title}, "conditions": {}},
        asked=lambda: [{"mach": mach, "alpha_deg": 0.0}],
        members=1,
        out="folder",
        history=SimpleNamespace(kind=kind, by_time=True, member=lambda m: member),
        fields=lambda member: more.get("flow"),
    )


def results(source):
    """One of each result that is drawn by itself, and the function that draws it."""
    x = np.array([1.0, 0.5, 0.0, 0.5])
    y = np.array([0.0, -0.1, 0.0, 0.1])
    own = Pressures(x, y, NONE, NONE[None], NONE, np.ones((1, 4)) + 0j, None, None, True)
    wall = Wall(x, y, *[NONE + 0.1] * 4)
    layer = Layer(0.5, 0.0, 0.003, np.array([0.0, 1, 9, 20]), np.array([0.0, 1, 8, 12]), None)
    return {
        "unsteady_pressures": {"body": replace(own, source=source)},
        "sections": {"body": replace(own, source=source)},
        "layers": {"above": replace(layer, source=source)},
        "friction": {"body": replace(wall, source=source)},
    }


@pytest.mark.parametrize("name", ["unsteady_pressures", "sections", "layers", "friction"])
def test_results_of_a_run_are_drawn_with_its_title(name, monkeypatch):
    monkeypatch.setattr(FRICTION, "unit_of", lambda *_: plot.units.Unit(0.5))
    own = results((case(), 0))[name]
    draw = getattr(plot, name)

    assert titled(draw(own)) == "A case\nMach 0.8, alpha 0 deg"
    assert titled(draw(own, title="mine")) == "mine"
    assert titled(draw(own, title="")) in ("", "mean", "body")
    assert titled(draw(results(None)[name])) in ("", "mean", "body")


def test_friction_of_a_run_is_in_its_chords(monkeypatch):
    own = results((case(), 0))["friction"]
    asked = []
    unit = plot.units.Unit(0.5, "diameter")
    monkeypatch.setattr(FRICTION, "unit_of", lambda run, flow: asked.append(flow) or unit)
    source = case(flow="the flow"), 0

    axes = plot.friction({"body": replace(own["body"], source=source)}).axes[0]

    assert asked == ["the flow"]
    assert axes.get_xlabel() == "$x/d$"
    assert max(line.get_xdata().max() for line in axes.lines if len(line.get_xdata()) > 2) == 2.0


def test_loops_of_a_folder_have_the_title_of_its_case(tmp_path):
    run = km.open(folder(tmp_path, name="cylinder-towed"))
    title = title_of(run, 0)
    loop = run.loop()

    assert title.startswith("cylinder-towed")
    assert titled(loop.plot()) == titled(plot.cycle(loop)) == title
    assert titled(km.hysteresis(tmp_path).plot()) == titled(km.hysteresis(run).plot()) == title
    assert loop.plot(title="").get_suptitle() == ""
    assert km.hysteresis(tmp_path / "history.csv").plot().get_suptitle() == ""


def test_the_load_along_a_span_has_the_title_and_the_mark_of_its_run(monkeypatch):
    flow = SimpleNamespace(phase_deg=np.nan, time=2.5, incompressible=False)
    monkeypatch.setattr("kinemesh.plot.spans.unit_of", lambda *_: plot.units.Unit(1.0))
    monkeypatch.setattr("kinemesh.plot.spans.unconverged", lambda *_: "did not converge")
    eta = np.linspace(0, 1, 4)
    load = Spanwise(*[eta] * 10, length=1.0, area=1.0)
    told = "A case\nMach 0.8, alpha 0 deg"

    steady = plot.spanwise(replace(load, source=(case(), 0)))
    by_time = plot.spanwise(replace(load, source=(case(kind="unsteady", flow=flow), 0)))
    part = SimpleNamespace(phase_deg=90.0, time=2.5, incompressible=False)
    cyclic = case(kind="unsteady", flow=part)
    cyclic.history.by_time = False
    moment = plot.spanwise(replace(load, source=(cyclic, 0)))
    waves = dict.fromkeys(("cl", "cm"), eta + 0j)
    cycle = plot.spanwise(replace(load, harmonics=waves, source=(cyclic, 0)))

    assert steady.get_suptitle() == told
    assert steady.legends[0].get_title().get_text() == "did not converge"
    assert by_time.get_suptitle() == rf"{told}, time 2.5 chord/$a_\infty$"
    assert moment.get_suptitle() == f"{told}, phase 90 degrees"  # of less than a cycle
    assert cycle.get_suptitle() == told
    assert plot.spanwise(load).get_suptitle() == ""
    assert plot.spanwise(replace(load, source=(case(), 0)), "mine", "").legends == []


def test_runs_beside_each_other_have_what_their_titles_share():
    same, other, faster = case(), case("Another"), case(mach=0.7)

    assert in_common([(same, 0), (same, 0)]) == "A case\nMach 0.8, alpha 0 deg"
    assert in_common([(same, 0), (other, 0)]) == "Mach 0.8, alpha 0 deg"
    assert in_common([(same, 0), (faster, 0)]) == "A case\nalpha 0 deg"
    assert in_common([(same, 0, "at 65 %")]) == "A case\nMach 0.8, alpha 0 deg, at 65 %"
    assert in_common([]) == in_common([("no such folder", 0)]) == ""


@pytest.mark.filterwarnings("ignore")
def test_figures_of_compared_runs_have_their_title_over_the_notes():
    loops = km.compare(*(loop_run(sine(a, 20), sine(0.1 * a, 5)) for a in (0.3, 0.33)))
    loads = km.compare(steady_run(0.42), steady_run(0.38))
    noted = replace(loads, notes=("a note",))

    assert loops.plot().get_suptitle() == "Mach 0.5, alpha 1 deg, amplitude 2.5 deg, k 0.1"
    assert loads.plot().get_suptitle() == "Mach 0.5, alpha 1 deg"
    assert noted.plot().get_suptitle() == "Mach 0.5, alpha 1 deg\na note"


def test_figures_of_sizes_have_the_title_of_their_case():
    sizes = np.array([1.0, 2.0, 4.0])
    found = Convergence(("a",) * 3, (4, 2, 1), sizes, {}, {}, {}, sources=((case(), 0),) * 3)
    found = replace(found, errors={"Pressure L1": SimpleNamespace(values=sizes, orders=[1.0])})

    assert titled(found.plot_errors()) == "A case\nMach 0.8, alpha 0 deg"


@pytest.mark.parametrize("word", ["diameter", "chord"])
def test_lengths_in_titles_are_in_the_unit_of_the_axes(word, monkeypatch):
    own = case()
    own.asked = lambda: [{"reynolds": 100.0, "motion": "plunge", "amplitude": 0.5, "k": 0.2}]
    monkeypatch.setattr("kinemesh.plot.titles.unit_of", lambda *_: plot.units.Unit(0.25, word))

    assert title_of(own, 0) == f"A case\nRe 100, amplitude 2 {word}, k 0.2"


@pytest.mark.parametrize("out", [None, "folder"])
def test_a_title_of_a_run_without_files_is_in_chords(out):
    own = case()
    own.out = out
    own.asked = lambda: [{"reynolds": 100.0, "motion": "plunge", "amplitude": 0.5}]

    def none(member):
        raise km.CaseError("no folder")

    own.fields = none

    assert title_of(own, 0) == "A case\nRe 100, amplitude 0.5 chord"
    own.summary["conditions"]["chord"] = 0.5
    assert title_of(own, 0) == "A case\nRe 100, amplitude 1 chord"


def test_members_are_told_by_amplitudes_in_chords_under_what_they_share(tmp_path, monkeypatch):
    run = km.open(folder(tmp_path))
    run.summary["case"] = {"title": "Two members"}
    row = {"mach": 0.8, "motion": "plunge", "chord": 0.5}
    run.summary["asked"] = [row | {"amplitude": a} for a in (0.1, 0.2)]
    run.summary["conditions"]["chord"] = 0.5
    run.out = None
    monkeypatch.setattr(type(run), "loop", lambda self, member: made_up.loop())

    figure = plot.loops(run)

    assert figure.get_suptitle() == "Two members\nMach 0.8"
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts[:2] == ["amplitude 0.2 chord", "amplitude 0.4 chord"]
