"""Pictures, sizes and seconds of ready cases and notebooks, and the page of them.

    python tools/gallery.py run [NAME ...] [--device cuda] [--processes 8] [--work FOLDER]
    python tools/gallery.py page

`run` runs each ready case by the command that the page shows, and the cells of each notebook, one
after the other or `--processes` side by side, on one thread each.  It keeps the seconds of the
whole command, figures included, in docs/img/gallery/times.json under the name of the device, and
with `--pictures` one of the figures beside it.  `page` writes docs/gallery.md, and the pictures of
the README, from what is there.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "img" / "gallery"
TIMES, PAGE = PICTURES / "times.json", ROOT / "docs" / "gallery.md"
WIDTH, COLOURS = 420, 96  # of a thumbnail
README = ROOT / "README.md"
BEGIN, END = "<!-- gallery: written by tools/gallery.py -->", "<!-- end of the gallery -->"
MOST = 3600  # seconds of a command
HEAD = """# Gallery

Made by `tools/gallery.py` from runs; do not edit.
Every ready case and notebook, with its command, nodes (points of a cloud), and the seconds of the
whole command, figures included: on one core of a CPU ({cpu}, 13 runs side by side on 16 cores) and
on a GPU ({cuda}); - where that was not measured.
"""


class Shown(NamedTuple):
    """Figure of a case that the page shows, and options of its command beside the name."""

    figure: str
    options: str = ""


CASES = {
    "agard-4456": Shown("cycle", "--size coarse"),
    "agard-ct3-sa": Shown("hysteresis", "--size coarse"),
    "agard-ct5": Shown("hysteresis"),
    "agard-ct5-sa": Shown("mach", "--size coarse"),
    "agard-ct6": Shown("cycle"),
    "agard-ct6-sa": Shown("hysteresis", "--size coarse"),
    "bump-sa": Shown("friction", "--size coarse"),
    "cavity": Shown("vorticity"),
    "cavity-spinning": Shown("vorticity"),
    "channel-cylinder": Shown("pressure"),
    "ct5-extruded": Shown("hysteresis"),
    "cylinder": Shown("vorticity"),
    "cylinder-100-m02": Shown("vorticity"),
    "cylinder-40-m02": Shown("friction"),
    "cylinder-free": Shown("vorticity"),
    "cylinder-steady": Shown("pressure"),
    "cylinder-towed": Shown("loads"),
    "flat-plate": Shown("layers"),
    "flat-plate-ar2": Shown("cut", "--size coarse"),
    "flat-plate-sa": Shown("friction", "--size coarse"),
    "foil-harvester": Shown("vorticity"),
    "isogai-a": Shown("loads"),
    "naca0012-laminar": Shown("vorticity"),
    "naca0012-sa": Shown("layers", "--size coarse"),
    "naca0012-sa-extruded": Shown("sections", "--size coarse"),
    "naca0012-subsonic": Shown("mesh"),
    "naca0012-transonic": Shown("cp"),
    "nozzle-shock": Shown("cp"),
    "oneram6": Shown("cp", "--points 40000"),
    "oneram6-sa": Shown("sections", "--size coarse"),
    "oneram6-twist": Shown("cycle", "--size coarse"),
    "oneram6-twist-sa": Shown("mesh", "--size coarse"),
    "oscillating-cylinder": Shown("loads"),
    "pitching-naca0012": Shown("vorticity", "--size coarse"),
    "plunging-naca0012": Shown("vorticity", "--size coarse"),
    "plunging-wing": Shown("cut", "--size coarse"),
    "plunging-wing-m02": Shown("cycle", "--size coarse"),
    "sphere-100": Shown("cut", "--size coarse"),
    "sphere-100-incompressible": Shown("cut", "--size coarse"),
    "sphere-300": Shown("cut", "--size coarse"),
    "sphere-75-moving": Shown("cut", "--size coarse"),
    "sphere-75-towed": Shown("grids", "--size coarse"),
    "taylor-couette": Shown("grids"),
    "three-element": Shown("mach"),
    "two-cylinders": Shown("vorticity", "--size coarse"),
    "wing-bend": Shown("cycle", "--size coarse"),
}
FRONT = {  # of the README, in the order of the goal of each; what the picture shows
    "agard-ct5": "Loops of AGARD CT5 beside SU2's",
    "sweep": "Damping of 200 pitching sections, and where it is lost",
    "oneram6": "ONERA M6 on a cloud of points: pressures on both sides",
    "naca0012-sa": "Turbulent boundary layer: u+ over y+",
    "flutter": "Flutter boundary of a section: by pulses, and in time",
    "foil-harvester": "Foil that plunges on a damper and takes power from the stream",
    "plunging-naca0012": "Vorticity of a plunging wing section on overset grids",
    "three-element": "Slat, main element and flap of the 30P30N on a cloud of points",
    "cylinder": "Wake of a cylinder",
    "nozzle-shock": "Nozzle with a shock: pressure along it",
}
NOTEBOOKS = {  # number of the figure that the page shows, from the first or from the last one
    "agard_ct5": -1,
    "boundary_layer": -1,
    "four_methods": 0,
    "flutter": 0,
    "from_scratch": -1,
    "mesh_and_meshless": -1,
    "overset": -1,
    "sweep": 0,
    "turbulent_wing": 1,
    "twist": 2,
    "wing": 0,
    "wing_overset": -1,
}


def command(name: str) -> str:
    """Command of a ready case, as a user writes it."""
    return " ".join(["kinemesh run", name, *CASES[name].options.split()])


def shrink(source: Path, target: Path) -> None:
    """A picture in the width of a thumbnail, of few colours."""
    from PIL import Image

    with Image.open(source) as image:
        height = round(image.height * WIDTH / image.width)
        small = image.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
        small.quantize(COLOURS).save(target, optimize=True)


def run_case(name: str, device: str, work: Path) -> dict[str, Any]:
    """Nodes and seconds of a ready case, run by its command."""
    folder = work / name
    asked = [*command(name).split()[1:], "--device", device, "--out", str(folder), "--overwrite"]
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "kinemesh", *asked, "--quiet"],
        capture_output=True, text=True, timeout=MOST, check=False,
    )  # fmt: skip
    seconds = time.perf_counter() - begin
    if done.returncode not in (0, 3):
        raise SystemExit(f"{name}: status {done.returncode}\n{done.stderr[-800:]}")
    summary = json.loads((folder / "summary.json").read_text())
    return {"nodes": sum(summary["unknowns"]), "seconds": seconds, "status": done.returncode}


def run_notebook(name: str, device: str, work: Path) -> dict[str, Any]:
    """Seconds of a notebook, whose cells run in a process of their own."""
    del device  # that of "auto", which an environment without GPUs makes a CPU
    folder = work / name
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), "cells", name],
        cwd=folder, capture_output=True, text=True, timeout=MOST, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{name}: status {done.returncode}\n{done.stderr[-800:]}")
    return {"seconds": time.perf_counter() - begin}


def run_cells(name: str) -> None:
    """The cells of a notebook; the figure that the page shows is kept as figure.png here."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib.figure import Figure

    notebook = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text("utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    figures: list[Figure] = []
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        body = ast.parse("".join(x for x in cell["source"] if not x.startswith("%"))).body
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), name, "exec"), names)
        if isinstance(last, ast.Expr):
            shown = eval(compile(ast.Expression(last.value), name, "eval"), names)
            figures += [shown] if isinstance(shown, Figure) else []
    figures[NOTEBOOKS[name]].savefig("figure.png", dpi=150)


def run(names: list[str], device: str, processes: int, work: Path, pictures: bool) -> None:
    """Cases and notebooks, with their times and, where asked, their pictures kept."""
    os.environ["OMP_NUM_THREADS"] = "1"
    if device == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
    times = json.loads(TIMES.read_text()) if TIMES.exists() else {"devices": {}, "runs": {}}
    times["devices"][device] = model(device)

    def one(name: str) -> None:
        found = (run_case if name in CASES else run_notebook)(name, device, work)
        print(f"{name}: {found}", flush=True)
        own = times["runs"].setdefault(name, {})
        own["nodes"] = found.get("nodes", own.get("nodes"))
        own[device] = round(found["seconds"], 1)
        figure = f"{CASES[name].figure}.png" if name in CASES else "figure.png"
        if pictures:
            shrink(work / name / figure, PICTURES / f"{name}.png")

    PICTURES.mkdir(exist_ok=True)
    with ThreadPoolExecutor(processes) as pool:
        for done in [pool.submit(one, name) for name in names]:
            if error := done.exception():
                print(error, flush=True)
    times["runs"] = dict(sorted(times["runs"].items()))
    TIMES.write_text(json.dumps(times, indent=1) + "\n")


def model(device: str) -> str:
    """Name of the processor, or of the GPU."""
    if device == "cuda":
        asked = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))


def page() -> str:
    """Text of docs/gallery.md."""
    from kinemesh import cases

    times = json.loads(TIMES.read_text())

    def seconds(name: str, device: str) -> str:
        found = times["runs"].get(name, {}).get(device)
        return "-" if found is None else f"{found:.0f}" if found >= 10 else f"{found:.1f}"

    def rows(named: dict[str, tuple[str, str, str]]) -> list[str]:
        lines = ["", "| | | nodes | s, CPU | s, GPU |", "|---|---|---|---|---|"]
        for name, (title, told, alt) in named.items():
            nodes = times["runs"].get(name, {}).get("nodes")
            lines.append(
                f"| ![{alt}](img/gallery/{name}.png) | {title}<br>{told} | "
                f"{'-' if nodes is None else f'{nodes:,}'} | {seconds(name, 'cpu')} | "
                f"{seconds(name, 'cuda')} |"
            )
        return lines

    ready = {
        name: (cases.load(name).title, f"`{command(name)}`", f"{name}, {CASES[name].figure}")
        for name in sorted(CASES)
    }
    books = {
        name: (title_of(name), f"{{doc}}`notebooks/{name}`", f"notebook {name}")
        for name in NOTEBOOKS
    }
    head = HEAD.format(**times["devices"])
    return "\n".join([head + "\n## Ready cases", *rows(ready), "\n## Notebooks", *rows(books), ""])


def readme() -> str:
    """Text of the README, with its pictures, their commands and their seconds as last measured."""
    text = README.read_text("utf-8")
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    times = json.loads(TIMES.read_text())["runs"]

    def told(name: str) -> str:
        seconds = times.get(name, {}).get("cpu")
        where = f"`{command(name)}`" if name in CASES else f"[notebook](notebooks/{name}.ipynb)"
        return f"{FRONT[name]}: {where}" + ("" if seconds is None else f", {seconds:.0f} s")

    names, lines = list(FRONT), ["", "| | |", "|---|---|"]
    for pair in zip(names[::2], names[1::2], strict=True):
        pictures = [f"![{FRONT[name]}](docs/img/gallery/{name}.png)" for name in pair]
        lines += [f"| {' | '.join(pictures)} |", f"| {' | '.join(map(told, pair))} |"]
    return text[:begin] + "\n".join([*lines, "", text[end:]])


def title_of(notebook: str) -> str:
    """Heading of a notebook."""
    cells = json.loads((ROOT / "notebooks" / f"{notebook}.ipynb").read_text("utf-8"))["cells"]
    return str(cells[0]["source"][0]).strip("# \n")


def main() -> None:
    parser = argparse.ArgumentParser(description="pictures and seconds of ready cases")
    parser.add_argument("what", choices=["run", "page", "cells"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--pictures", action="store_true")
    asked = parser.parse_args()
    if asked.what == "cells":
        run_cells(asked.names[0])
    elif asked.what == "page":
        PAGE.write_text(page(), encoding="utf-8")
        README.write_text(readme(), encoding="utf-8")
    else:
        work = asked.work or Path(tempfile.mkdtemp())
        names = asked.names or [*CASES, *NOTEBOOKS]
        run(names, asked.device, asked.processes, work, asked.pictures)


if __name__ == "__main__":
    main()
