"""A small study that has really been read: every row is made by the services that make it in use."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nibabel as nib
import numpy as np
from sqlmodel import col, select

from db import Database, Item, Reference
from services.adjudication import review_queue
from services.judging import import_runs
from services.people.identity import Actor, actor_of_token, add_person, issue_link, use_link
from services.progress import data_lock
from services.reading import submission
from services.reading.verdict_rows import Circumstances
from services.studies.folders.importing import import_study
from services.studies.freeze import freezing
from services.studies.membership import members
from tests.own_scans import give_own_scans
from tests.situations import Situation as OpenedSituation
from tests.situations import opened_once

STUDY = "tiny"
PASSWORD = "a long enough password"

PROTOCOL = """
name: tiny
title: A tiny study
instructions: Read.
seed: 7
forms:
  yes_no:
    fields: [{key: answer, type: yes_no, label: Answer}, {key: sure, type: number, label: Sure, required: false}]
  choice: {fields: [{key: answer, type: choice, label: Answer}]}
  open: {fields: [{key: answer, type: text, label: Answer}]}
reading:
  not_assessable: [{id: quality, text: Image quality}]
  flags: [{id: prompt, text: The prompt is unclear}]
scoring:
  instructions: Score.
  prompt: Same as the reference?
  sample: %(sample)s
  form: {fields: [{key: answer, type: yes_no, label: Correct}]}
adjudication: {instructions: Decide., controls: 1}
analysis: {primary: %(primary)s, %(intervals)s, resamples: %(resamples)s, seed: 3}
"""

CASES = """case,subject,vignette,age,note
c1,s1,,,
c2,s2,,,
c3,s3,,,
"""

VOLUMES = """volume,case,role,sequence,acquired,file,label
v1,c1,current,T1,,v1.nii.gz,T1
v2,c2,current,T1,,v2.nii.gz,T1
v3,c3,current,T1,,v3.nii.gz,T1
"""

ITEMS = """item,case,category,format,grounding,form,prompt,options,sequences,uses_prior
i1,c1,side,choice,image_grounded,choice,Which side?,left=Left|right=Right|both=Both|none=None,T1,false
i2,c1,presence,yes_no,image_informed,yes_no,Is there a lesion?,,T1,false
i3,c1,count,open,image_grounded,open,How many?,,T1,false
i4,c2,side,choice,image_grounded,choice,Which side is it?,none=None|both=Both|left=Left|right=Right,T1,false
i5,c2,presence,yes_no,image_informed,yes_no,Is it new?,,T1,false
i6,c2,place,open,image_informed,open,Which lobe?,,T1,false
i7,c3,presence,yes_no,image_grounded,yes_no,Is it bright?,,T1,false
i8,c3,presence,yes_no,image_informed,yes_no,Is it dark?,,T1,false
"""

REFERENCES = """item,accepted,low,high,text_only_answer,provenance
i1,left,,,left,
i2,yes,,,yes,
i3,three|3,3,3,2,
i4,right,,,left,
i5,no,,,yes,
i6,frontal lobe|frontal,,,temporal lobe,
i7,yes,,,yes,
i8,no,,,,
"""

CANDIDATES = """candidate,item,model,answer
k1,i1,model-a,Left
k2,i1,model-b,Right
k3,i2,model-a,Yes
k4,i2,model-b,No
k5,i4,model-a,Right side
k6,i4,model-b,Left
k7,i6,model-a,the frontal lobe
k8,i6,model-b,occipital
"""

# What the two raters answer in the tests; a tuple is (not assessable, reason).
FIRST = {"i1": "left", "i2": "yes", "i3": "3", "i4": "left", "i5": "no", "i6": "Frontal lobe.", "i7": "no", "i8": "no"}
SECOND = {
    "i1": "right", "i2": "yes", "i3": "two", "i4": "left", "i5": ("not assessable", "quality"), "i6": "the frontal",
    "i7": "yes", "i8": "yes",
}  # fmt: skip


@dataclass
class Situation:
    """A study with its people, by name."""

    database: Database
    admin: Actor
    people: dict[str, Actor] = field(default_factory=dict)


def study_folder(
    folder: Path,
    *,
    sample: int = 8,
    resamples: int = 10_000,
    primary: str = "closed_format_accuracy",
    intervals: str = "interval: percentile_bootstrap",
    **changed: str,
) -> Path:
    """Write the study folder; a keyword such as `items` replaces that table."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = {
        "cases": CASES, "volumes": VOLUMES, "items": ITEMS, "references": REFERENCES, "candidates": CANDIDATES,
    } | changed  # fmt: skip
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    protocol = PROTOCOL % {"sample": sample, "resamples": resamples, "primary": primary, "intervals": intervals}
    (folder / "protocol.yaml").write_text(protocol, encoding="utf-8")
    rng = np.random.default_rng(1)
    for number in (1, 2, 3):
        voxels = rng.integers(1, 1000, (6, 7, 5)).astype(np.int16)
        nib.save(nib.Nifti1Image(voxels, np.eye(4)), folder / f"v{number}.nii.gz")
    give_own_scans(folder)
    return folder


def frozen_study(
    database: Database,
    folder: Path,
    *,
    raters: int = 2,
    reviewers: int = 1,
    simulated_readers: bool = False,
    without_reference: Collection[str] = (),
) -> Situation:
    """Import the study, invite everybody, and freeze it; the items named in `without_reference` have none.

    See `opened_once`: of the same files and the same people it is made once in a run.
    """
    wanted = [("rater", number) for number in range(1, raters + 1)]
    wanted += [("reviewer", number) for number in range(1, reviewers + 1)]

    def make(empty: Database) -> OpenedSituation:
        return _of_people(_frozen(empty, folder, wanted, simulated_readers, without_reference))

    variant = ("frozen", raters, reviewers, simulated_readers, sorted(without_reference))
    return _named(opened_once(database, folder, variant, make), wanted)


def _of_people(situation: Situation) -> OpenedSituation:
    return OpenedSituation(
        situation.database, STUDY, situation.admin, tuple(situation.people.values()), situation.admin
    )


def _named(opened: OpenedSituation, wanted: Sequence[tuple[str, int]]) -> Situation:
    names = [f"{role} {number}" for role, number in wanted]
    return Situation(opened.database, opened.admin, dict(zip(names, opened.raters, strict=True)))


def _frozen(
    database: Database,
    folder: Path,
    wanted: Sequence[tuple[str, int]],
    simulated_readers: bool,
    without_reference: Collection[str],
) -> Situation:
    with database.writing() as session:
        owner = add_person(session, "owner", "Olga Owner", is_owner=True)
        token = issue_link(session, owner, "sign_in")
    admin = _actor(database, use_link(database, token, None))
    import_study(database, admin, folder, simulated_readers=simulated_readers)
    with database.writing() as session:
        named = (
            select(Reference).join(Item, col(Item.id) == Reference.item_id).where(col(Item.key).in_(without_reference))
        )
        for reference in session.exec(named).all():
            session.delete(reference)
    situation = Situation(database, admin)
    for role, number in wanted:
        name = f"{role} {number}"
        link = members.invite(
            database, admin, STUDY, f"{role}{number}", f"Person {name}", role, specialty="Radiology", years=number,
            purpose="sign_in",
        )  # fmt: skip
        situation.people[name] = _actor(database, use_link(database, link, None))
    freezing.freeze_study(database, admin, STUDY)
    return situation


def read_all(
    situation: Situation,
    who: str,
    said: Mapping[str, Any],
    *,
    flag: Mapping[str, str] | None = None,
    traces: Mapping[str, dict[str, Any] | None] | None = None,
    stop_after: int | None = None,
) -> None:
    """Let a rater go through their reads, recognising items by their prompts; "failure" stands for broken images.

    `flag` and `traces` say by item what is remarked and what the browser tells of the looking.
    """
    by_prompt = _item_by_prompt(situation)
    actor = situation.people[who]
    done = 0
    while stop_after is None or done < stop_after:
        payload = submission.current_payload(situation.database, actor, STUDY, "reading")
        if payload["kind"] == "done":
            return
        item = by_prompt[payload["prompt"]]
        if said[item] == "failure":
            _show(situation.database, actor, payload)
            submission.report_failure(situation.database, actor, payload["assignment"], "no graphics")
        else:
            trace = (traces or {}).get(item)
            submit(situation.database, actor, payload, said[item], flag=(flag or {}).get(item), trace=trace)
        done += 1


def score_all(situation: Situation, who: str, correct: Iterable[str]) -> None:
    """Let a rater score every candidate; those named in `correct` are scored correct."""
    right = set(correct)
    by_answer = {line.split(",")[3]: line.split(",")[0] for line in CANDIDATES.splitlines()[1:]}
    by_question = _item_by_prompt(situation)
    by_both = {(line.split(",")[1], line.split(",")[3]): line.split(",")[0] for line in CANDIDATES.splitlines()[1:]}
    actor = situation.people[who]
    while True:
        payload = submission.current_payload(situation.database, actor, STUDY, "scoring")
        if payload["kind"] == "done":
            return
        question = dict(payload["context"]["facts"])["Question"]
        key = by_both.get((by_question[question], payload["candidate"])) or by_answer[payload["candidate"]]
        submit(situation.database, actor, payload, "yes" if key in right else "no")


def review_all(situation: Situation, who: str, first: Mapping[str, str], decided: Mapping[str, str]) -> None:
    """Open the queue and let a reviewer read and decide everything in it."""
    review_queue.open_review_queue(situation.database, situation.admin, STUDY)
    by_prompt = _item_by_prompt(situation)
    actor = situation.people[who]
    while True:
        payload = submission.current_payload(situation.database, actor, STUDY, "review")
        if payload["kind"] == "done":
            return
        item = by_prompt[payload["prompt"]]
        if payload["phase"] == "review":
            submit(situation.database, actor, payload, first[item])
        else:
            submit(situation.database, actor, payload, decided[item], reason="Seen on the images.")


def import_judge(situation: Situation, verdicts: Mapping[str, str], *, name: str = "judge 1") -> None:
    """Import a judge's verdicts by candidate key; an empty verdict is an error."""
    item_of = {line.split(",")[0]: line.split(",")[1] for line in CANDIDATES.splitlines()[1:]}
    lines = ["item,candidate,verdict,error,explanation"]
    lines += [
        f"{item_of[key]},{key},{verdict},{'' if verdict else 'timeout'},=1+1" for key, verdict in verdicts.items()
    ]
    content = "\n".join(lines).encode()
    import_runs.import_judge_verdicts(
        situation.database, situation.admin, STUDY, name=name, judge="a judge", content=content, file_name="j.csv"
    )


def closed_study(database: Database, folder: Path) -> Situation:
    """Return the study read by two raters, scored, reviewed, judged and closed, made once in a run (`opened_once`)."""
    study_folder(folder)
    made = opened_once(database, folder, ("closed",), lambda empty: _of_people(_closed(empty, folder)))
    return _named(made, [("rater", 1), ("rater", 2), ("reviewer", 1)])


def _closed(database: Database, folder: Path) -> Situation:
    situation = frozen_study(database, folder)
    read_all(situation, "rater 1", FIRST, flag={"i2": "=SUM(A1)"})
    read_all(situation, "rater 2", SECOND)
    score_all(situation, "rater 1", ["k1", "k3", "k5", "k7"])
    score_all(situation, "rater 2", ["k1", "k3", "k5", "k7", "k8"])
    answers = {
        "i1": "left",
        "i2": "yes",
        "i3": "3",
        "i4": "right",
        "i5": "no",
        "i6": "frontal",
        "i7": "yes",
        "i8": "no",
    }
    review_all(situation, "reviewer 1", answers, answers)
    import_judge(
        situation,
        {
            "k1": "correct", "k2": "incorrect", "k3": "correct", "k4": "correct", "k5": "incorrect",
            "k6": "incorrect", "k7": "correct", "k8": "",
        },
    )  # fmt: skip
    data_lock.close_study(database, situation.admin, STUDY)
    return situation


def submit(
    database: Database,
    actor: Actor,
    payload: dict[str, Any],
    said: Any,
    *,
    flag: str | None = None,
    reason: str | None = None,
    trace: dict[str, Any] | None = None,
) -> None:
    """Show an item and submit an answer to it."""
    _show(database, actor, payload)
    answers: dict[str, Any] = {"fields": {}, "not_assessable": None, "comment": "", "flag": None}
    if isinstance(said, tuple):
        answers["not_assessable"] = said[1]
    else:
        answers["fields"] = {"answer": said} | ({"reason": reason} if reason else {})
    if flag is not None:
        answers["flag"] = {"id": "prompt", "note": flag}
    circumstances = Circumstances(
        active_ms=4000, idle_ms=10, load_ms=200, renderer="test", viewport="800x600", trace=trace
    )
    submission.submit(database, actor, payload["assignment"], payload["key"], answers, circumstances)


def _show(database: Database, actor: Actor, payload: dict[str, Any]) -> None:
    submission.record_display(database, actor, payload["assignment"], load_ms=200, renderer="test", viewport="800x600")


def _item_by_prompt(situation: Situation) -> dict[str, str]:
    with situation.database.read_only() as session:
        return dict(session.exec(select(Item.prompt, Item.key)).all())


def _actor(database: Database, token: str) -> Actor:
    actor = actor_of_token(database, token)
    assert actor is not None
    return actor
