"""Sentences of errors and warnings carry their facts, whatever becomes of their words."""

import copy
import pickle
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from kinemesh import errors
from kinemesh.errors import (
    KinemeshError,
    KinemeshWarning,
    NumericalFault,
    SettingsError,
    warn,
    warn_of,
)
from kinemesh.sentences import (
    NO_RESUME,
    Member,
    Option,
    Place,
    Sentence,
    gathered,
    of_failure,
    of_row,
    rows_of,
    said,
)

KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, KinemeshError | KinemeshWarning)
]
FULL = Sentence(
    Place("mesh", "nodes"),
    " = 3",
    member=2,
    about="too few",
    argument="nodes",
    expected="500",
    advice=Sentence("run without ", NO_RESUME, " to begin anew"),
)
FACTS = ("members", "about", "argument", "place", "expected", "advice", "words")


def facts(sentence):
    return {name: getattr(sentence, name) for name in FACTS}


def test_a_sentence_says_whose_what_expected_and_advice_in_this_order():
    assert FULL == (
        "member 2: [mesh] nodes = 3, expected 500; run without --resume (resume=False) to begin "
        "anew"
    )
    assert FULL.member == 2
    assert FULL.place == Place("mesh", "nodes")
    assert FULL.alone == FULL[len("member 2: ") :]


def test_an_unknown_fact_is_refused():
    with pytest.raises(TypeError, match="remedy"):
        Sentence("x", remedy="y")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("through", [copy.copy, lambda e: pickle.loads(pickle.dumps(e))])
def test_errors_keep_their_facts_from_process_to_process(kind, through):
    error = kind(FULL)
    error.add_note("as a user adds one")
    kept = through(error)

    assert type(kept) is kind
    assert str(kept) == str(error) == FULL
    assert facts(kept.said) == facts(FULL)
    assert kept.__notes__ == error.__notes__


def test_an_error_has_the_facts_as_attributes():
    error = SettingsError(FULL)
    assert (error.member, error.place, error.argument) == (2, Place("mesh", "nodes"), "nodes")
    assert (error.expected, error.advice) == ("500", FULL.advice)
    plain = SettingsError("w has 3 entries")
    assert (plain.member, plain.place, plain.advice) == (None, "", "")
    assert str(SettingsError()) == ""


def test_words_around_a_sentence_leave_it_its_facts():
    around = Sentence("pre-flight, step 3: ", FULL, "; no flow was computed")
    assert around == f"pre-flight, step 3: {FULL}; no flow was computed"
    assert {**facts(around), "words": ()} == {**facts(FULL), "words": ()}
    assert around.alone == f"pre-flight, step 3: {FULL.alone}; no flow was computed"


def test_a_door_rewords_the_words_alone_and_no_text_that_looks_like_them():
    text = Sentence("out='device=cpu', member 3: use ", Option("device", "cpu"))
    shell = text.told(lambda word: "--device cpu" if isinstance(word, Option) else str(word))
    assert shell == "out='device=cpu', member 3: use --device cpu"
    assert text.member is None


def test_a_place_that_changes_takes_the_fact_with_it():
    def change(word):
        return Place(("parts", "wing"), word.key) if isinstance(word, Place) else word

    moved = FULL.changed(change)
    assert moved == str(FULL).replace("[mesh]", "[parts.wing]")
    assert moved.place == Place(("parts", "wing"), "nodes")
    assert moved.place.path == ("parts", "wing")
    assert facts(moved)["argument"] == "nodes"


def test_notes_are_gathered_by_what_they_are_about_and_not_by_their_words():
    notes = [Sentence(f"of {what}", member=m, about="size") for m, what in enumerate("abc")]
    others = [Sentence("5 steps", member=4), Sentence("6 steps", member=5), "member 7: 8 steps"]
    found = gathered([*notes, *others])
    assert found[0].members == (0, 1, 2)
    assert found[0].startswith("members 0 to 2 (3): of member 0: of a (the summary's")
    assert [note.members for note in found[1:]] == [(4,), (5,), ()]


def test_rows_of_notes_give_them_back():
    assert of_row(rows_of([FULL])[0]) == FULL
    assert rows_of([FULL])[0]["member"] == 2
    assert of_row("of an older file").members == ()


def test_the_row_of_a_failure_is_its_sentence():
    row = {"member": 1, "cause": "negative density at node 7", "phase": "step 3"}
    row |= {"iteration": 4, "place": "node 7", "advice": "try smaller steps"}
    failed = of_failure(row)
    assert failed == (
        "member 1: negative density at node 7 (step 3, iteration 4); try smaller steps"
    )
    assert (failed.member, failed.place, failed.advice) == (1, "node 7", "try smaller steps")


def test_a_warning_is_one_of_the_run_and_has_the_members():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn("all is well", about="weather")
        warn_of([Sentence("short", member=m, about="chord") for m in (1, 2)])
        warn("of a figure", UserWarning)
    told, several, figure = (entry.message for entry in caught)

    assert isinstance(told, RuntimeWarning)
    assert (told.members, told.said.about) == ((), "weather")
    assert several.members == (1, 2)
    assert several.said.words[0] == "members 1, 2 (2): of member 1: "
    assert not any(isinstance(word, Member) for word in several.said.words)
    assert type(figure) is UserWarning
    assert said(figure) == "of a figure"
    assert all(entry.filename == __file__ for entry in caught)


def test_two_notes_of_one_member_about_one_thing_are_both_said():
    notes = [Sentence(f"{n} %", member=0, about="mass") for n in (3, 4)]
    assert gathered(notes) == notes


def raised(error):
    raise error


def test_an_error_of_another_process_has_its_facts():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        error = pool.submit(raised, NumericalFault(FULL)).exception()
    assert type(error) is NumericalFault
    assert facts(error.said) == facts(FULL)
