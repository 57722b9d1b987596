"""Titles of figures: the case of a run, with the stream and the motion of a member."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinemesh.errors import CaseError
from kinemesh.plot import channels
from kinemesh.plot.units import CHORDS, Unit, unit_of
from kinemesh.plot.words import CHORD, of_member, unit
from kinemesh.results.asked import values, varying

if TYPE_CHECKING:
    from kinemesh.results import Run

TITLES = ("mach", "reynolds", "alpha_deg", "k", "omega", "amplitude_deg", "amplitude")


def differing(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of the numbers and texts that vary from member to member."""
    return [name for name in varying(rows) if len(values(rows, name)) > 1]


def in_words(row: Mapping[str, Any], names: Sequence[str], length: str = CHORD) -> str:
    """A member for a title: `Mach 0.5, k 0.1`; `length` is the word of what lengths are in."""
    return ", ".join(of_member(row, [name for name in names if row.get(name) is not None], length))


def case_of(run: Run) -> str:
    """Title of a run's case, else its name; empty without a case."""
    case = run.summary.get("case") or {}
    return str(case.get("title") or case.get("name") or "")


def title_of(run: Run, member: int) -> str:
    """Title of the case, with the stream and motion of a member on a second line.

    What all members share, and the title says (`title_says` of the case), is not said again.  A gas
    that comes from reservoirs alone has no stream; beside walls, whose coefficients go by it, the
    title says so.
    """
    case, rows = case_of(run), run.asked()
    said = (run.summary.get("case") or {}).get("title_says") or {}
    names = [
        n for n, value in rows[member].items() if _told(n) and (n not in said or said[n] != value)
    ]
    names += differing(rows)
    if rows[member].get("stream") == 0:  # which has no angle
        names = [n for n in names if n != "alpha_deg"]
    reservoirs = channels.total_pressure(run, member) is not None
    if reservoirs:
        names = [n for n in names if n not in ("mach", "alpha_deg") or n in differing(rows)]
    names = list(dict.fromkeys(names))
    row, length = in_unit(run, member, rows[member])
    words = in_words(row, names, length)
    if reservoirs and run.summary["mesh"].get("walls"):
        words += f"{', ' * bool(words)}coefficients by Mach {rows[member]['mach']:g}"
    return "\n".join(text for text in (case, words) if text)


def in_unit(run: Run, member: int, row: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Conditions with their lengths in the unit of the axes, and its word: of a round body its
    diameter."""
    lengths = {n for n, v in row.items() if unit(n) == CHORD and isinstance(v, int | float)}
    if not lengths:
        return dict(row), CHORD
    of = _unit(run, member)
    return {n: v / of.size if n in lengths else v for n, v in row.items()}, of.word


def _unit(run: Run, member: int) -> Unit:
    """Unit of the axes of a member; chords of a run without files."""
    if run.out is not None:
        try:
            return unit_of(run, run.fields(member=member))
        except CaseError:  # no file of fields
            pass
    return Unit(float(run.summary.get("conditions", {}).get("chord") or 1.0))


def run_of(result: Any) -> tuple[Any, int]:
    """Run and member that a result is of, opened where it is given by its folder; None of one that
    knows no run, or of a folder without a summary."""
    return (None, 0) if result.source is None else (_opened(result.source[0]), result.source[1])


def unit_of_result(result: Any) -> Unit:
    """Unit of the axes of the run that a result is of; chords of one that knows no run."""
    run, member = run_of(result)
    return CHORDS if run is None else _unit(run, member)


def _opened(run: Any) -> Any:
    from kinemesh.results.opening import open_run

    try:
        return open_run(run) if isinstance(run, str | Path) else run
    except CaseError:  # a folder without a summary
        return None


def _told(name: str) -> bool:
    """Return True if titles show a condition: stream, reduced frequency, amplitudes."""
    return any(name == told or name.endswith(f"_{told}") for told in TITLES)


def titled(title: str | None, *results: Any) -> str:
    """Title that is given, else what the titles of the runs have in common that results are of."""
    if title is not None:
        return title
    return in_common([own.source for own in results if own.source is not None])


def in_common(sources: Iterable[tuple[Any, ...]]) -> str:
    """Title of members of runs, (run or folder, member, more words): what all of them say."""
    lines = [_lines(*source) for source in sources]
    if not lines:
        return ""
    case = lines[0][0] if all(own[0] == lines[0][0] for own in lines) else ""
    words = [one for one in lines[0][1] if all(one in own[1] for own in lines)]
    return "\n".join(text for text in (case, ", ".join(words)) if text)


def _lines(run: Any, member: int, more: str = "") -> tuple[str, list[str]]:
    """Title of the case, and the conditions of a member one by one."""
    found = _opened(run)
    if found is None:
        return "", []
    case, title = case_of(found), title_of(found, member)
    words = title.removeprefix(case).strip("\n")
    return case, [*(words.split(", ") if words else []), *([more] if more else [])]
