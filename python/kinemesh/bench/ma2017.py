"""Times of springs that Ma et al. (2017) tabulate, and the sizes of their meshes.

W. Ma, Z. Lu, W. Yuan, X. Hu: Parallelization of an unsteady ALE solver with deforming mesh using
OpenACC.  Scientific Programming 2017, 4610138, doi 10.1155/2017/4610138.  Tables 2 to 4 and section
6.2; figures are not digitised.  One core of, and 20 threads on, two Intel E5-2658 v2; one K20.
"""

from __future__ import annotations

from typing import Any, NamedTuple

SOURCE = (
    "beside Ma et al. (2017), doi 10.1155/2017/4610138, Tables 3 and 4, section 6.2: one core and "
    "20 threads of Intel E5-2658 v2, one Tesla K20; ratio: their time on the like of this device "
    "over ours, of the process on one thread"
)


class Known(NamedTuple):
    """Seconds of a part of a step on one mesh; None: not tabulated.

    Parameters
    ----------
    dimensions, nodes : of the mesh: triangles in the plane, tetrahedra in space
    part : assembly | solve | step | map | metrics | carried
    core, threads, gpu : one core, 20 threads, K20 [s]
    where : in the paper
    """

    dimensions: int
    nodes: int
    part: str
    core: float | None
    threads: float | None
    gpu: float
    where: str


SIX, TEN = "six iterations", "ten iterations"
TABLES = (
    Known(2, 21_329, "assembly", 0.0379, None, 0.0021, "Table 3"),
    Known(2, 21_329, "solve", 0.2476, None, 0.0304, f"Table 3, {SIX}"),
    Known(2, 288_268, "assembly", 0.4902, None, 0.0219, "Table 3"),
    Known(2, 288_268, "solve", 3.6404, None, 0.3023, f"Table 3, {SIX}"),
    Known(2, 5_672_268, "assembly", 9.8, 0.7, 0.23, "Table 4"),
    Known(2, 5_672_268, "solve", 52.0, 4.19, 1.63, f"Table 4, {TEN}"),
    Known(2, 94_085, "step", 1.2886, None, 0.1208, "section 6.2"),
    Known(3, 108_396, "assembly", 0.3805, None, 0.0244, "Table 3"),
    Known(3, 108_396, "solve", 2.5815, None, 0.2392, f"Table 3, {SIX}"),
    Known(3, 275_561, "assembly", 0.8923, None, 0.0537, "Table 3"),
    Known(3, 275_561, "solve", 5.1088, None, 0.3582, f"Table 3, {SIX}"),
    Known(3, 4_127_686, "assembly", 12.6, 0.78, 0.33, "Table 4"),
    Known(3, 4_127_686, "solve", 58.1, 4.83, 1.84, f"Table 4, {TEN}"),
    # a mesh of 450 634 nodes that one of 108 396 carries
    Known(3, 108_396, "step", None, None, 0.31, "section 6.2"),
    Known(3, 450_634, "map", None, None, 0.05, "section 6.2"),
    Known(3, 450_634, "metrics", None, None, 0.19, "section 6.2"),
    Known(3, 450_634, "carried", None, None, 0.55, "section 6.2, the sum of its three times"),
)
PARTS = {
    "spring-assembly": "assembly",
    "spring-ten": "solve",
    "natural-ten": "solve",
    "spring-solve": "solve",
    "deformation-step": "step",
    "carrier-springs": "step",
    "carrier-map": "map",
    "carrier-metrics": "metrics",
    "carrier-step": "carried",
}
# Tables 2 and 4, and Figures 8 and 9: nine sizes from 2.7e5 to 56.7e5 and seven from 3.2e5 to
# 41.2e5, of which the text has the ends alone; those between are at equal distances here.
PLANE = (
    *(21_329, 270_000, 288_268, 945_000, 1_621_000, 2_296_000),
    *(2_971_000, 3_646_000, 4_322_000, 4_997_000, 5_672_268),
)
SPACE = (
    *(108_396, 275_561, 320_000, 955_000, 1_589_000, 2_224_000, 2_858_000, 3_493_000),
    4_127_686,
)
NEAR = 0.05  # of the paper's nodes; meshes are made within 3 % of the size asked for


def on_k20(dimensions: int) -> dict[str, tuple[tuple[int, float, str], ...]]:
    """Nodes, seconds on the K20 and place in the paper, by rows of the bench."""
    found = {
        row: tuple(
            (known.nodes, known.gpu, known.where)
            for known in TABLES
            if (known.dimensions, known.part) == (dimensions, part)
        )
        for row, part in PARTS.items()
    }
    return {row: each for row, each in found.items() if each}


def beside(row: str, dimensions: int, nodes: int) -> dict[str, Any] | None:
    """The paper's times of a row on a mesh of nearly as many nodes, or None."""
    for known in TABLES:
        same = (known.dimensions, known.part) == (dimensions, PARTS.get(row))
        if same and abs(nodes - known.nodes) <= NEAR * known.nodes:
            return known._asdict()
    return None


def like(device: str, threads: int | None) -> str:
    """The paper's processor that a device is set beside: gpu, core or threads."""
    if threads is None or device != "cpu":
        return "gpu"
    return "core" if threads == 1 else "threads"
