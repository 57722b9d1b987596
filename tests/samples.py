"""Small valid random inputs for every kernel.

Most fields are made from the kernel's own declaration (``generic``): numbers and set names give
the extents, ``>set`` indices, ``?`` some -1, ``!`` no index twice, ``+1>>set`` offsets.  Where a
kernel needs a real mesh, a gas or a solvable matrix, the value comes from a ``World``.
Values of type `real` are float32 numbers, so that both precisions see the same input.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache, lru_cache

import numpy as np
from kinemesh.device.backend import OPTIONAL, kernels
from world import World

DTYPES = {"i32": np.int32, "u64": np.uint64, "f64": np.float64, "f32": np.float32}
POISON_INT = -7


@dataclass(frozen=True)
class Sample:
    """Inputs of one kernel and the parts of its set that are launched, in order."""

    kernel: str
    over: str
    rows: list  # (field, mode, type, shape)
    values: dict
    launches: list = field(default_factory=lambda: [None])

    def of_mode(self, *modes):
        return [name for name, mode, _, _ in self.rows if mode in modes]

    @property
    def written(self):
        return self.of_mode("out", "rw", "upd", "inc")


def parse(shape):
    """Axes [(set or number, plus)], target set, and its marks, of a declared shape."""
    head, _, target = shape.partition(">")
    axes = []
    for word in filter(None, head.split(",")):
        name, _, plus = word.partition("+")
        axes.append((int(name) if name.isdigit() else name, int(plus or 0)))
    return axes, target.strip(">?!"), target


def generic(mode, kind, shape, extent, rng):
    """A random array of the declared shape."""
    axes, target, marks = parse(shape)
    size = tuple((a if isinstance(a, int) else extent.setdefault(a, 7)) + p for a, p in axes)
    count = int(np.prod(size))
    if target:
        limit = extent.setdefault(target, 7)
        if marks.startswith(">"):
            limit = extent[target] = max(limit, count)
            cuts = rng.choice(np.arange(1, limit), count - 2, replace=False)
            return np.array([0, *sorted(cuts), limit], np.int32)
        low = -1 if "?" in marks else 0
        if "!" in marks:
            return rng.permutation(limit)[:count].reshape(size).astype(np.int32)
        return rng.integers(low, limit, size).astype(np.int32)
    if kind in ("i32", "u64"):
        return rng.integers(0, 5, size).astype(DTYPES[kind])
    values = rng.uniform(-1, 1, size)
    return values.astype(np.float32) if kind in ("real", "f32") else values


def bare(chosen):
    """A sample without its optional fields."""
    absent = dict.fromkeys(chosen.of_mode(*OPTIONAL))
    return replace(chosen, values=chosen.values | absent)


@lru_cache(maxsize=8)
def world(large, quads):
    return World(24, 22, quads) if large else World(4, 3, quads)


def poison(shape, kind):
    dtype = np.float64 if kind == "real" else DTYPES[kind]
    return np.full(shape, np.nan if dtype in (np.float64, np.float32) else POISON_INT, dtype)


IN_SPACE = ("inc_", "overset_find", "overset_give")  # kernels with fields named as in the plane


@cache  # tests of a module go through all kernels one after another, each test anew
def sample(kernel, large=False, active=(1, 1)):
    """Inputs of a kernel; `out` fields hold NaN, or -7 where they are integers."""
    over, rows = kernels()[kernel]
    here = world(large, quads=not kernel.startswith("spring"))
    rng, extent, values = np.random.default_rng(7), dict(here.extent), {}
    known = here.values
    if kernel.startswith(IN_SPACE) and kernel.endswith("_3d"):
        known = known | here.in_space
        extent["cells"] = len(known["member|cells>members"])
    for name, mode, kind, shape in rows:
        if mode == "size":
            continue
        key = next(
            (
                k
                for k in (f"{name}|{mode}", f"{name}|{shape}", f"{name}|{kind}", name)
                if k in known and (mode == "val" or np.ndim(known[k]))
            ),
            None,
        )
        if mode == "val":
            if key is None:
                raise LookupError(f"{kernel}: no sample for the scalar {name}")
            values[name] = known[key]
            continue
        value = known[key] if key else generic(mode, kind, shape, extent, rng)
        for (axis, plus), n in zip(parse(shape)[0], value.shape, strict=True):
            if isinstance(axis, str):
                extent[axis] = n - plus
        if mode == "out":
            value = poison(value.shape, kind)
        if name in ("active", "live") and mode == "in":
            value = np.array(active, np.int32)
        if kernel == "rim_long" and name == "many":  # of rows that it makes again
            value = np.where(np.arange(len(value)) % 2, value, -1).astype(np.int32)
        value.setflags(write=False)
        values[name] = value
    launches = [None]
    if kernel.startswith(("block_lower", "block_turn", "block_sweep", "lusgs", "cloud_lusgs")):
        launches = here.colours
    elif kernel.startswith("block_upper"):
        launches = here.colours[::-1]
    elif kernel.startswith("ale_loop_colours"):
        launches = here.face_colours
    return Sample(kernel, over, [r for r in rows if r[1] != "size"], values, launches)


def place(backend, chosen, values=None):
    """The sample's arrays on the device; scalars as they are."""
    kinds = {name: kind for name, _, kind, _ in chosen.rows}
    values = chosen.values if values is None else values
    return {
        name: backend.array(v, "real" if kinds[name] == "real" else v.dtype)
        if isinstance(v, np.ndarray)
        else v
        for name, v in values.items()
    }


def launch(backend, chosen, there):
    for over in chosen.launches:
        backend.bind(chosen.kernel, over=over, **there)()
    arrays = {k: v for k, v in there.items() if v is not None and np.ndim(chosen.values[k])}
    return {k: backend.get(v) for k, v in arrays.items()}


def run(backend, chosen, values=None):
    """All arrays of the sample, on the host, after the kernel has run."""
    return launch(backend, chosen, place(backend, chosen, values))


def bound(backend, kernel, **fields):
    """Call of a kernel whose optional fields are absent where they are not given."""
    absent = {row[0]: None for row in kernels()[kernel][1] if row[1] in OPTIONAL}
    return backend.bind(kernel, **absent | fields)


def direct(backend, kernel, **fields):
    """Run a kernel on plain arrays, each with its declared dtype, and return all of them.

    Optional fields that are not given are absent.
    """
    rows = [row for row in kernels()[kernel][1] if row[0] in fields]
    there = place(backend, Sample(kernel, "", rows, prepared(rows, fields)))
    bound(backend, kernel, **there)()
    return {name: backend.get(there[name]) for name in fields if np.ndim(fields[name])}


def prepared(rows, fields):
    kinds = {name: DTYPES.get(kind, np.float64) for name, _, kind, _ in rows}
    return {k: np.asarray(v, kinds[k]) if np.ndim(v) else v for k, v in fields.items()}
