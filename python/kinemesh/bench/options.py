"""Options of `kinemesh bench`: solver, rows, meshes and clouds."""

from __future__ import annotations

import argparse
import os
import sys
from math import inf
from pathlib import Path
from typing import NamedTuple

from kinemesh.errors import SettingsError, did_you_mean
from kinemesh.flow import registry
from kinemesh.flow.registry import Entry

# Sizes near those of Ma et al.: 21 329 and 288 268 (Table 3), 94 085 (Table 5), 5 672 268 (Table 4)
SIZES = (5_000, 21_329, 94_085)
SIZES_GPU = (*SIZES, 288_268, 1_400_000, 5_672_268)
# Of overset grids; on a GPU half a million cells and more, and the 1.5 million of Chandar et al.
SIZES_OVERSET = (20_000, 94_085)
SIZES_OVERSET_GPU = (*SIZES_OVERSET, 250_000, 1_500_000)
SIZES_PARTS, SIZES_PARTS_GPU = (121_000,), (121_000, 375_000, 1_500_000)  # in space
LEAST_NODES = 500  # what kinemesh.mesh.airfoil makes
# On a GPU those of Zhang et al., Tables 2 and 4
POINTS = {"regular": (40_000,), "irregular": (40_000,), "plane": (5_120,)}
POINTS_GPU = {
    "regular": (306_577, 1_193_504),
    "irregular": (319_168, 1_228_880),
    "plane": (5_120, 94_000),
}
LEAST_POINTS = {"regular": 20_000, "irregular": 20_000, "plane": LEAST_NODES}
SIZES_WING, SIZES_WING_GPU = (90_000,), (108_000, 300_000)  # SU2's mesh of tetrahedra is the first
LEAST_WING = 10_000  # what kinemesh.mesh.oneram6 makes
WINGS = ("hexes", "prisms", "tets", "hybrid")  # cells of meshes in space, about the ONERA M6
PARTS = "in space"  # overset parts about a wing that plunges, in place of cells
OTHER_SPACE = {"mesh": "add --cloud regular, irregular or plane", "cloud": "leave out --cloud"}
# in place of a solver's name
OVERSET, ENERGY, CARRIER, SPRINGS = "overset", "energy", "carrier", "springs"
NONE = "none"  # no sizes in the plane, or in space, with --in-space
ASKED = ("viscous",)  # groups that are measured where somebody names them, on meshes of their own
LEAST_SECONDS = 1.0  # of a row of energy: ten steps of a GPU's counter
SECONDS = 3.0


class Subject(NamedTuple):
    """Mesh (cloud None) or kind of cloud to measure on, and its number of nodes or points.

    wing : cells of a mesh in space, or PARTS; None: of the plane
    carrier : nodes of the mesh that carries it; None: what the deformation takes by itself
    beside : Ma et al.'s times of springs stand beside the figures
    """

    cloud: str | None
    size: int
    wing: str | None = None
    carrier: int | None = None
    beside: bool = False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `kinemesh bench`."""
    add = parser.add_argument
    sizes = ",".join(map(str, SIZES))
    add("--sizes", metavar="N,N,...", help=f"nodes (default {sizes}; on a GPU up to 5672268)")
    add(
        "--cloud",
        metavar="KIND,...",
        help="clouds in place of a mesh: regular or irregular about the ONERA M6, plane about the "
        "NACA 0012",
    )
    add(
        "--points",
        metavar="N,N,...",
        help="points of the clouds (default 40000, plane 5120; more on a GPU)",
    )
    add(
        "--overset",
        action="store_true",
        help="overset grids: the donor search, the step of two parts",
    )
    add("--schwarz", action="store_true", help="pressure of two parts: at once, and part by part")
    add(
        "--in-space",
        dest="tets",
        nargs="?",
        const="",
        metavar="N,N,...",
        help="springs beside Ma et al.'s times, in the plane (--sizes) and of tetrahedra in space "
        "(these sizes): theirs by default, 21329 to 5672268 and 108396 to 4127686; none: no mesh; "
        "with --overset or --schwarz, without sizes here: parts in space",
    )
    add(
        "--carrier",
        metavar="N",
        help="nodes of the carrier, of --rows carrier (default a tenth of the mesh's)",
    )
    add("--threads", type=int, metavar="N", help="of a CPU (default OMP_NUM_THREADS, or all)")
    add("--energy", action="store_true", help="joules of cases, copies and a residual")
    add(
        "--seconds",
        type=float,
        metavar="S",
        help="of each row of --energy (default 3, least 1); of --loops: count joules for so long",
    )
    add("--cpu-watts", type=float, metavar="W", help="rated power of the sockets, for P2's rule")
    add("--cpu-cores", type=int, metavar="N", help="cores of all sockets, beside --cpu-watts")
    add(
        "--loops",
        nargs="?",
        const="",
        metavar="LOOP,...",
        help="loops over cells, faces and nodes that give the same, side by side: all, or some of "
        "store, recompute, atomics, colours, faces, cells, nodes, means (docs/loops.md)",
    )
    add(
        "--mesh",
        metavar="MESH,...",
        help=f"meshes in space about the ONERA M6, with the rows of flow, or of springs where "
        f"--rows names them, of --overset with those of the search: {', '.join(WINGS)}; of "
        "--loops: triangles, prisms, tets, mixed, and wing-hexes, wing-prisms, wing-tets, "
        "wing-hybrid about the ONERA M6",
    )
    add(
        "--cells",
        metavar="N,N,...",
        help="of --loops (default 20000, or what a wing has at least; on a GPU 1062882)",
    )
    add(
        "--order",
        metavar="ORDER,...",
        help="of the cells, with --loops: natural, rcm, hilbert, random, shuffled",
    )
    add("--method", metavar="NAME", help=f"solver: {registry.in_words()}; the first that fits")
    add(
        "--device",
        default="auto",
        metavar="DEV",
        help="auto, cpu, cuda or cuda:N; of --energy several: cpu,cuda",
    )
    add("--dtype", default="float64", choices=("float64", "float32"), help="precision of the flow")
    add(
        "--rows",
        metavar="ROW,...",
        help="rows or groups (springs, natural, flow; viscous where named; cloud with "
        "--cloud, search, connectivity and step with --overset, energy with --energy; carrier "
        "alone; residual, flux-sum, gradient, node-values, extrema and pairs with --loops); "
        "default all",
    )
    add("--repeat", type=int, default=5, metavar="N", help="readings of each row (default 5)")
    add("--json", type=Path, metavar="FILE", help="append each figure as a line of JSON")
    add(
        "--table",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="measure nothing; print the figures of JSON files as Markdown",
    )


def set_threads(count: int | None) -> None:
    """Have the CPU's kernels run on so many threads, before any of them is loaded.

    Raises
    ------
    SettingsError    below 1, or the kernels are loaded with another number already
    """
    if count is None:
        return
    if count < 1:
        raise SettingsError(f"threads is {count}, expected at least 1")
    if "kinemesh._core" not in sys.modules:
        os.environ["OMP_NUM_THREADS"] = str(count)
    from kinemesh import _core

    if _core.threads() != count:
        raise SettingsError(
            f"threads is {count}, and kernels run on {_core.threads()} here; set OMP_NUM_THREADS "
            "in place of --threads before Python begins"
        )


def chosen_entry(arguments: argparse.Namespace) -> Entry:
    """Solver to measure; SettingsError if it does not compute on the chosen space."""
    for name in ("seconds", "cpu_watts", "cpu_cores"):
        if getattr(arguments, name) is not None:
            also = " or --loops" if name == "seconds" else ""
            raise SettingsError(f"{_word(name)}: only with --energy{also}; add it")
    if arguments.overset:
        from kinemesh.bench.overset_rows import ENTRY, IN_SPACE, PARTS_IN_SPACE

        for option in ("method", "cloud", "points"):
            if getattr(arguments, option) is not None:
                raise SettingsError(f"{option}: without --overset, which measures no solver")
        if arguments.tets is not None:
            return PARTS_IN_SPACE
        return ENTRY if arguments.mesh is None else IN_SPACE
    on = "mesh" if arguments.cloud is None else "cloud"
    if arguments.method is None:
        return _by_rows(arguments.rows, on) or registry.first(on)
    entry = registry.named(arguments.method)
    if entry.on != on:
        raise SettingsError(f"method: {entry.name!r} computes on a {entry.on}; {OTHER_SPACE[on]}")
    if not entry.bench:
        raise SettingsError(f"method: {entry.name!r} has no rows of the bench yet")
    return entry


def _by_rows(text: str | None, on: str) -> Entry | None:
    """The first solver on a mesh or cloud that has all of the named rows, if there is one."""
    from kinemesh.bench.groups import TITLES

    names = {part.strip() for part in (text or "").split(",")}
    for entry in registry.SOLVERS:
        if entry.on == on and names <= {row for group in entry.bench for row in TITLES[group]}:
            return entry
    return None


def chosen_rows(text: str | None, entry: Entry, wing: bool = False) -> list[str]:
    """Rows named by `--rows`, in the table's order; SettingsError for an unknown one.

    wing : whether meshes are in space, where those of flow are the rows that nobody names
    """
    from kinemesh.bench.groups import TITLES

    groups = {group: TITLES[group] for group in entry.bench}
    mine = [row for group in groups.values() for row in group]
    others = {group: rows for group, rows in TITLES.items() if group not in groups}
    if text is None:
        usual = [row for group in groups if group not in ASKED for row in groups[group]]
        return list(groups["flow"]) if wing and "flow" in groups else usual
    wanted: set[str] = set()
    for name in (part.strip() for part in text.split(",")):
        known = name in mine or name in groups
        if not known and any(name == group or name in rows for group, rows in others.items()):
            raise SettingsError(
                f"rows: {name!r} is none of method {entry.name!r}, expected one of "
                f"{', '.join([*groups, *mine])}; or "
                + ("leave out --mesh" if wing else _instead(name, entry))
            )
        if not known:
            hint = did_you_mean(name, [*mine, *groups], f"expected {', '.join(groups)}")
            raise SettingsError(f"rows: unknown row {name!r}{hint} (rows: {', '.join(mine)})")
        wanted |= set(groups.get(name, [name]))
    return [row for row in mine if row in wanted]


def _instead(name: str, entry: Entry) -> str:
    """Advice on options for a row that is not one of the solver's."""
    from kinemesh.bench import carried, connected, energy, one_grid, overset_rows, steps

    if entry.name == ENERGY:
        return "leave out --energy"
    if entry.name == SPRINGS:
        return "leave out --in-space"
    if any(name == group or name in rows for group, rows in carried.TITLES.items()):
        return "name rows of the carrier alone, without --method, --in-space and --overset"
    if any(name == group or name in rows for group, rows in energy.TITLES.items()):
        return "add --energy"
    if any(name == group or name in rows for group, rows in one_grid.TITLES.items()):
        return "add --method incompressible"
    titles = overset_rows.TITLES | steps.TITLES | connected.TITLES
    if any(name == group or name in rows for group, rows in titles.items()):
        return "add --overset"
    return "leave out --overset" if entry.name == OVERSET else OTHER_SPACE[entry.on]


def loop_seconds(arguments: argparse.Namespace) -> float | None:
    """Seconds of a row of loops in which joules are counted, if given."""
    for name in ("cpu_watts", "cpu_cores"):
        if getattr(arguments, name) is not None:
            raise SettingsError(
                f"{_word(name)}: not with --loops, whose joules are measured; leave it out"
            )
    seconds: float | None = arguments.seconds
    if seconds is not None and not LEAST_SECONDS <= seconds < float("inf"):
        raise SettingsError(f"seconds is {seconds:g}, expected at least {LEAST_SECONDS:g}")
    return seconds


def energy_numbers(
    arguments: argparse.Namespace,
) -> tuple[float, tuple[float, int] | None]:
    """Seconds of a row of energy, and rated watts and cores of the sockets, if given."""
    if arguments.loops is not None:
        raise SettingsError(
            "loops: their joules are those of --loops --seconds S, without --energy"
        )
    for name in ("sizes", "cloud", "points", "method", "overset", "schwarz"):
        if getattr(arguments, name):
            raise SettingsError(
                f"{name}: without --energy, which has rows, device, dtype, seconds, cpu-watts, "
                "cpu-cores and json"
            )
    seconds = SECONDS if arguments.seconds is None else arguments.seconds
    if not LEAST_SECONDS <= seconds < inf:
        raise SettingsError(
            f"seconds is {seconds:g}, expected at least {LEAST_SECONDS:g}: the counter of a GPU "
            "steps every 0.1 s"
        )
    watts, cores = arguments.cpu_watts, arguments.cpu_cores
    for name in ("cpu_watts", "cpu_cores"):
        value = getattr(arguments, name)
        if value is not None and not 0 < value < inf:
            raise SettingsError(f"{_word(name)} is {value:g}, expected a number above 0")
    if (watts is None) != (cores is None):
        given, other = ("cpu_watts", "cpu_cores") if cores is None else ("cpu_cores", "cpu_watts")
        raise SettingsError(
            f"{_word(given)} is given without {_word(other)}: P2's rule takes the share of a core "
            f"in the rated power; add --{_word(other)}"
        )
    return seconds, None if watts is None else (watts, cores)


def _word(name: str) -> str:
    """An option's name as the shell has it."""
    return name.replace("_", "-")


def wanted_sizes(arguments: argparse.Namespace) -> list[int]:
    """Nodes of the comparison of `--schwarz`, by `--sizes`, or else 20 thousand, in space 121."""
    default = SIZES_OVERSET if arguments.tets is None else SIZES_PARTS
    return numbers("sizes", arguments.sizes, LEAST_NODES, "20000,94085") or [default[0]]


def chosen_subjects(arguments: argparse.Namespace, on_gpu: bool) -> list[Subject]:
    """Meshes or clouds of the options; SettingsError for an invalid one."""
    if arguments.mesh is not None:
        return wings(arguments, SIZES_WING_GPU if on_gpu else SIZES_WING)
    if arguments.cloud is None:
        if arguments.points is not None:
            raise SettingsError(
                f"points: {arguments.points!r} without a cloud; add --cloud regular, irregular or "
                "plane, or choose the nodes of a mesh by --sizes"
            )
        sizes = numbers("sizes", arguments.sizes, LEAST_NODES, "5000,94085")
        if arguments.overset and arguments.tets is not None:
            default = SIZES_PARTS_GPU if on_gpu else SIZES_PARTS
            return [Subject(None, size, PARTS) for size in sizes or default]
        defaults = (SIZES_OVERSET, SIZES_OVERSET_GPU) if arguments.overset else (SIZES, SIZES_GPU)
        return [Subject(None, size) for size in sizes or defaults[on_gpu]]
    if arguments.sizes is not None:
        raise SettingsError(
            f"sizes: {arguments.sizes!r} are nodes of a mesh; expected --points beside --cloud"
        )
    kinds = [part.strip() for part in arguments.cloud.split(",")]
    unknown = [kind for kind in kinds if kind not in POINTS]
    if unknown:
        raise SettingsError(
            f"cloud: {unknown[0]!r}, expected {', '.join(POINTS)}, or several as in "
            "regular,irregular"
        )
    points = POINTS_GPU if on_gpu else POINTS
    return [
        Subject(kind, size)
        for kind in kinds
        for size in numbers("points", arguments.points, LEAST_POINTS[kind], "40000,300000")
        or points[kind]
    ]


def wings(arguments: argparse.Namespace, default: tuple[int, ...]) -> list[Subject]:
    """Meshes in space of `--mesh`."""
    for name in ("cloud", "points", "schwarz"):
        if getattr(arguments, name):
            raise SettingsError(f"{name}: without --mesh, whose meshes have --sizes")
    kinds = [part.strip() for part in arguments.mesh.split(",")]
    for kind in kinds:
        if kind not in WINGS:
            hint = did_you_mean(kind, WINGS, f"expected {', '.join(WINGS)}")
            raise SettingsError(f"mesh: {kind!r}{hint} (or add --loops, which has others)")
    sizes = numbers("sizes", arguments.sizes, LEAST_WING, "90000,300000") or default
    return [Subject(None, size, kind) for kind in kinds for size in sizes]


def numbers(name: str, text: str | None, least: int, example: str) -> list[int]:
    """Whole numbers of an option, at least `least`; [] without the option."""
    parts = [] if text is None else [part.strip() for part in text.split(",")]
    for part in parts:
        if not part.isdecimal() or int(part) < least:
            raise SettingsError(
                f"{name}: {part!r}, expected whole numbers of at least {least}, as in {example}"
            )
    return [int(part) for part in parts]
