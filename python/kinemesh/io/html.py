"""Tables for notebooks, and as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any


def table_of(head: Sequence[str], rows: Iterable[Sequence[Any]], caption: str) -> str:
    """An HTML table under its caption; numbers with five figures, None as a dash."""
    names = "".join(f"<th>{escape(name)}</th>" for name in head) if any(head) else ""
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(entry(value))}</td>" for value in row) + "</tr>"
        for row in rows
    )
    return f"<div>{escape(caption)}</div><table><tr>{names}</tr>{body}</table>"


def text_of(head: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """Table in lines of text, its columns aligned, the caption above; entries as of `table_of`."""
    table = [list(head), *([entry(value) for value in row] for row in rows)]
    wide = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [
        "  ".join([row[0].ljust(wide[0]), *map(str.rjust, row[1:], wide[1:])]).rstrip()
        for row in table
    ]
    return "\n".join([*filter(None, [caption]), *lines])


def entry(value: Any) -> str:
    """A value as it stands in a table."""
    if value is None:
        return "\N{EN DASH}"
    return f"{value:.5g}" if isinstance(value, float) else str(value)
