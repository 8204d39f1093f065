"""Two installations that are equal but for what people answered about sealed subjects.

Both begin as copies of one database with the same study, frozen and divided, so that keys and draws are the same, and
the same people answer as many questions in the same order. About sealed subjects they say something else in the second
one: other answers, remarks and flags, so that more or fewer of them differ and go to others.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from db import Database
from db.engine import make_engine
from services.adjudication import review_queue
from services.judging import import_labels, import_runs, sealed_split
from services.progress import data_lock, outstanding
from services.reading import instructions, submission, worklist
from services.studies.freeze import freezing
from services.studies.versions import making
from tests.harness.databases import copy_of_sqlite_file, sqlite_url
from tests.listed_study import imported_listed, work_through
from tests.sealed_study import with_many_items
from tests.situations import Situation, imported_study, show, write_table

Answering = Callable[[dict[str, Any]], dict[str, Any]]
# Returns a copy of a database that nobody is connected to, with another data folder.
Copying = Callable[[Database, Path], Database]
STUDY = "twin"
# Order is random by the key of the study over all units of a queue, also those of sealed subjects; listed it is the
# same for the units of the others, whatever else is in the queue.
PROTOCOL = """
blindread: 2
name: twin
title: Reads and scores, of which some are sealed
groups: {readers: Readers, seconds: Seconds, scorers: Scorers, curators: Curators}
forms:
  side: {side: {type: choice, options: {left: Left, right: Right}}, note: {type: text, required: no}}
  same: {verdict: correctness, note: {type: text, required: no}}
phases:
  - key: read
    title: Reads
    rates: items
    shows: [prompt]
    form: side
    by: readers
    not_assessable: {quality: Poor quality}
    flags: {prompt: The question is odd}
  - key: look_again
    title: Odd ones
    rates: items
    from: {phase: read, let_in: [differs, flagged, not_assessable]}
    shows: [prompt]
    form: side
    by: seconds
    order: as_listed
    settles: read
  - key: score
    title: Scores
    rates: candidates
    shows: [prompt, reference, candidate]
    form: same
    by: scorers
  - key: settle
    title: What differs
    rates: candidates
    from: {phase: score, let_in: {differs: verdict}}
    shows: [prompt, reference, candidate]
    form: same
    by: curators
    order: as_listed
    settles: score
analysis:
  resamples: 200
  tables: [category]
  criteria:
    - {key: close_to_people, estimate: agreement, of: score.verdict, with: judges, statistic: percent_agreement,
       above: 0.5, least: {units: 10, raters: 2}}
"""
N, SHARE = 76, 0.42
MODELS = ("orchid-large", "orchid-small")


def divided(database: Database, folder: Path) -> Situation:
    """Return a study that lists its phases, before anybody answered."""
    study = with_many_items(folder / "study", PROTOCOL, N)
    write_table(study / "candidates.csv", "candidate,item,model,answer", _candidates())
    groups = ("readers", "readers", "seconds", "scorers", "scorers", "curators")
    situation = imported_listed(database, study, key=STUDY, groups=groups)
    return _frozen_and_divided(situation)


def divided_in_the_first_language(database: Database, folder: Path) -> Situation:
    """Return a study with scoring and adjudication, before anybody answered."""

    def with_many(study: Path) -> None:
        write_table(
            study / "cases.csv", "case,subject,vignette,age,note", [(f"c{n}", f"s{n}", "", "", "") for n in range(N)]
        )
        volumes = [(f"v{n}", f"c{n}", "current", "T1", "2024-06-01", "volumes/c1-t1.nii.gz", "T1") for n in range(N)]
        write_table(study / "volumes.csv", "volume,case,role,sequence,acquired,file,label", volumes)
        items = [
            (
                f"i{n}",
                f"c{n}",
                "ab"[n % 2],
                "choice",
                "image_grounded",
                "choice",
                f"Item {n}?",
                "left=Left|right=Right",
                "T1",
                "false",
            )
            for n in range(N)
        ]
        write_table(
            study / "items.csv", "item,case,category,format,grounding,form,prompt,options,sequences,uses_prior", items
        )
        references = [(f"i{n}", "left", "", "", "", "") for n in range(N)]
        write_table(study / "references.csv", "item,accepted,low,high,text_only_answer,provenance", references)
        write_table(study / "candidates.csv", "candidate,item,model,answer", _candidates())

    # A control is drawn among all items, so that it may be one of a sealed subject.
    protocol = {"title": "Twin", "adjudication": {"instructions": "Read it yourself first.", "controls": 0}}
    situation = imported_study(database, folder / "study", protocol, changes=[with_many], key=STUDY)
    return _frozen_and_divided(situation)


def _candidates() -> list[tuple[str, ...]]:
    return [(f"k{n}", f"i{n}", MODELS[n % 2], f"answer {n} of a model") for n in range(N)]


def on_sqlite(migrated_sqlite: Path, folder: Path) -> Database:
    """Return an empty database in a file."""
    return Database(
        make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db")), folder / "data"
    )


def copied_file(database: Database, folder: Path) -> Database:
    """Return a copy of a database in a file, with its data folder."""
    shutil.copytree(database.data_dir, folder)
    return Database(make_engine(sqlite_url(folder / "blindread.db")), folder)


def _frozen_and_divided(situation: Situation) -> Situation:
    freezing.freeze_study(situation.database, situation.admin, STUDY)
    sealed_split.make_split(situation.database, situation.admin, STUDY, SHARE, ("category",))
    return situation


def answered(
    at_first: Situation,
    folder: Path,
    otherwise: Collection[str] = (),
    field: str = "score.verdict",
    heard: list[str] | None = None,
    copied: Copying = copied_file,
    study: Path | None = None,
) -> Situation:
    """Return a copy of a study in which everybody has answered, closed and judged.

    One of the people cannot be shown the first unit, and says so.

    Parameters
    ----------
    otherwise
        Keys of the items about which people say something else.
    heard
        What an admin is told meanwhile is added to it.
    copied
        Copies the database.
    study
        The study's folder, of which a version with another item is made once the first of the people has answered.
    """
    at_first.database.engine.dispose()
    database = copied(at_first.database, folder)
    others = frozenset(int(key[1:]) for key in otherwise)
    _report_a_failure(Situation(database, STUDY, at_first.admin, at_first.raters[:1], at_first.reviewer))
    of_raters = [Situation(database, STUDY, at_first.admin, (rater,), at_first.reviewer) for rater in at_first.raters]
    if study is not None:
        work_through(of_raters[0], _drafting(of_raters[0], _answering(0, others)))
        _add_an_item(of_raters[0], study, folder / "version")
    for number, of_rater in enumerate(of_raters):
        work_through(of_rater, _drafting(of_rater, _answering(number, others)))
    if at_first.reviewer != at_first.admin:
        messages = [review_queue.open_review_queue(database, at_first.admin, STUDY).in_words]
        messages += [piece.sentence for piece in outstanding.open_work_of(database, at_first.admin, STUDY)]
        if heard is not None:
            heard += messages
        work_through(Situation(database, STUDY, at_first.admin, (at_first.reviewer,), at_first.reviewer))
    data_lock.close_study(database, at_first.admin, STUDY)
    situation = Situation(database, STUDY, at_first.admin, at_first.raters, at_first.reviewer)
    for name, version in (("run-1", "v1"), ("run-2", "v1"), ("run-3", "v2")):
        judged = (f"i{n},k{n},{_word(n % 3 == 0 or n % 11 == 0)},.{n % 9 + 1}" for n in range(N))
        import_runs.import_judge_verdicts(
            database, situation.admin, STUDY, name=name, judge="Judge", field=field, file_name=f"{name}.csv",
            content="\n".join(["item,candidate,verdict,confidence", *judged]).encode(),
            identity=import_runs.Identity("judge-1", f"Prompt {version}.", version),
        )  # fmt: skip
    labelled = (f"i{n},k{n},Dr A,{_word((n in others) != (n % 3 == 0))},{_remark(n, others)}" for n in range(N))
    import_labels.import_labels(
        database, situation.admin, STUDY, name="physicians", field=field, file_name="labels.csv", is_random_part=True,
        content="\n".join(["item,candidate,labeller,verdict,explanation", *labelled]).encode(),
    )  # fmt: skip
    return situation


def _report_a_failure(situation: Situation) -> None:
    (rater,) = situation.raters
    desk, *_ = worklist.desks_of(situation.database, rater)
    instructions.acknowledge_instructions(situation.database, rater, STUDY, desk.queue.key)
    payload: Any = submission.current_payload(situation.database, rater, STUDY, desk.queue.key)
    show(situation, rater, payload)
    submission.report_failure(situation.database, rater, payload["assignment"], "A black screen")


def _add_an_item(situation: Situation, study: Path, folder: Path) -> None:
    shutil.copytree(study, folder)
    for table, line in (
        ("items.csv", f"i{N},a,open,Item {N}?"),
        ("references.csv", f"i{N},left,,,,"),
        ("candidates.csv", f"k{N},i{N},{MODELS[0]},answer {N} of a model"),
    ):
        with (folder / table).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
    making.make_version(situation.database, situation.admin, STUDY, folder, "An item was forgotten.")


def _answering(who: int, others: frozenset[int]) -> Answering:
    """Return what one of the people says: the others differ from every fifth and seventh answer of the first ones."""

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        number_said = re.search(r"(?:Item|answer) (\d+)", str(payload))
        assert number_said is not None
        number = int(number_said[1])
        is_other = number in others
        # Of the sealed items those who answer second differ on half, or on none, and not on some.
        turned = bool(who % 2) and (number % 5 == 0 or number % 7 == 0) and not is_other
        turned |= bool(who % 3 == 0) and is_other and number % 2 == 0
        said = (number % 3 == 0) != turned
        keys = [field["key"] for field in payload["form"]["fields"]]
        is_score = payload.get("candidate") is not None
        value = _word(said) if is_score else ("left" if said else "right")
        of_field = {"note": _remark(number, others), "confidence": "1"}
        given = {key: of_field.get(key, value) for key in keys}
        # Who reads twice flags some, and finds some not assessable.
        has_remarks = not is_score and who < 2
        if has_remarks and number % 13 == 0 and not is_other:
            return {"fields": given, "not_assessable": None, "comment": "", "flag": {"id": "prompt", "note": "Odd"}}
        if has_remarks and number % 17 == 0 and not is_other:
            return {"fields": {}, "not_assessable": "quality", "comment": "Too dark", "flag": None}
        return {"fields": given, "not_assessable": None, "comment": "Otherwise" if is_other else "", "flag": None}

    return answer


def _drafting(situation: Situation, answer: Answering) -> Answering:
    """Return the same, saved as a draft before it is submitted, as a browser saves it."""

    def drafted(payload: dict[str, Any]) -> dict[str, Any]:
        given = answer(payload)
        submission.save_draft(situation.database, situation.raters[0], payload["assignment"], 1, given)
        return given

    return drafted


def _word(is_right: bool) -> str:
    return "correct" if is_right else "incorrect"


def _remark(number: int, others: frozenset[int]) -> str:
    return f"otherwise about {number}" if number in others else f"about {number}"
