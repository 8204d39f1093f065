"""The table of phases: keys that can be stored, one order within a queue, and the words of the screens."""

from __future__ import annotations

import re

import pytest

from db.reading import KINDS
from protocol.phases import OPINIONS, PHASES, PRACTICE, QUEUES, READING, REVIEW, Phase, is_revisable, phases_of


@pytest.mark.parametrize("phase", PHASES.values(), ids=lambda phase: phase.key)
def test_a_phase_can_be_stored(phase: Phase) -> None:
    assert re.fullmatch(r"[a-z][a-z_]{0,19}", phase.key)
    assert phase.kind in KINDS
    assert phase.step >= 1


def test_a_queue_is_worked_through_by_step_and_not_by_the_alphabet() -> None:
    assert phases_of(REVIEW.queue) == (REVIEW, OPINIONS)


def test_practice_stands_at_the_door_of_its_queue_and_is_not_counted_in_it() -> None:
    assert PRACTICE.queue == READING.queue
    assert PRACTICE not in phases_of(READING.queue)


def test_only_what_is_read_can_be_revised() -> None:
    assert [key for key, queue in QUEUES.items() if is_revisable(queue)] == ["reading"]


@pytest.mark.parametrize("queue", QUEUES.values(), ids=lambda queue: queue.key)
def test_steps_of_one_queue_rate_the_same_kind_and_differ(queue) -> None:
    phases = phases_of(queue)

    assert len({phase.kind for phase in phases}) == 1
    assert [phase.step for phase in phases] == list(range(1, len(phases) + 1))


@pytest.mark.parametrize(("number", "words"), [(0, "0 items"), (1, "1 item"), (2, "2 items")])
def test_a_queue_counts_its_units_in_words(number: int, words: str) -> None:
    assert READING.queue.counted(number) == words
