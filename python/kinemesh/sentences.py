"""Sentences of errors and warnings with their facts; doors read the facts and may reword them.

A door is what stands between a user and the solver: the shell, case files, rows of sweeps, tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, SupportsIndex


@dataclass(frozen=True, slots=True)
class Member:
    """Word: the member that a sentence is about."""

    number: int

    def __str__(self) -> str:
        return f"member {self.number}: "


@dataclass(frozen=True, slots=True)
class Place:
    """Word: a section of a case file, of tables within tables by their names, and a key in it."""

    section: str | tuple[str, ...]
    key: str = ""

    @property
    def path(self) -> tuple[str, ...]:
        """Names of the tables from the outermost to that of the key."""
        return (self.section,) if isinstance(self.section, str) else self.section

    def __str__(self) -> str:
        section = f"[{'.'.join(self.path)}]" if any(self.path) else ""
        return " ".join(filter(None, [section, self.key]))


@dataclass(frozen=True, slots=True)
class Option:
    """Word: a value to give, in the words of Python; `flag`: that of the shell, said beside it."""

    name: str
    value: Any
    flag: str = ""
    in_python: bool = False  # the words "in Python" before the argument

    @property
    def argument(self) -> str:
        """The argument in Python."""
        return f"{self.name}={self.value!r}"

    def __str__(self) -> str:
        if not self.flag:
            return self.argument
        return f"{self.flag} ({'in Python: ' if self.in_python else ''}{self.argument})"


@dataclass(frozen=True, slots=True)
class Value:
    """Word: the value that a key or an argument has, and should not."""

    value: Any

    def __str__(self) -> str:
        return f" = {self.value!r}"


@dataclass(frozen=True, slots=True)
class Term:
    """Word: a noun for which another room has one of its own: nodes of meshes, points of clouds."""

    name: str

    def __str__(self) -> str:
        return self.name


NODE, NODES = Term("node"), Term("nodes")
RESUME = Option("resume", True, "--resume")
TO_RESUME = Option("resume", True, "--resume", in_python=True)
NO_RESUME = Option("resume", False, "--resume")  # after "without"
OVERWRITE = Option("overwrite", True, "--overwrite")

Word = str | Member | Place | Option | Value | Term
ALL_FAILED = "all members failed"  # what a note of a run is about
FACTS = ("about", "argument", "place", "expected", "advice")


class Sentence(str):
    """A text with the words that it is made of, and its facts.

    Parameters
    ----------
    words : texts, Member, Place, Option, Value, Term; of a Sentence its words, and those of its
        facts that are not given
    member, members : whose it is; a single one is its first word
    about : its cause, a name that notes of several members share
    argument : name of the argument of Python that is wrong
    place : node, cell, body or Place that it is about; that of its words where it is not given
    expected, advice : what would be right, what to do; they end the sentence

    `words` and the facts are attributes; an absent fact is an empty text.
    """

    words: tuple[Word, ...]
    members: tuple[int, ...]
    about: str
    argument: str
    place: str | Place
    expected: str
    advice: str

    def __new__(
        cls,
        *words: Any,
        member: SupportsIndex | None = None,
        members: Iterable[int] = (),
        expected: str = "",
        advice: str = "",
        **facts: Any,
    ) -> Sentence:
        made: list[Word] = [] if member is None else [Member(int(member))]
        for word in words:
            made += word.words if isinstance(word, Sentence) else [word]
        for start, end in ((", expected ", expected), ("; ", advice)):
            if end:
                made += [start, *(end.words if isinstance(end, Sentence) else [end])]
        self = super().__new__(cls, "".join(map(str, made)))
        self.words = tuple(made)
        own = {"expected": expected, "advice": advice, **facts}
        inner = [word for word in words if isinstance(word, Sentence)]
        for name in FACTS:
            given = [own.pop(name, ""), *(getattr(one, name) for one in inner)]
            setattr(self, name, next(filter(None, given), ""))
        if own:
            raise TypeError(f"Sentence: no facts {sorted(own)}")
        self.place = self.place or next((w for w in made if isinstance(w, Place)), "")
        named = [word.number for word in made if isinstance(word, Member)]
        several = [m for one in inner for m in one.members]
        self.members = tuple(dict.fromkeys([*members, *named, *several]))
        return self

    @property
    def member(self) -> int | None:
        """The member that it is about; None of none, or of several."""
        return self.members[0] if len(self.members) == 1 else None

    @property
    def begins(self) -> Place | None:
        """The place that it begins with."""
        first = self.words[0] if self.words else ""
        return first if isinstance(first, Place) else None

    @property
    def alone(self) -> str:
        """The text without the member."""
        return self.told(lambda word: "" if isinstance(word, Member) else str(word))

    def told(self, say: Callable[[Word], str]) -> str:
        """The text as a door says its words."""
        return "".join(say(word) for word in self.words)

    def changed(self, change: Callable[[Word], Word]) -> Sentence:
        """The sentence with words changed; of the facts its place follows."""
        place = change(self.place) if isinstance(self.place, Place) else self.place
        facts = {name: getattr(self, name) for name in ("about", "argument")}
        made = Sentence(*map(change, self.words), members=self.members, place=place, **facts)
        for name in ("expected", "advice"):
            fact = getattr(self, name)
            setattr(made, name, fact.changed(change) if isinstance(fact, Sentence) else fact)
        return made

    def renamed(self, terms: Mapping[Term, str]) -> Sentence:
        """The sentence with other nouns."""
        return self.changed(lambda word: terms.get(word, word) if isinstance(word, Term) else word)

    def placed(self, move: Callable[[Place], Place]) -> Sentence:
        """The sentence with other places of case files."""
        return self.changed(lambda word: move(word) if isinstance(word, Place) else word)

    def row(self) -> dict[str, Any]:
        """Member, cause and text without the member, as a summary keeps them."""
        return {"member": self.member, "about": self.about, "text": self.alone}


def joined(parts: Iterable[str], between: str = ", ", last: str = "") -> Sentence:
    """Parts in one sentence with a text between them, which may differ before the last one."""
    words: list[str] = []
    each = list(parts)
    for number, part in enumerate(each):
        end = last and number == len(each) - 1
        words += [] if not number else [last if end else between]
        words.append(part)
    return Sentence(*words)


def said(of: object) -> Sentence:
    """The sentence of an error or a warning; of anything else its text."""
    first = of.args[0] if isinstance(of, BaseException) and of.args else of
    return first if isinstance(first, Sentence) else Sentence(str(of))


def rows_of(notes: Iterable[str]) -> list[dict[str, Any]]:
    """Rows of notes, for JSON."""
    return [said(note).row() for note in notes]


def of_row(row: Any) -> Sentence:
    """The sentence of a row that `Sentence.row` gave; of a text, as of an older file, itself."""
    if not isinstance(row, Mapping):
        return Sentence(str(row))
    return Sentence(row["text"], member=row["member"], about=row["about"])


def of_failure(row: Mapping[str, Any]) -> Sentence:
    """The sentence of a member that failed, from its row in a summary."""
    count = "" if row["iteration"] is None else f", iteration {row['iteration']}"
    facts = {name: row.get(name, "") for name in ("place", "about", "advice")}
    return Sentence(f"{row['cause']} ({row['phase']}{count})", member=row["member"], **facts)


def gathered(notes: Iterable[str]) -> list[Sentence]:
    """Notes, those of several members about one thing in one: the first text, all the members."""
    alike: dict[Any, list[Sentence]] = {}
    for note in map(said, dict.fromkeys(notes)):
        alike.setdefault((note.member is None, note.about or note.alone), []).append(note)
    found = []
    for own in alike.values():
        members = sorted({note.member for note in own if note.member is not None})
        if len(members) < 2:
            found += own
        else:
            text = Sentence(
                f"members {_spans(members)} ({len(members)}): of member {own[0].member}: ",
                *(word for word in own[0].words if not isinstance(word, Member)),
                " (the summary's warnings have the others' numbers)",
                members=members,
                about=own[0].about,
            )
            found.append(text)
    return found


def _spans(members: list[int]) -> str:
    """Numbers in ascending order, runs of three or more from the first to the last."""
    runs: list[list[int]] = []
    for m in members:
        if runs and m == runs[-1][-1] + 1:
            runs[-1].append(m)
        else:
            runs.append([m])
    texts = [f"{r[0]} to {r[-1]}" if len(r) > 2 else ", ".join(map(str, r)) for r in runs]
    return ", ".join(texts)


def point_in_words(x: Any, digits: int = 6) -> str:
    """A place by its coordinates; zero for one that rounding left of a zero."""
    return f"({', '.join(f'{round(float(c), 12) + 0.0:.{digits}g}' for c in x)})"
