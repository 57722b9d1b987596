"""Frames of runs by cycles: even where steps allow it, alike in each cycle, and the last step."""

import warnings

import kinemesh as km
import numpy as np
import pytest
from kinemesh import plot
from kinemesh.loops.harmonics import fitted
from kinemesh.plot.flows import moment_of
from kinemesh.run.plan import Plan


def plan(steps, cycles=3.0):
    one = np.ones(1)
    return Plan(cycles, steps, one / steps, one, round(cycles * steps), "stream")


@pytest.mark.parametrize(
    ("steps", "frames", "even"),
    [(5, 5, True), (16, 16, True), (48, 16, True), (64, 16, True), (72, 18, True),
     (100, 20, True), (400, 16, True), (97, 16, False), (194, 16, False)],
)  # fmt: skip
def test_frames_divide_a_cycle_and_come_back_in_each(steps, frames, even):
    """With one at every sixth of 100 steps, the last of a first cycle is at 345.6 degrees."""
    planned = plan(steps)

    kept = np.array([step for step in range(1, 3 * steps + 1) if planned.is_frame(step)])

    each = kept.reshape(3, frames) - steps * np.arange(3)[:, None]
    assert (each == each[0]).all()
    assert each[0, -1] == steps
    gaps = np.diff(np.append(0, each[0]))
    assert np.ptp(gaps) == (0 if even else 1)


@pytest.mark.parametrize("steps", [64, 100, 194, 400])
def test_walls_in_space_are_kept_with_each_frame_of_the_flow(steps):
    planned = plan(steps)

    assert all(planned.is_surface(n) for n in range(1, 3 * steps + 1) if planned.is_frame(n))
    assert sum(map(planned.is_surface, range(1, steps + 1))) >= 64


def test_the_last_step_is_a_frame_wherever_a_run_ends():
    assert plan(64, cycles=3 / 64).is_frame(3)
    assert plan(64, cycles=3 / 64).is_surface(3)
    assert not plan(64).is_frame(3)


def test_harmonics_of_frames_that_are_not_uniform_are_exact():
    phase = np.radians([20.0, 61.0, 110.0, 140.0, 200.0, 233.0, 290.0, 345.6])
    wave = 0.3 + 0.2 * np.sin(phase) - 0.1 * np.cos(phase) + 0.05 * np.sin(2 * phase)

    mean, harmonics = fitted(np.stack([wave, np.full(8, np.nan)], axis=1), phase)

    assert mean[0] == pytest.approx(0.3, abs=1e-12)
    assert harmonics[:2, 0] == pytest.approx([-0.1 - 0.2j, -0.05j], abs=1e-12)
    assert np.isnan(mean[1])  # a section without a chord, which leaves the others alone


@pytest.mark.flow
def test_pictures_of_a_run_shorter_than_a_frame_show_its_end(tmp_path, monkeypatch):
    seen = {}
    monkeypatch.setattr(plot.style, "_save", lambda figure, path: seen.update({path.stem: figure}))
    mesh = km.mesh.airfoil("naca0012", nodes=520, far_field=8.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        case = km.Ale(mesh, mach=0.5, motion=km.motion.pitch(2.0, 0.1), device="cpu",
                      settings=km.AleSettings(unsteady_iterations=2))  # fmt: skip
        run = case.run(cycles=3 / 64, steps_per_cycle=64, start="as is", out=tmp_path)
        plot.from_directory(tmp_path, complete=False)

    assert run.frames().phase_deg == pytest.approx([0.0, 3 / 64 * 360])
    assert moment_of(run.fields()) == "phase 16.875 degrees"
    assert "phase 16.875 degrees" in seen["mach"].axes[0].get_title("left")
