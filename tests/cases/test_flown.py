"""Report of `kinemesh check` on a pre-flight of overset parts."""

import re

import kinemesh as km
import numpy as np
import pytest
from kinemesh import cli
from kinemesh.cases.flown import flown
from kinemesh.errors import warn
from kinemesh.overset.report import DONORS, SIZES
from kinemesh.run.plan import Plan
from kinemesh.run.preflight import fly
from kinemesh.sentences import Sentence
from overset_parts import background, ring

STEPS = 8
PARTS = {"body": ring(outer=1.8), "back": background(half=5.0, spacing=0.1, core=2.0)}


def case():
    motion = km.motion.plunge(amplitude=0.3, k=1.0, phase_deg=90)
    return km.Incompressible(PARTS, reynolds=100.0, motion={"body": motion}, device="cpu")


def planned(made, **given):
    asked = {"cycles": None, "steps_per_cycle": None, "time_step": None, "steps": None} | given
    return Plan.of(made, "stream", *asked.values())


@pytest.mark.parametrize(
    ("given", "word"),
    [({"cycles": 1, "steps_per_cycle": STEPS}, "phase"), ({"time_step": 0.4, "steps": 5}, "time")],
)
def test_the_worst_moment_is_the_one_with_most_receptors(given, word):
    made = case()
    plan = planned(made, **given)
    times = plan.dt[0] * np.arange(plan.dry_steps + 1)
    reports = [made.connectivity(time) for time in times]
    counts = [sum(part.receptor for part in report.parts.values()) for report in reports]

    found = fly(made, plan.dt, plan.dry_steps, plan.phases)
    said = flown(found, made, plan)

    worst = int(np.argmax(counts))
    assert max(counts) > min(counts)
    moment = {"phase": f"phase {45 * worst}", "time": f"time {times[worst]:.4g}"}[word]
    assert said[:3] == [
        f"{plan.dry_steps} steps, every receptor has a donor",
        f"at most {max(counts)} receptors, at {moment}",
        "no poor donors",
    ]
    parts = reports[worst].parts.values()
    ratios = min(part.ratio[0] for part in parts), max(part.ratio[1] for part in parts)
    overlap = min(part.overlap for part in parts)
    told = "{:.2f} to {:.2f} times".format(*ratios)
    assert said[3].startswith(f"at {moment} overlap {overlap}, cells of receptors {told}")


def test_poor_donors_are_told_with_their_phase():
    made = case()
    plan = planned(made, cycles=1, steps_per_cycle=STEPS)
    found = fly(made, plan.dt, plan.dry_steps, plan.phases)

    said = flown(found | {"poor_donors": 7.0, "poor_donors_phase_deg": 90.0}, made, plan)

    assert said[2] == "at most 7 poor donors, at phase 90"
    assert said[3].startswith("at phase 90 overlap")


def test_warnings_of_the_second_look_that_were_not_told_are_told():
    """The pre-flight tells of unlike cells and poor donors; of what else there is, nobody did."""
    made = case()
    plan = planned(made, cycles=1, steps_per_cycle=STEPS)
    found = fly(made, plan.dt, plan.dry_steps, plan.phases)
    report = made.connectivity(0.0)
    notes = [
        Sentence("part 'body': of unlike cells", about=SIZES),
        Sentence("part 'body': of receptors", about=DONORS),
        Sentence("part 'body': cells of receptors are beyond 'back'", about="reach"),
    ]

    class Told:
        def connectivity(self, _):
            for note in notes:
                warn(note)
            return report

    with pytest.warns(RuntimeWarning) as told:
        flown(found, Told(), plan)
    assert [one.message.said for one in told] == notes[2:]


@pytest.mark.long
def test_check_refuses_a_motion_that_leaves_the_background_by_its_phase(capsys):
    changes = ["parts.wing.nodes=2000", "parts.back.spacing=0.05", "parts.back.growth=1.3"]
    changes += ["run.steps_per_cycle=40", "parts.back.box=[-8, 16, -4, 2.5]", "run.device=cpu"]
    changes += ["parts.wing.motion.plunge.amplitude=2.2", "parts.back.core=[-1.2, 3, -3.5, 2]"]
    words = [word for change in changes for word in ("--set", change)]

    status = cli.main(["check", "plunging-naca0012", "--quiet", *words])

    said = capsys.readouterr().out.splitlines()
    (row,) = [line for line in said if re.match(r"pre-flight +wrong", line)]
    assert status == 2
    assert re.search(r"wrong +pre-flight of the motion, step [1-9]\d? of 40 \(phase [1-9]\d+ ", row)
    assert re.search(r"part 'wing' reaches .*, beyond 'back'", row)
