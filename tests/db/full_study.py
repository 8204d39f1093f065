"""A study in which every table holds a row, reached through the use cases."""

from __future__ import annotations

from pathlib import Path

from db import Database
from services.adjudication import review_queue
from services.judging import import_labels, import_runs
from services.progress import data_lock
from services.reading import instructions, revising, submission
from services.reading.verdict_rows import Circumstances
from tests.room_study import reading_rules, room_study, with_history, with_overlays, with_practice
from tests.situations import Situation, any_answers, on_the_desk, read_all, show, submit

LABELS_CSV = b"item,candidate,labeller,verdict,explanation\ni1,k1,p1,correct,Same side.\ni1,k1,p2,incorrect,\n"
JUDGE_CSV = b"item,candidate,verdict\ni1,k1,correct\ni1,k2,\n"


def full_study(database: Database, folder: Path) -> Situation:
    """Freeze the tiny study and do everything once that leaves rows."""
    rules = reading_rules(practice={"pass_mark": 0.0}, revision="session")
    situation = room_study(database, folder, with_practice, with_overlays, with_history, protocol=rules)
    first, second = situation.raters
    while (payload := on_the_desk(situation, first))["phase"] == "practice":
        show(situation, first, payload)
        submit(situation, first, payload)
    instructions.acknowledge_instructions(database, first, "tiny", "reading")
    payload = on_the_desk(situation, first)
    submission.save_draft(database, first, payload["assignment"], 1, {"comment": "not yet"})
    show(situation, first, payload)
    flagged = {**any_answers(payload), "flag": {"id": "prompt", "note": "unclear"}}
    trace = {"slices": [1, 2, 3]}
    submission.submit(
        database, first, payload["assignment"], payload["key"], flagged, Circumstances(renderer="test", trace=trace)
    )
    revised = revising.reopen(database, first, payload["assignment"])
    show(situation, first, revised)
    submit(situation, first, revised, flagged)
    submission.report_failure(database, first, on_the_desk(situation, first)["assignment"], "The scan did not load.")
    read_all(situation, first)
    read_all(situation, second)
    review_queue.open_review_queue(database, situation.admin, "tiny")
    for _ in ("own read", "decision"):
        payload = on_the_desk(situation, situation.reviewer, "review")
        show(situation, situation.reviewer, payload)
        submit(situation, situation.reviewer, payload)
    import_runs.import_judge_verdicts(
        database, situation.admin, "tiny", name="run", judge="judge", content=JUDGE_CSV, file_name="judge.csv"
    )
    import_labels.import_labels(
        database,
        situation.admin,
        "tiny",
        name="labels",
        content=LABELS_CSV,
        file_name="labels.csv",
        blinding="not at all",
    )
    data_lock.take_interim_look(database, situation.admin, "tiny", "to try the report")
    return situation
