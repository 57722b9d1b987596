"""Tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any


def table_of(head: Sequence[str], rows: Iterable[Sequence[Any]], caption: str) -> str:
    """An HTML table under its caption; numbers with five figures, None as a dash."""
    names = "".join(f"<th>{escape(name)}</th>" for name in head) if any(head) else ""
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_text(value))}</td>" for value in row) + "</tr>"
        for row in rows
    )
    return f"<div>{escape(caption)}</div><table><tr>{names}</tr>{body}</table>"


def _text(value: Any) -> str:
    if value is None:
        return "\N{EN DASH}"
    return f"{value:.5g}" if isinstance(value, float) else str(value)
