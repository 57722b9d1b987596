"""Sentences of the library in the words of the shell, where the program has them printed."""

from __future__ import annotations

import sys
import textwrap
from typing import Any

from kinemesh.sentences import Option, Sentence, said

FLAGS = ("device", "dtype", "method", "deform", "until", "resume", "overwrite")


def in_shell(text: object) -> str:
    """A sentence with its options in the words of the shell: device='cpu' is --device cpu."""
    return said(text).told(lambda word: _option(word) if isinstance(word, Option) else str(word))


def _option(option: Option) -> str:
    """A value to give, by its flag, or as the key of a case file that has none."""
    if option.flag:
        return option.flag
    if option.name not in FLAGS:
        return f"{option.name} = {option.value!r}"
    return f"--{option.name}" if option.value is True else f"--{option.name} {option.value}"


def complain(text: object) -> None:
    """Print what is wrong as a paragraph."""
    paragraph = textwrap.fill(
        " ".join(in_shell(text).split()), width=96, break_long_words=False, break_on_hyphens=False
    )
    print(f"kinemesh: {paragraph}", file=sys.stderr)


def warn(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning as a sentence, without the line of code that it came from."""
    complain(Sentence("warning: ", said(message)))
