"""A member's progress: what is done and comes next, and their own drafts, turns, practice and earlier verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from protocol.phase_rules import PhaseRules
from services.reading.payloads import (
    AheadPayload,
    DonePayload,
    DraftPayload,
    FeedbackPayload,
    JudgedFieldsPayload,
    Line,
    NextPayload,
    PracticePayload,
    RevisablePayload,
    RevisionPayload,
    RevisionRule,
    SummaryPayload,
    SummaryUnit,
    TextKind,
    TextSetting,
    TurnPayload,
)


def done_payload(
    title: str,
    message: str,
    progress: tuple[int, int],
    assignment_public_id: str | None,
    summary: SummaryPayload,
    revisable: int | None = None,
    next_part: NextPayload | None = None,
    revision_rule: RevisionRule = "never",
) -> DonePayload:
    """Return what is shown when nothing is left: thanks, own counts and times, and nothing about right or wrong.

    The id of one of the member's assignments lets the routes identify the study.
    """
    done, total = progress
    return {
        "kind": "done",
        "assignment": assignment_public_id,
        "title": title,
        "message": message,
        "progress": {"done": done, "total": total},
        "summary": summary,
        "revisable": revisable,
        "revision_rule": revision_rule,
        "next": next_part,
    }


def next_payload(title: str, about: str, place: str | None = None) -> NextPayload:
    """Return what comes next: how many units, how long at the member's own pace, and where; no content."""
    return {"title": title, "about": about, "place": place}


def ahead_payload(heading: str, message: str, title: str, about: str) -> AheadPayload:
    """Return what is shown on a separate page before the first item of a part: see `next_payload`."""
    return {**next_payload(title, about), "heading": heading, "message": message}


def draft_payload(sequence: int, answers: dict[str, Any]) -> DraftPayload:
    """Return what the member has filled in, with the number that orders drafts."""
    return {"sequence": sequence, "answers": answers}


def prompt_of_turn(rules: PhaseRules, prompt: str) -> str:
    """Return the text above an earlier turn: its prompt if the phase shows prompts, otherwise the phase's question."""
    return prompt if "prompt" in rules.shows else rules.question


def turn_payload(prompt: str, lines: list[Line]) -> TurnPayload:
    """Return an earlier turn of a conversation: what was asked, and what this member answered."""
    return {"prompt": prompt, "lines": lines}


def practice_payload(progress: tuple[int, int], pass_mark: float) -> PracticePayload:
    """Return a rater's progress in their practice, and the share of right answers that ends it."""
    done, total = progress
    return {"done": done, "total": total, "pass_mark": pass_mark}


def feedback_payload(correct: bool | None, lines: list[Line], judged: Sequence[bool]) -> FeedbackPayload:
    """Return what a rater learns from a practice verdict: whether it is right, what counts as right, and why.

    Parameters
    ----------
    judged
        Whether each field is right of which the lines say so.
    """
    fields: JudgedFieldsPayload | None = {"right": sum(judged), "judged": len(judged)} if judged else None
    return {"correct": correct, "fields": fields, "lines": lines}


def revision_payload(receipt: str, saved_at: datetime) -> RevisionPayload:
    """Return which of their verdicts a rater is revising."""
    return {"receipt": receipt, "saved_at": saved_at.isoformat(timespec="seconds")}


def revisable_payload(
    *,
    assignment_public_id: str,
    position: int,
    prompt: str,
    text: dict[TextKind, TextSetting],
    receipt: str,
    saved_at: datetime,
    lines: list[Line],
) -> RevisablePayload:
    """Return one of a rater's own verdicts that may be revised, as the list of earlier items shows it."""
    return {
        "assignment": assignment_public_id,
        "label": f"Item {position}",
        "prompt": prompt,
        "text": text,
        **revision_payload(receipt, saved_at),
        "lines": lines,
    }


def summary_payload(
    items: int, active_ms: int, median_ms: int | None, since: datetime | None, unit: SummaryUnit = "scans"
) -> SummaryPayload:
    """Return the member's counts and times (in milliseconds) in this login session, and nothing about the answers."""
    return {
        "unit": unit,
        "items": items,
        "active_ms": active_ms,
        "median_ms": median_ms,
        "since": since.isoformat(timespec="seconds") if since is not None else None,
    }
