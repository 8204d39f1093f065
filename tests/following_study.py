"""The tiny study with a phase whose units follow from what was answered in the phase before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlmodel import col, select

from db import Assignment, Candidate, Database, Item, Membership
from services.people.identity import Actor
from services.reading import instructions
from tests.listed_study import opened_listed
from tests.situations import Situation, answers, any_answers, on_the_desk, show, submit

READ_THEN_RESOLVE = """
blindread: 2
name: listed
title: Reads, then a resolution
instructions: Read every item.
groups: {readers: Readers, curators: Curators}
phases:
  - key: secret_arm
    title: Reads
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item, findings: {type: text, required: no}}
    not_assessable: {quality: Image quality}
    flags: {prompt: The prompt is unclear}
    by: readers
  - key: resolve
    title: Resolution
    rates: items
    from: {phase: secret_arm, let_in: [flagged, not_assessable, {answered: findings}]}
    shows: [scans, prompt, options, reference, opinions]
    form: {what: {type: resolution}}
    by: curators
"""
GROUPS = ("readers", "readers", "curators")
# By the prompt of an item, what a reader says of it instead of the first option.
Said = Mapping[str, Mapping[str, Any]]


def opened_following(
    database: Database,
    folder: Path,
    protocol: str = READ_THEN_RESOLVE,
    groups: Sequence[str] = GROUPS,
    changes: Sequence[Callable[[Path], object]] = (),
) -> Situation:
    """Open the tiny study with such a protocol, nothing of it read."""
    return opened_listed(database, folder, protocol, groups=groups, changes=changes)


def flagging(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return answers with a flag."""
    return {**plain(payload), "flag": {"id": "prompt", "note": "Which side?"}}


def plain(payload: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    """Return the first option in the field of the item, and nothing in those that may stay empty."""
    first = any_answers(payload)["fields"]
    required = {field["key"] for field in payload["form"]["fields"] if field["required"] and "depends_on" not in field}
    return answers(**{key: value for key, value in first.items() if key in required}, **fields)


def not_assessable(_payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return that nothing can be said of an item."""
    return {"fields": {}, "not_assessable": "quality", "comment": "", "flag": None}


def read_through(
    situation: Situation,
    rater: Actor,
    said: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] | None = None,
    queue: str = "part-1",
    most: int = 100,
) -> list[dict[str, Any]]:
    """Let a rater work through a queue, at most so many units of it; return what they were shown.

    Parameters
    ----------
    said
        By the key of an item, what is answered to it instead of the first option.
    """
    instructions.acknowledge_instructions(situation.database, rater, situation.study_key, queue)
    seen: list[dict[str, Any]] = []
    while len(seen) < most and (payload := on_the_desk(situation, rater, queue))["kind"] == "item":
        show(situation, rater, payload)
        name = payload["prompt"].removeprefix("Prompt of ").removesuffix("?")
        submit(situation, rater, payload, (said or {}).get(name, plain)(payload))
        seen.append(dict(payload))
    return seen


def units_in(situation: Situation, phase: str, rater: Actor) -> set[str]:
    """Return the keys of the items, or of the candidates, that a rater has in a phase."""
    with situation.database.read_only() as session:
        rows = session.exec(
            select(Item.key, Candidate.key)
            .select_from(Assignment)
            .join(Item, col(Item.id) == Assignment.item_id)
            .join(Membership, col(Membership.id) == Assignment.membership_id)
            .join(Candidate, col(Candidate.id) == Assignment.candidate_id, isouter=True)
            .where(Membership.person_id == rater.person_id, Assignment.phase == phase)
        ).all()
    return {candidate or item for item, candidate in rows}
