#!/usr/bin/env python3
"""Tables of docs/loops.md from figures of `kinemesh bench --loops --json FILE`.

    tools/loops.py FILE...    a table for each mesh and order, sizes side by side, as Markdown

Milliseconds (of one thread those of the processor), in brackets predicted, the fastest of a
procedure bold; then ratios to the loop over faces beside those of Weng et al.  PYTHONPATH=python in
a clone.
"""

import argparse
from pathlib import Path

from kinemesh.bench.loops.procedures import ROWS
from kinemesh.bench.loops.report import OTHERS, PAPER
from kinemesh.bench.table import heading, read


def digits(value):
    """Three digits."""
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3}f}"


def line(*texts):
    """A row of a table."""
    return f"| {' | '.join(texts)} |"


def times(by, sizes):
    """Rows of milliseconds: figures by row and size."""
    for row in ROWS:
        found = [by.get((row.name, size)) for size in sizes]
        if not any(found):
            continue
        texts = []
        for size, figure in zip(sizes, found, strict=True):
            alike = [
                seconds(by[r.name, size])
                for r in ROWS
                if r.procedure == row.procedure and r.loops not in OTHERS and (r.name, size) in by
            ]
            texts.append(time(figure, alike, row.loops))
        yield line(row.procedure, row.loops, *texts)


def seconds(figure):
    """Seconds of a row, of one thread without what others use of the processor."""
    return figure["process" if figure["threads"] == 1 else "seconds"]


def time(figure, alike, loops):
    """Milliseconds of a figure, bold where none of those alike is faster."""
    if figure is None:
        return ""
    text = digits(1e3 * seconds(figure))
    if loops not in OTHERS and seconds(figure) <= min(alike):
        text = f"**{text}**"
    predicted = figure["predicted"]
    return text if predicted is None else f"{text} ({digits(1e3 * predicted)})"


def ratios(by, sizes):
    """Rows of ratios to the loop over faces, beside the paper's."""
    for (procedure, loops), known in PAPER.items():
        pairs = [(by.get((f"{procedure}-{loops}", n)), by.get((f"{procedure}-faces", n)))
                 for n in sizes]  # fmt: skip
        if any(a and b for a, b in pairs):
            texts = [f"{seconds(a) / seconds(b):.2f}" if a and b else "" for a, b in pairs]
            yield line(procedure, loops, *texts, known)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    runs = {}
    for figure in read(parser.parse_args().files):
        if "loops" in figure:
            key = heading(figure).split(", copies")[0], figure["mesh"], figure["order"]
            runs.setdefault(key, {})[figure["row"], figure["nodes"]] = figure
    for (device, mesh, order), by in runs.items():
        sizes = sorted({size for _, size in by})
        counts = [f"{size:,}" for size in sizes]
        rule = line("---", "---", *["---:"] * len(sizes))
        print(f"{device}; {mesh}, {order}; cells:\n")
        print(line("procedure", "loop", *counts), rule, *times(by, sizes), "", sep="\n")
        head = line("procedure", "loop", *counts, "V100, 1 to 8.8 million cells")
        print(head, f"{rule} --- |", *ratios(by, sizes), "", sep="\n")


if __name__ == "__main__":
    main()
