"""A study that is practised before it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from db import Database
from services.people.identity import Actor
from services.reading import instructions
from services.reading.submission import Receipt
from tests.listed_study import opened_listed
from tests.room_study import PRACTISED, with_practice
from tests.situations import Situation, any_answers, on_the_desk, show, submit

TRAINED = """
blindread: 2
name: listed
title: Practised, then read
consent: I agree.
phases:
  - key: secret_training
    title: Try it
    instructions: These do not count.
    rates: items
    from: {where: {practice: yes}}
    shows: [scans, prompt, options]
    form: {answer: as_item, sure: {type: confidence, steps: 3}}
    then: {shows: [reference, explanation]}
    counts: no
    pass_mark: 0.75
    attempts: 2
  - key: read
    title: Reads
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    revise: session
"""


TRAIN, READ = "part-1", "part-2"


def trained(database: Database, folder: Path, protocol: str = TRAINED, **more: Any) -> Situation:
    """Freeze a study with practice, and let its first rater stand before it."""
    situation = opened_listed(database, folder, protocol, changes=[with_practice], **more)
    for rater in situation.raters:
        instructions.acknowledge_instructions(database, rater, situation.study_key, TRAIN)
    return situation


REPORT = TRAINED.replace(
    "{answer: as_item, sure: {type: confidence, steps: 3}}",
    "{finding: {type: choice, options: {'yes': Present, 'no': Absent, left: On the left, right: On the right}}}",
).replace("    pass_mark", "    undetermined: yes\n    pass_mark")


def practise(situation: Situation, rater: Actor, wrong: int = 0) -> list[Receipt]:
    """Work through one pass of which so many are answered wrongly."""
    receipts = []
    other = {"yes": "no", "no": "yes", "left": "right"}
    for _ in PRACTISED:
        payload = on_the_desk(situation, rater, TRAIN)
        right = PRACTISED[payload["prompt"]]
        answer = other[right] if len(receipts) < wrong else right
        show(situation, rater, payload)
        receipts.append(submit(situation, rater, payload, any_answers(payload, answer)))
    return receipts
