#!/usr/bin/env python3
"""Feed damaged meshes and case files to the readers, which may refuse them only with their errors.

    tools/fuzz.py --seconds 60 --seed 1      for a minute; any finding is saved and fails the run
    tools/fuzz.py --seed 1 --show su2 1234   write one input again, to standard output

A finding is any exception but KinemeshError, a warning of numbers, more than 10 s of a core, more
than 1 GB on top of the imports, or the end of the process.  Input number i of a seed and a kind is
always the same.
"""

from __future__ import annotations

import argparse
import gzip
import lzma
import multiprocessing
import os
import random
import re
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # before NumPy is imported: threads reserve address space

HANG, WAIT, ROOM = 10.0, 300.0, 2**30  # [s of a core], [s], [bytes]
TINY = b"""% two squares, one of them cut in two
NDIME= 2
NELEM= 3
9 0 1 4 3 0
5 1 2 5 1
5 1 5 4
NPOIN= 6 6
0.0 0.0 0
1.0 0.0 1
2.0 0.0 2
0.0 1.0 3
1.0 1.0 4
2.0 1e0 5
NMARK= 2
MARKER_TAG= floor
MARKER_ELEMS= 2
3 0 1
3 1 2
MARKER_TAG= rest
MARKER_ELEMS= 4
3 2 5
3 5 4
3 4 3
3 3 0
"""
SPACE = b"""NDIME= 3
NELEM= 4
12 0 1 2 3 4 5 6 7 0
13 1 8 5 2 9 6 1
14 4 5 6 7 10
10 4 5 10 11
NPOIN= 12
0 0 0 0
1 0 0 1
1 1 0 2
0 1 0 3
0 0 1 4
1 0 1 5
1 1 1 6
0 1 1 7
2 0 0.5 8
2 1 0.5 9
0.5 0.5 2 10
0.5 -1 1 11
NMARK= 2
MARKER_TAG= cube
MARKER_ELEMS= 4
9 0 3 2 1
9 0 1 5 4
9 2 3 7 6
9 0 3 7 4
MARKER_TAG= rest
MARKER_ELEMS= 10
9 1 2 9 8
5 1 8 5
5 2 9 6
9 8 9 6 5
5 5 6 10
5 6 7 10
5 4 7 10
5 4 5 11
5 4 10 11
5 5 10 11
"""
FULL = b"""name = "mine"
title = "everything that a case may say"
mode = "unsteady"
[mesh]
section = "naca0012"
nodes = 4000
far_field = 20.0
wall_spacing = 1e-3
growth = 1.2
trailing_edge = "sharp"
around = 120
walls = ["airfoil"]
far = ["farfield"]
[flow]
mach = 0.6
alpha_deg = 1.0
moment_about = [0.25, 0.0]
chord = 1.0
[motion]
pitch = { amplitude_deg = 2.0, k = 0.1, about = [0.25, 0.0], phase_deg = 0.0 }
plunge = { amplitude = 0.1, k = 0.1 }
[deform]
method = "springs"
tolerance = 1e-8
iterations = 200
[run]
cycles = 2.5
steps_per_cycle = 48
device = "cpu"
dtype = "float32"
out = "here"
[solver]
flux = "roe"
cfl = 5.0
steady_iterations = 10
"""
NUMBERS = [
    *b"0 -1 1 2 3 4 5 9 10 -0 0.5 1e308 -1e308 1e-320 1e400 nan inf -inf 1_000 0x10".split(),
    *b"2147483647 2147483648 4294967296 9223372036854775807 9223372036854775808".split(),
    *b"-9223372036854775809 1e999999999 1. --1 \xd9\xa3 \xc2\xb2".split(),
    b"9" * 400, b"9" * 5000, b"0x" + b"f" * 5000,
]  # fmt: skip
WORDS = [
    b"true", b'""', b'"x"', b"[]", b"{}", b"[1, 2]", b'["a", "b"]', b"{ a = 1 }", b"1979-05-27",
    b"07:32:00", b'"\\u0000"', b"'''\nx'''", b"[" * 3000, b"{a=" * 3000, b"a.b.c", b"[mesh]", b"=",
    b"#", b"%", b"NDIME=", b"NELEM=", b"NPOIN=", b"NMARK=", b"MARKER_TAG=", b"MARKER_ELEMS=",
    b"SEND_TO=", b"FFD_TAG=", b"\r", b"\x0b", b"\x0c", b"\x85", b"\xc2\xa0", b"\xe2\x80\xa8",
    b"\xef\xbb\xbf", b"\x00", b"\xff",
]  # fmt: skip
TOKEN = re.compile(rb"[^\s=,{}\[\]]+")


# ---------------------------------------------------------------- damage


def swap_token(rng: random.Random, text: bytes) -> bytes:
    """One token becomes a number or a word that a reader may not expect."""
    spans = [m.span() for m in TOKEN.finditer(text)]
    if not spans:
        return text
    a, b = rng.choice(spans)
    return text[:a] + rng.choice(NUMBERS if rng.random() < 0.7 else WORDS) + text[b:]


def copy_token(rng: random.Random, text: bytes) -> bytes:
    """One token takes the place of another."""
    spans = [m.span() for m in TOKEN.finditer(text)]
    if not spans:
        return text
    (a, b), (c, d) = rng.choice(spans), rng.choice(spans)
    return text[:a] + text[c:d] + text[b:]


def shuffle_lines(rng: random.Random, text: bytes) -> bytes:
    """A line is dropped, doubled, moved, or a word is put in its place."""
    lines = text.split(b"\n")
    at, to = rng.randrange(len(lines)), rng.randrange(len(lines))
    line = lines.pop(at)
    extra = {0: [], 1: [line, line], 2: [line], 3: [rng.choice(WORDS)]}[rng.randrange(4)]
    lines[to:to] = extra
    return b"\n".join(lines)


def change_bytes(rng: random.Random, text: bytes) -> bytes:
    """A few bytes are flipped, cut out, doubled, or the rest is lost."""
    if not text:
        return text
    at, size = rng.randrange(len(text)), rng.choice((1, 1, 2, 8, 64))
    kind = rng.randrange(5)
    if kind == 0:
        return text[:at] + bytes([text[at] ^ (1 << rng.randrange(8))]) + text[at + 1 :]
    if kind == 1:
        return text[:at] + text[at + size :]
    if kind == 2:
        return text[:at] + text[at : at + size] * rng.choice((2, 3, 100)) + text[at + size :]
    if kind == 3:
        return text[:at] + rng.randbytes(size) + text[at:]
    return text[:at]


def damaged(rng: random.Random, text: bytes) -> bytes:
    """One to eight changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        ways = (swap_token, swap_token, copy_token, shuffle_lines, change_bytes)
        text = rng.choice(ways)(rng, text)
    return text


# ---------------------------------------------------------------- what is read


@cache
def seeds(kind: str) -> list[bytes]:
    """Valid inputs: small ones first, then those of the package."""
    import kinemesh as km

    data = Path(km.__file__).parent / "cases"
    if kind == "case":
        texts = [p.read_bytes() for p in sorted(data.glob("*.toml"))]
        return [FULL, *(t for t in texts if b'"data/' not in t)]  # those of files beside them
    if kind == "section":
        half = [(x / 12) ** 2 for x in range(12, 0, -1)]
        rows = [b"%.6f %.6f" % (x, 0.1 * x**0.5 * (1 - x)) for x in half]
        rows += [b"0 0", *(r.replace(b" ", b" -") for r in rows[::-1])]
        bare = b"a section\n" + b"\n".join(rows) + b"\n"
        return [bare, bare.replace(b" ", b", ")]
    if kind == "plot3d":
        plane = b"1\n3 3\n" + b"0 1 2 " * 3 + b"\n3*0 3*1.5D0 3*2\n"
        space = b"2 2 3\n" + b"0 1 " * 6 + b"\n" + b"0 0 1 1 " * 3 + b"\n4*0, 4*1, 4*2\n"
        return [plane, space, plane.replace(b"1\n", b"2\n3 3\n", 1) + plane[6:]]
    if kind == "msh":
        sys.path.append(str(Path(__file__).parents[1] / "tests"))
        from mesh_files import msh22, msh41, solid
        from solids import cube

        space = solid(cube(2), {"rim": 1})
        every = [(write, binary) for binary in (False, True) for write in (msh41, msh22)]
        return [write(binary, **own) for own in ({}, space) for write, binary in every]
    with tempfile.TemporaryDirectory() as folder:
        km.mesh.write(km.mesh.airfoil("naca0012", nodes=520), Path(folder) / "m.su2")
        small = (Path(folder) / "m.su2").read_bytes()
        km.mesh.write(km.mesh.sphere(500, cells="tets"), Path(folder) / "m.su2")
        large = (Path(folder) / "m.su2").read_bytes()
    shipped = [lzma.decompress(p.read_bytes()) for p in sorted((data / "data").glob("*.su2.xz"))]
    return [TINY, SPACE, small, large, *shipped]


def made(kind: str, seed: int, number: int) -> bytes:
    """Input `number` of a kind: the same bytes every time."""
    rng = random.Random(f"{kind}/{seed}/{number}")
    good = seeds(kind)
    weights = [1.0] * len(good)
    if kind in ("su2", "xz", "gz"):
        weights[:4] = [100.0, 100.0, 30.0, 30.0]  # small ones, which are read fast
    text = rng.choices(good, weights)[0]
    pack: Callable[[bytes], bytes] = {
        "xz": lambda raw: lzma.compress(raw, preset=0),
        "gz": lambda raw: gzip.compress(raw, 1, mtime=0),
    }.get(kind, bytes)
    if kind in ("xz", "gz", "msh") and rng.random() < 0.7:
        return change_bytes(rng, pack(text))
    return pack(damaged(rng, text))


def read_case(path: Path) -> None:
    """A case file up to, but without, its mesh and its run."""
    import kinemesh as km
    from kinemesh.cases.casefile import Case

    case = Case.read(path)
    km.AleSettings(**case.solver)
    if case.motion is not None:
        case.motion.build(case.flow.chord)
    if case.deform is not None:
        case.deform.build()


def read(kind: str, path: Path) -> None:
    """Read a file as a user would have it read."""
    import kinemesh as km

    if kind == "case":
        read_case(path)
    elif kind == "section":
        km.mesh.section(path)
    else:
        km.mesh.read(path)


SUFFIX = {
    "su2": ".su2", "xz": ".su2.xz", "gz": ".su2.gz", "msh": ".msh", "case": ".toml",
    "section": ".dat", "plot3d": ".p3d",
}  # fmt: skip


# ---------------------------------------------------------------- worker and watch


def limit_memory() -> None:
    """No more address space than is taken now, and ROOM."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def attempt(kind: str, path: Path) -> tuple[str, str] | None:
    """None, or (signature, traceback) of a failure that no reader may have."""
    from kinemesh.errors import KinemeshError

    try:
        read(kind, path)
    except KinemeshError:
        return None
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        ours = [f for f in frames if "kinemesh" in f.filename] or frames
        place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"
        text = "".join(traceback.format_exception(error)[-12:])
        return f"{kind} {type(error).__name__} {place}", text[-4000:]
    return None


def work(pipe: Connection, kinds: list[str], seed: int, first: int) -> None:
    """Read input after input; report each number and finding."""
    for kind in kinds:
        seeds(kind)
    warnings.simplefilter("error", RuntimeWarning)
    limit_memory()
    with tempfile.TemporaryDirectory() as folder:
        number = first
        while True:
            kind = kinds[number % len(kinds)]
            path = Path(folder) / f"input{SUFFIX[kind]}"
            path.write_bytes(made(kind, seed, number))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                found = attempt(kind, path)
            try:
                pipe.send((number, found))
            except BrokenPipeError:
                return
            number += 1


def core_seconds(process: int | None) -> float:
    """Time of a process on a core, by which a busy machine is no hang."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def answers(pipe: Connection, process: int | None, first: bool) -> bool:
    """Return True if the worker answers or ends in time; the first answer waits for imports."""
    patience = 6 * HANG if first else HANG
    if pipe.poll(min(patience, HANG)):
        return True
    begin, end = core_seconds(process), time.monotonic() + WAIT
    while core_seconds(process) - begin < patience and time.monotonic() < end:
        if pipe.poll(0.5):
            return True
    return False


def watch(
    kinds: list[str], seed: int, seconds: float, most: int
) -> Iterator[tuple[int, tuple[str, str] | None]]:
    """Results one by one; a worker that hangs or dies is replaced by the next."""
    context = multiprocessing.get_context("spawn")
    end, number = time.monotonic() + seconds, 0
    while time.monotonic() < end and number < most:
        ours, theirs = context.Pipe(duplex=False)
        worker = context.Process(target=work, args=(theirs, kinds, seed, number), daemon=True)
        worker.start()
        theirs.close()
        alive, begin = True, number
        while alive and time.monotonic() < end and number < most:
            kind = kinds[number % len(kinds)]
            found: tuple[str, str] | None
            try:
                alive = answers(ours, worker.pid, number == begin)
                found = ours.recv()[1] if alive else (f"{kind} hang", "no answer in time")
            except EOFError:
                worker.join()
                alive, found = False, (f"{kind} end of process", f"exit code {worker.exitcode}")
            yield number, found
            number += 1
        worker.kill()
        worker.join()
        ours.close()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--count", type=int, default=sys.maxsize, help="stop after so many inputs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default=",".join(SUFFIX), help="(default: %(default)s)")
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"), help="folder of findings")
    parser.add_argument("--show", nargs=2, metavar=("KIND", "NUMBER"), help="write one input")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    if options.show:
        sys.stdout.buffer.write(made(options.show[0], options.seed, int(options.show[1])))
        return 0
    kinds = options.kinds.split(",")
    found: Counter[str] = Counter()
    inputs = 0
    for number, result in watch(kinds, options.seed, options.seconds, options.count):
        inputs += 1
        if result is None:
            continue
        signature, text = result
        found[signature] += 1
        if found[signature] == 1:
            kind = kinds[number % len(kinds)]
            options.out.mkdir(parents=True, exist_ok=True)
            path = options.out / f"{kind}-{options.seed}-{number}{SUFFIX[kind]}"
            path.write_bytes(made(kind, options.seed, number))
            print(f"{signature}: input {number}, saved as {path}\n{text}", flush=True)
    print(f"{inputs} inputs of {', '.join(kinds)}, seed {options.seed}")
    for signature, times in found.most_common():
        print(f"  {times} x {signature}")
    if not inputs:
        print("nothing was read: the worker did not start")
    return 1 if found or not inputs else 0


if __name__ == "__main__":
    raise SystemExit(main())
