"""Who may see what, when: the table in the docs, in the code, and as somebody who thinks of attack wrote it down."""

from __future__ import annotations

import itertools
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from protocol import visibility
from protocol.phases import OPINIONS, PHASES, PRACTICE, READING, REVIEW, SCORING
from protocol.visibility import THINGS, Progress, may_see
from tests.blinding.columns import COMMON, SHOWN_IN

ROOT = Path(__file__).resolve().parents[2]
# What has to hold before a phase of a listed study shows a thing, written by hand: whoever shows more enters it twice.
ON_THE_SCREEN = frozenset({"on_the_desk", "released"})
ONCE_NOTHING_IS_BLIND_TO_IT = ON_THE_SCREEN | {"reads_done"}
NEEDED_IN_A_LISTED_PHASE: dict[str, frozenset[str]] = {
    **dict.fromkeys(("question", "scans", "content hash", "overlays", "turns", "context", "setting"), ON_THE_SCREEN),
    **dict.fromkeys(("reference", "explanation", "candidate", "attributes", "opinions"), ONCE_NOTHING_IS_BLIND_TO_IT),
    "feedback": frozenset({"answered", "released"}),
    "ahead": frozenset(),
}
EVERY_PROGRESS = [Progress(*holds) for holds in itertools.product((False, True), repeat=5)]


@pytest.mark.parametrize("phase", SHOWN_IN)
def test_the_columns_that_a_phase_shows_are_those_that_the_attackers_list_has(phase: str) -> None:
    everything = Progress(*(True,) * 5)

    seen = [thing for thing in THINGS if may_see(PHASES[phase].role, PHASES[phase], thing.key, everything)]

    assert {column for thing in seen for column in thing.columns} == SHOWN_IN[phase] - COMMON


def test_the_docs_show_the_table_as_it_is() -> None:
    assert visibility.table() in (ROOT / "docs" / "blinding.md").read_text(encoding="utf-8")


def test_every_view_of_the_table_is_a_phase_one_that_is_listed_or_the_admins() -> None:
    named = {view for thing in THINGS for view in thing.rules}

    assert named <= {*PHASES, visibility.LISTED, visibility.ADMIN}


@pytest.mark.parametrize("phase", [PRACTICE, READING, REVIEW, OPINIONS], ids=lambda phase: phase.key)
@pytest.mark.parametrize("thing", ["reference", "candidate", "model", "origin", "people", "strata", "secrets"])
def test_nobody_who_reads_from_images_ever_sees_it(phase: visibility.Phase, thing: str) -> None:
    assert not any(may_see(phase.role, phase, thing, progress) for progress in EVERY_PROGRESS)


@pytest.mark.parametrize("progress", EVERY_PROGRESS)
def test_a_reference_is_seen_while_scoring_only_and_only_when_all_own_reads_are_closed(progress: Progress) -> None:
    assert may_see("rater", SCORING, "reference", progress) == (progress.on_the_desk and progress.reads_done)


@pytest.mark.parametrize("progress", EVERY_PROGRESS)
def test_others_opinions_are_seen_after_the_own_read_only(progress: Progress) -> None:
    assert may_see("reviewer", OPINIONS, "opinions", progress) == (progress.on_the_desk and progress.answered)
    assert not may_see("reviewer", REVIEW, "opinions", progress)


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: thing.key)
def test_a_listed_phase_shows_a_thing_when_all_that_the_attackers_list_asks_for_holds(thing: visibility.Thing) -> None:
    listed = replace(READING, key="secret_arm", listed=True)
    needed = NEEDED_IN_A_LISTED_PHASE.get(thing.key)

    for progress in EVERY_PROGRESS:
        holds = {name for name, true in asdict(progress).items() if true}
        seen = needed is not None and needed <= holds
        assert may_see("rater", listed, thing.key, progress) == seen, progress


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: thing.key)
def test_a_phase_shows_nothing_to_another_role_than_its_own(thing: visibility.Thing) -> None:
    everything = Progress(*(True,) * 5)

    for phase in PHASES.values():
        other = "reviewer" if phase.role == "rater" else "rater"
        assert not may_see(other, phase, thing.key, everything)


def test_what_the_table_does_not_name_is_a_fault_and_never_shown() -> None:
    with pytest.raises(KeyError):
        may_see("rater", READING, "diagnosis", Progress(*(True,) * 5))
