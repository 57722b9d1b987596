"""How many cases of a sweep run side by side on a GPU."""

import kinemesh as km
import pytest
from kinemesh.study.sweep import batches
from sweeps import case

GIB = 2**30


@pytest.mark.parametrize(
    ("nodes", "needed", "free", "most"),
    [
        (5000, 15_000_000, 140 * GIB, 1000),  # 5 million nodes
        (5000, 15_000_000, 10 * GIB, 501),  # 0.7 of the memory
        (5000, 15_000_000, None, 1000),
        (9_000_000, 27_000_000_000, 20 * GIB, 1),  # whether it fits is asked before the run
    ],
)
def test_a_gpu_takes_what_pays_and_fits(nodes, needed, free, most):
    assert batches.most_on_gpu(nodes, needed, free) == most


@pytest.mark.long
def test_another_size_of_batches_is_refused_when_a_sweep_goes_on(tmp_path):
    over = {"flow.mach": [0.3, 0.4, 0.5, 0.6]}
    km.sweep(case(), over, out=tmp_path / "s", batch=2)

    with pytest.raises(
        km.CaseError, match="batch is 1, and this sweep was begun with batches of 2"
    ):
        km.sweep(case(), over, out=tmp_path / "s", batch=1, resume=True)
    km.sweep(case(), over, out=tmp_path / "s", batch=2, resume=True)
