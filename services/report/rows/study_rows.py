"""What the report rests on, as plain long-format rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from exchange.estimate_rows import Party
from protocol.scales import CORRECTNESS
from protocol.study import Protocol
from services.judging.verdict_columns import VerdictColumns
from services.reading.correctness import AnswerKey

FIRST_PASS = 1
NOT_LET_IN = "rater, practice not passed"
REMOVED = "removed before any verdict"


@dataclass(frozen=True)
class OfferedVolume:
    """A scan that an item offers: in which pane it is, counted from 0, and under which label."""

    pane: int
    title: str
    role: str
    sequence: str
    label: str

    @cached_property
    def place(self) -> str:
        """Return pane and sequence in words."""
        return self.sequence if self.title == self.sequence else f"{self.title}, {self.sequence}"


@dataclass(frozen=True)
class ReadItem(AnswerKey):
    """An item of the freeze with what it offers and what counts as right; `subject` is its cluster."""

    id: int
    key: str
    subject: str
    category: str
    grounding: str
    prompt: str
    reference_version: int
    text_only_answer: str
    offered: tuple[OfferedVolume, ...] = ()


@dataclass(frozen=True)
class Member:
    """Somebody who reads or reviews, by pseudonym."""

    id: int
    pseudonym: str
    specialty: str
    years: int | None
    # Key of the group and number of the slot in it, of a study that lists its phases.
    group: str = ""
    slot: int | None = None

    @property
    def party(self) -> Party:
        """The rater as the one whose an estimate is."""
        return Party("rater", self.pseudonym)


@dataclass(frozen=True)
class Entry:
    """One assignment and what became of it: the standing verdict, a technical failure, or nothing.

    `answer` is what was stored in the field `answer`, None where there is none; `reason` says in words why it could not
    be assessed; `trace` is the viewing trace as it was stored. The times are those of all versions of a verdict.
    """

    assignment_id: int
    member_id: int
    item_id: int
    candidate_id: int | None
    phase: str
    pass_number: int
    position: int
    status: str
    verdict_id: int | None = None
    answer: Any = None
    fields: tuple[tuple[str, Any], ...] = ()
    # Of the freeze, or the version after it, under which the verdict was given.
    freeze_sha256: str = ""
    not_assessable: str | None = None
    reason: str = ""
    comment: str = ""
    revisions: int = 0
    flags: tuple[tuple[str, str], ...] = ()
    failure: str = ""
    shown_at: datetime | None = None
    submitted_at: datetime | None = None
    active_ms: int | None = None
    idle_ms: int | None = None
    load_ms: int | None = None
    renderer: str = ""
    viewport: str = ""
    receipt: str = ""
    trace: dict[str, Any] | None = None
    # Where two answers were compared, which of them stood at A and which at B.
    sides: tuple[str, ...] = ()


@dataclass(frozen=True)
class Review:
    """One item in a reviewer's queue, with the reviewer's own read and decision where they exist."""

    item_id: int
    reviewer_id: int
    origin: str
    first_read: Entry | None
    decided: bool
    answer: Any
    not_assessable: str | None
    reason: str
    opinions: tuple[int, ...]
    submitted_at: datetime | None


@dataclass(frozen=True)
class CandidateAnswer:
    """A model's answer; `probability` is its chance of being in the sample that raters score, None when it is not."""

    id: int
    key: str
    item_id: int
    model: str
    answer: str
    probability: float | None


@dataclass(frozen=True)
class Run:
    """One pass of a judge over the candidates; what it wrote is read where it is written into a file.

    `field` is the one that it fills in, as PHASE.FIELD; empty where it says correct or incorrect of any candidate.
    `model`, `prompt_version` and `imported` (a date) are what is known of how it was made, each empty for nothing.
    """

    id: int
    name: str
    judge: str
    source_sha256: str
    verdicts: VerdictColumns
    field: str = ""
    model: str = ""
    prompt_version: str = ""
    imported: str = ""

    @property
    def party(self) -> Party:
        """The run as the one whose an estimate is."""
        return Party("judge", self.name)


@dataclass(frozen=True)
class Event:
    """Something that happened to the study as a whole."""

    kind: str
    reason: str
    at: datetime


@dataclass(frozen=True)
class StudyRows:
    """Everything that the report rests on. Who never got past the practice is no rater of it."""

    study_key: str
    title: str
    simulated_readers: bool
    protocol: Protocol
    protocol_sha256: str
    freeze_sha256: str
    freeze_method: str
    frozen_at: datetime
    events: tuple[Event, ...]
    items: tuple[ReadItem, ...]
    raters: tuple[Member, ...]
    # Raters who used up their attempts at the practice: the items never opened for them.
    not_let_in: tuple[Member, ...]
    reviewers: tuple[Member, ...]
    # Taken out of the study before any verdict.
    removed: tuple[Member, ...]
    entries: tuple[Entry, ...]
    reviews: tuple[Review, ...]
    candidates: tuple[CandidateAnswer, ...]
    runs: tuple[Run, ...]
    # The pseudonym behind each link that was made for a rater or reviewer whose account was in use already.
    links_for_known: tuple[str, ...] = ()
    # Verdicts whose times contradict each other, as the server's clock was set.
    contradictory_times: int = 0

    @cached_property
    def item_keys(self) -> dict[int, str]:
        """The key of each item of the freeze."""
        return {item.id: item.key for item in self.items}

    @cached_property
    def pseudonyms(self) -> dict[int, str]:
        """The pseudonym of each rater and reviewer who is counted."""
        return {member.id: member.pseudonym for member in (*self.raters, *self.reviewers)}

    @property
    def members(self) -> tuple[tuple[str, tuple[Member, ...]], ...]:
        """Everybody who reads, was to read, or reviews, by what they are in the report."""
        return (
            ("rater", self.raters),
            (NOT_LET_IN, self.not_let_in),
            ("reviewer", self.reviewers),
            (REMOVED, self.removed),
        )

    def entries_of(self, phase: str) -> list[Entry]:
        """Return the entries of one phase, first pass only."""
        return [entry for entry in self.entries if entry.phase == phase and entry.pass_number == FIRST_PASS]

    def scored_correct(self, entry: Entry) -> bool | None:
        """Return what a rater's score on a candidate says: True, False, or None where it says neither."""
        return CORRECTNESS.says_correct(str(entry.answer).lower()) if entry.answer is not None else None
