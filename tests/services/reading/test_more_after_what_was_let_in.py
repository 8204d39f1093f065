"""Answers that were let in by what others said of them, and of which more is shown once the own answer is locked."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import Database
from tests.following_study import opened_following, read_through
from tests.situations import write_table

CODED_TWICE = """
blindread: 2
name: listed
title: Codes, then a review of those that differ
groups: {coders: Coders, reviewers: Reviewers}
attributes: {items: {tier: text}, candidates: {condition: text}}
phases:
  - {key: code, title: Codes, rates: candidates, shows: [prompt, candidate], form: {code: text}, by: coders}
  - key: review
    title: Review
    rates: candidates
    from: {phase: code, let_in: [{answered: code}]}
    shows: [prompt, candidate]
    form: {code: text}
    then: {shows: [THING], again: AGAIN}
    by: reviewers
"""


def with_attributes(folder: Path) -> None:
    items = [(f"q{n}", "open", f"Prompt of q{n}?", "hard") for n in (1, 2)]
    write_table(folder / "items.csv", "item,format,prompt,tier", items)
    write_table(folder / "references.csv", "item,accepted", [(f"q{n}", f"Reference {n}") for n in (1, 2)])
    candidates = [(f"q{n}{model}", f"q{n}", model, f"Says {model}", "plain") for n in (1, 2) for model in ("A", "B")]
    write_table(folder / "candidates.csv", "candidate,item,model,answer,condition", candidates)
    for table in ("cases", "volumes"):
        (folder / f"{table}.csv").unlink()


@pytest.mark.parametrize("again", ["yes", "no"])
@pytest.mark.parametrize("thing", ["condition", "tier", "reference", "opinions"])
def test_both_steps_of_what_was_let_in_are_shown_to_the_end(
    sqlite_database: Database, tmp_path: Path, thing: str, again: str
) -> None:
    protocol = CODED_TWICE.replace("THING", thing).replace("AGAIN", again)
    opened = opened_following(
        sqlite_database, tmp_path / "study", protocol, ("coders", "coders", "reviewers"), [with_attributes]
    )
    for coder in opened.raters[:2]:
        assert len(read_through(opened, coder)) == 4

    screens = read_through(opened, opened.raters[2])

    steps: dict[str, list[bool]] = {}
    for screen in screens:
        steps.setdefault(f"{screen['prompt']} {screen['candidate']}", []).append(bool(screen.get("own")))
    assert list(steps.values()) == [[False, True]] * 4
