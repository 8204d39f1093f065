"""Protocols without a language key mean as phases what they always meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from exchange.study_folder.protocol_file import parse_protocol
from protocol.language.expansion import Expansion
from protocol.language.first import expand_first
from protocol.language.law import breaches

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(params=["demo", "starter"])
def study(request: pytest.FixtureRequest) -> Expansion:
    """A study that lies in the repository, written out."""
    text = (ROOT / "studies" / request.param / "protocol.yaml").read_text(encoding="utf-8")
    return expand_first(parse_protocol(text), "0.0.0")


def test_it_is_read_then_scored_then_reviewed(study: Expansion) -> None:
    assert [(phase.key, phase.rates) for phase in study.phases] == [
        ("reading", ["items"]),
        ("scoring", ["candidates"]),
        ("review", ["items"]),
    ]


def test_scoring_opens_for_each_rater_behind_their_own_reads(study: Expansion) -> None:
    opens = study.phase("scoring").opens

    assert (opens.kind, opens.after, opens.done_by) == ("after", ["reading"], "self")


def test_reviewers_read_first_and_see_the_opinions_then(study: Expansion) -> None:
    review = study.phase("review")

    assert "opinions" not in review.shows
    assert review.then is not None
    assert (review.then.shows, review.then.again) == (["opinions"], True)
    assert [entry.reason for entry in review.source.let_in] == ["differs", "flagged"]


def test_it_keeps_the_law(study: Expansion) -> None:
    assert breaches(study) == []


def test_every_form_has_the_primary_field_answer(study: Expansion) -> None:
    assert {next(asked.key for asked in form.fields if asked.primary) for form in study.forms} == {"answer"}


PRACTISED = """
name: a
title: A
instructions: Read.
forms: {f: {fields: [{key: answer, type: yes_no, label: Answer}]}}
reading: {practice: {pass_mark: 0.8, attempts: 2}, revision: study}
"""


def test_practice_comes_first_and_hangs_on_its_subjects() -> None:
    study = expand_first(parse_protocol(PRACTISED), "0.0.0")

    practice = study.phase("practice")
    assert (practice.counts, practice.pass_mark, practice.attempts) == (False, 0.8, 2)
    assert study.phase("reading").opens.after == ["practice"]
    assert study.phase("reading").revise == "until_closed"
    assert {breach.answer for breach in breaches(study)} == {"hangs on subjects"}
