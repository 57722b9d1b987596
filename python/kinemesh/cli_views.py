"""Options of the program for pictures of a flow, and words that are no command."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from typing import Any

from kinemesh.errors import CaseError, did_you_mean

OF_FILES = (
    "; of a case's mesh see `kinemesh check CASE`, of a file `kinemesh check CASE --mesh FILE`, in "
    "Python km.mesh.quality(km.mesh.read(FILE))"
)


def add_arguments(command: Any) -> None:
    """Window, colour range and frame of pictures of the flow."""
    add = command.add_argument
    add(
        "--view",
        metavar="VIEW",
        help="what pictures show: body, wake, or x0,x1,y0,y1 in chords (default: of incompressible "
        "flow the wake, else the body)",
    )
    add(
        "--range",
        metavar="LOW,HIGH",
        help="values that the colours of the vorticity, of the Mach number or of a film begin and "
        "end with",
    )
    add(
        "--frame",
        metavar="NAME",
        default="world",
        help="what pictures are at rest with: world, body, or the name of a body",
    )


def add_reference(command: Any) -> None:
    """References of loops."""
    command.add_argument(
        "--reference",
        metavar="REF",
        action="append",
        help="draw the loop beside this one: folder of another run, file of a table, or ready case "
        "with a published loop; may be given again",
    )


def refuse_reference(arguments: argparse.Namespace) -> None:
    """Refuse references of a film."""
    if arguments.reference:
        raise CaseError("--reference: loops are drawn beside it, and --animate makes a film")


def shown(arguments: argparse.Namespace) -> dict[str, Any]:
    """Arguments of `kinemesh.plot` from options in the command."""
    return {name: getattr(arguments, name) for name in ("view", "range", "frame")}


def joined(words: Sequence[str]) -> list[str]:
    """Words in which `--view -1,5,-2,2` is one, as argparse takes a minus for an option."""
    made: list[str] = []
    for word in words:
        if made and made[-1] in ("--view", "--range") and re.match(r"-[\d.]", word):
            made[-1] += f"={word}"
        else:
            made.append(word)
    return made


def check(arguments: argparse.Namespace) -> None:
    """Refuse a view that is none before the run."""
    from kinemesh.plot.views import View

    View.of(**shown(arguments))


def no_command(words: Sequence[str], commands: Iterable[str]) -> str:
    """Sentence on a word that is no command and is near to one; "" of others."""
    word = next((word for word in words if not word.startswith("-")), "")
    known = list(commands)
    if not word or word in known:
        return ""
    hint = OF_FILES if word == "quality" else did_you_mean(word, known)
    return hint and f"argument COMMAND: invalid choice: {word!r}{hint}"
