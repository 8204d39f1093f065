"""Groups of people: whoever is in one is sent not a byte that differs by there being another."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from sqlalchemy import text

from db import Database
from services.reading import instructions, submission, worklist
from services.studies.freeze import freezing
from services.studies.membership import members
from tests.listed_study import imported_listed, write_listed
from tests.situations import Situation, any_answers, show, submit

SECRET = "5a" * 32
OWN = """
  - key: own
    title: Reads
    instructions: Read every item.
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    BY
  - key: own_later
    title: A second look
    rates: items
    from: {where: {format: [yes_no]}}
    shows: [scans, prompt, options]
    form: {answer: as_item}
    BY
"""
ALONE = f"""
blindread: 2
name: listed
title: One study
consent: I agree.
phases:{OWN.replace("BY", "")}
"""
# The others work before, between and behind, on the same items, and see their references.
WITH_OTHERS = f"""
blindread: 2
name: listed
title: One study
consent: I agree.
groups: {{own: Readers, secret_others: Secret others}}
phases:
  - key: before
    title: Secret before
    instructions: Secret instructions.
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {{verdict: correctness}}
    by: secret_others
{OWN.replace("BY", "by: own")}
  - key: after
    title: Secret after
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {{relevant: yes_no}}
    by: secret_others
"""


def opened(database: Database, folder: Path, protocol: str, key: str, others: int) -> Situation:
    """Freeze the tiny study with a known secret, for one person of the group, and so many of the other group."""
    situation = imported_listed(database, write_listed(folder, protocol), key=key, groups=["own" if others else ""])
    with database.engine.begin() as connection:
        connection.execute(text("UPDATE study SET salt = :salt WHERE key = :key").bindparams(salt=SECRET, key=key))
    for number in range(others):
        login = f"other-{number}"
        members.invite(database, situation.admin, key, login, login, "rater", group="secret_others")
    freezing.freeze_study(database, situation.admin, key)
    return situation


def everything_sent(situation: Situation) -> list[str]:
    """Let the first rater work to the end; return all that they are sent, without names that are drawn at random."""
    database, key, rater = situation.database, situation.study_key, situation.raters[0]
    sent: list[str] = []
    for place in range(2):
        desks = [desk for desk in worklist.desks_of(database, rater) if desk.study_key == key]
        sent.append(repr(desks))
        queue = desks[place].queue.key
        sent.append(repr(instructions.of_queue(database, rater, key, queue)))
        instructions.acknowledge_instructions(database, rater, key, queue)
        while True:
            payload: dict[str, Any] = dict(submission.current_payload(database, rater, key, queue))
            sent.append(json.dumps(payload, default=str))
            if payload["kind"] == "done":
                break
            show(situation, rater, payload)
            submit(situation, rater, payload, any_answers(payload))
    return [_without_names(part.replace(key, "STUDY")) for part in sent]


def _without_names(sent: str) -> str:
    """Replace what is drawn anew for each study or session: names of assignments and of scans, keys, moments."""
    return re.sub(r'(?<="assignment": ")[\w-]{22}|\b[0-9a-f]{40}\b|\d{4}-\d\d-\d\d[T ][\d:.+]+', "NAME", sent)


def test_a_member_of_one_group_is_sent_the_same_whether_or_not_there_is_another(
    sqlite_database: Database, tmp_path: Path
) -> None:
    alone = opened(sqlite_database, tmp_path / "alone", ALONE, "alone", others=0)
    beside = opened(sqlite_database, tmp_path / "beside", WITH_OTHERS, "beside", others=2)

    sent = everything_sent(beside)

    assert everything_sent(alone) == sent
    # Six reads and three, a screen behind each, and worklist and instructions before.
    assert len(sent) == 6 + 3 + 2 + 4
    assert "ecret" not in repr(sent)
