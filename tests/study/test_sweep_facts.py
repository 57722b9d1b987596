"""Sweeps go by the facts of notes and of identities, not by their words."""

import json
from types import SimpleNamespace

import pytest
from kinemesh.errors import CaseError
from kinemesh.run.criteria import NOT_CONVERGED, NOT_PERIODIC
from kinemesh.sentences import Sentence, rows_of
from kinemesh.study.sweep import claim
from kinemesh.study.sweep.asked import asked_of
from kinemesh.study.sweep.case_rows import notes_of
from sweeps import case


def test_rows_have_the_notes_of_their_case_that_no_number_tells():
    notes = [
        Sentence("2 of 8 steps", member=1, about=NOT_CONVERGED),
        Sentence("open", member=1, about=NOT_PERIODIC),
        Sentence("start: ", Sentence("of member 0: of steps", member=1, about="mass")),
        Sentence("member 0: of no member"),
        Sentence("slow", member=0, about="not periodic at all"),
    ]
    run = SimpleNamespace(summary={"notes": rows_of(notes)})
    assert notes_of(run) == {1: ["start: of member 0: of steps"], 0: ["slow"]}


@pytest.mark.parametrize(("key", "goes_on"), [("version", True), ("version of", False)])
def test_failed_cases_are_tried_again_by_another_version_of_kinemesh(tmp_path, key, goes_on):
    asked = asked_of(case(), {"over": {"flow.mach": [0.5, 0.6]}})
    claim.begin(tmp_path, asked, (2,))
    path = tmp_path / claim.SWEEP
    about = json.loads(path.read_text("utf-8"))
    about["identity"][key] = "0.0.0"
    path.write_text(json.dumps(about))

    with pytest.raises(CaseError, match=f"holds another sweep: {key} is"):
        claim.kept(tmp_path, asked, resume=True, retry_failed=False)
    if goes_on:
        assert claim.kept(tmp_path, asked, resume=True, retry_failed=True) == about
    else:
        with pytest.raises(CaseError, match="holds another sweep"):
            claim.kept(tmp_path, asked, resume=True, retry_failed=True)
