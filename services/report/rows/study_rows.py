"""The data behind the report, as plain long-format rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from exchange.report.estimate_rows import Party
from protocol.scales import CORRECTNESS
from protocol.study import Protocol
from services.judging.verdict_columns import VerdictColumns
from services.reading.correctness import AnswerKey

FIRST_PASS = 1
NOT_LET_IN = "rater, practice not passed"
REMOVED = "removed before any verdict"


@dataclass(frozen=True)
class OfferedVolume:
    """A scan that an item offers: its pane, counted from 0, and its label."""

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
    """An item of the freeze, with the scans it offers and what counts as right; `subject` is its cluster."""

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
    # The key of the group and the number of the slot in it, in a study that lists its phases.
    group: str = ""
    slot: int | None = None
    # What else the protocol declares of raters, by name.
    attributes: Mapping[str, str] = field(default_factory=dict)

    @property
    def party(self) -> Party:
        """The rater, as the party that an estimate is about."""
        return Party("rater", self.pseudonym)


@dataclass(frozen=True)
class Entry:
    """One assignment and what became of it: the standing verdict, a technical failure, or nothing.

    `answer` is the value stored in the field `answer`, None if there is none; `reason` says in words why the item could
    not be assessed; `trace` is the viewing trace as stored. The times are totals over all versions of the verdict.
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
    # Hash of the freeze, or of the later version, under which the verdict was given.
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
    # For a comparison of two answers: which was shown as A and which as B.
    sides: tuple[str, ...] = ()


@dataclass(frozen=True)
class Review:
    """One item in a reviewer's queue, with the reviewer's own read and decision if they exist."""

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
    """A model's answer; `probability` is its chance of being in the sample to score, None if it is not in it."""

    id: int
    key: str
    item_id: int
    model: str
    answer: str
    probability: float | None


@dataclass(frozen=True)
class Run:
    """One pass of a judge over the candidates; what the judge wrote is read only when a file is made of it.

    `field` is the field that it fills in, as PHASE.FIELD; empty if it judges whether any candidate is correct. `model`,
    `prompt_version` and `imported` (a date) are what is known of how the run was made, each empty if unknown.
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
        """The run, as the party that an estimate is about."""
        return Party("judge", self.name)


@dataclass(frozen=True)
class Event:
    """Something that happened to the study as a whole."""

    kind: str
    reason: str
    at: datetime


@dataclass(frozen=True)
class StudyRows:
    """All rows that the report is computed from. A person who never passed the practice does not count as a rater."""

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
    # Raters who used up their practice attempts: the real items were never opened for them.
    not_let_in: tuple[Member, ...]
    reviewers: tuple[Member, ...]
    # Members removed from the study before any verdict.
    removed: tuple[Member, ...]
    entries: tuple[Entry, ...]
    reviews: tuple[Review, ...]
    candidates: tuple[CandidateAnswer, ...]
    runs: tuple[Run, ...]
    # The pseudonym behind each link made for a rater or reviewer whose account was already in use.
    links_for_known: tuple[str, ...] = ()
    # Verdicts whose times contradict each other because the server's clock was changed.
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
        """Everybody who reads, was to read, or reviews, by role in the report."""
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
