"""The table of phases: keys that can be stored, one order within a queue, and the words of the screens."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from db.reading import KINDS
from protocol.first_phases import phases_of_first_language
from protocol.phases import OPINIONS, PHASES, PRACTICE, QUEUES, READING, REVIEW, SCORING, Kind, Phase
from protocol.study import Protocol
from tests.situations import PROTOCOL

# A study with all of them.
STUDY = phases_of_first_language(Protocol.model_validate(PROTOCOL | {"reading": {"practice": {"pass_mark": 0.5}}}))


@pytest.mark.parametrize("phase", PHASES.values(), ids=lambda phase: phase.key)
def test_a_phase_can_be_stored(phase: Phase) -> None:
    assert re.fullmatch(r"[a-z][a-z_]{0,19}", phase.key)
    assert phase.kind in KINDS
    assert phase.step >= 1


def test_the_database_takes_exactly_the_kinds_that_a_phase_can_rate() -> None:
    assert set(get_args(Kind)) == set(KINDS)


def test_a_queue_is_worked_through_by_step_and_not_by_the_alphabet() -> None:
    assert STUDY.in_queue(REVIEW.queue) == (REVIEW, OPINIONS)


def test_practice_stands_at_the_door_of_its_queue_and_is_not_counted_in_it() -> None:
    assert PRACTICE.queue == READING.queue
    assert PRACTICE not in STUDY.in_queue(READING.queue)
    assert STUDY.training_for(READING.queue) == PRACTICE


def test_only_what_is_read_can_be_revised() -> None:
    assert [key for key, queue in QUEUES.items() if STUDY.is_revisable(queue)] == ["reading"]


@pytest.mark.parametrize("queue", QUEUES.values(), ids=lambda queue: queue.key)
def test_steps_of_one_queue_rate_the_same_kind_and_differ(queue) -> None:
    phases = STUDY.in_queue(queue)

    assert len({phase.kind for phase in phases}) == 1
    assert [phase.step for phase in phases] == list(range(1, len(phases) + 1))


@pytest.mark.parametrize(("number", "words"), [(0, "0 items"), (1, "1 item"), (2, "2 items")])
def test_a_queue_counts_its_units_in_words(number: int, words: str) -> None:
    assert READING.queue.counted(number) == words


def test_scoring_waits_for_the_own_reads_and_nothing_else_waits() -> None:
    assert {queue.key: STUDY.before(queue) for queue in STUDY.queues} == {
        "reading": (), "scoring": (READING,), "review": (),
    }  # fmt: skip
    assert STUDY.after(READING.queue) == (SCORING.queue,)


def test_a_study_has_the_phases_that_its_protocol_has_sections_for() -> None:
    plain = Protocol.model_validate(
        {key: part for key, part in PROTOCOL.items() if key not in ("scoring", "adjudication")}
    )
    phases = phases_of_first_language(plain)

    assert [phase.key for phase in phases.phases] == ["reading", "review", "opinions"]
    assert phases.adjudication is None
    assert phases.training is None
