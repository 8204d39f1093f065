"""Scores of which some are sealed, what people planted in them, and the routes by which an admin gets at answers."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from db import Assignment, Candidate, Database, ImportedLabel, Item, Verdict, queries
from db.engine import make_engine
from exchange.refusal import InputRefused
from exchange.report.report_json import report_json
from services import report
from services.judging import import_labels, import_runs, sealed_split
from services.progress import data_lock, outstanding, overview
from services.reading import member_progress, previewing
from services.record import package, verification
from services.record.blinding_audit import auditing
from services.report import calibration
from services.report.calibration import exports
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import imported_listed, work_through
from tests.sealed_study import with_many_items
from tests.situations import Situation, answers, opened_once, write_table

PROTOCOL = """
blindread: 2
name: sealed
title: Scores, of which some are sealed
groups: {readers: Readers, curators: Curators}
phases:
  - key: score
    title: Scores
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {verdict: correctness, note: text}
    by: readers
  - key: settle
    title: What differs
    rates: candidates
    from: {phase: score, let_in: {differs: verdict}}
    shows: [prompt, reference, candidate]
    form: {verdict: correctness, note: text}
    by: curators
    settles: score
analysis:
  criteria:
    - {key: close_to_people, estimate: agreement, of: score.verdict, with: judges, statistic: percent_agreement,
       above: 0.5, least: {units: 10, raters: 2}}
"""
N, SHARE = 104, 0.4


def planted(number: int, who: str) -> str:
    return f"zz{number:03d}{who}qx"


def answer(payload: dict[str, Any]) -> dict[str, Any]:
    """What is said of a candidate: everybody plants a note of their own, and two readers differ on every seventh."""
    number = int(payload["candidate"].split()[1])
    who = answer.who  # type: ignore[attr-defined]
    said = number % 3 == 0 or (who == "b" and number % 7 == 0)
    return answers(verdict="correct" if said else "incorrect", note=planted(number, who))


def saying(others: Sequence[str]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return what somebody says who finds all answers correct, except those to some items."""

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        is_other = f"i{payload['candidate'].split()[1]}" in others
        return answers(verdict="incorrect" if is_other else "correct", note="Seen.")

    return answer


def imported(
    situation: Situation,
    name: str,
    version: str,
    examples: tuple[str, ...] = (),
    prompt: str = "",
    judge: str = "Judge",
    field: str = "score.verdict",
) -> None:
    lines = [f"i{n},k{n},{'correct' if n % 3 == 0 or n % 11 == 0 else 'incorrect'}" for n in range(N)]
    import_runs.import_judge_verdicts(
        situation.database, situation.admin, situation.study_key, name=name, judge=judge, field=field,
        content="\n".join(["item,candidate,verdict", *lines]).encode(), file_name=f"{name}.csv",
        identity=import_runs.Identity("judge-1", prompt, version, examples=examples),
    )  # fmt: skip


def labelled(situation: Situation, name: str) -> None:
    """Bring in labels of all candidates that were made elsewhere, each with a remark of its own."""
    lines = [f"i{n},k{n},Dr A,{'correct' if n % 3 == 0 else 'incorrect'},{planted(n, name)}" for n in range(N)]
    import_labels.import_labels(
        situation.database, situation.admin, situation.study_key, name=name, field="score.verdict",
        content="\n".join(["item,candidate,labeller,verdict,explanation", *lines]).encode(), file_name=f"{name}.csv",
        is_random_part=True,
    )  # fmt: skip


def drafted(migrated_sqlite: Path, folder: Path, items: int = N) -> Situation:
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    return _imported(Database(engine, folder / "data"), _written(folder / "study", items))


def _written(study: Path, items: int) -> Path:
    with_many_items(study, PROTOCOL, items)
    texts = [(f"k{n}", f"i{n}", "orchid-large", f"answer {n} of orchid-large") for n in range(items)]
    write_table(study / "candidates.csv", "candidate,item,model,answer", texts)
    return study


def _imported(database: Database, study: Path) -> Situation:
    return imported_listed(database, study, key="sealed", groups=("readers", "readers", "curators"))


def divided_read_and_judged(migrated_sqlite: Path, folder: Path) -> Situation:
    """Return a copy of the study that is divided, read, closed and judged; nothing of its test subjects is opened."""
    study = _written(folder / "study", N)

    def make(empty: Database) -> Situation:
        situation = _imported(empty, study)
        freezing.freeze_study(situation.database, situation.admin, "sealed")
        sealed_split.make_split(situation.database, situation.admin, "sealed", SHARE, ("category",))
        for rater, who in zip(situation.raters, "abc", strict=True):
            answer.who = who  # type: ignore[attr-defined]
            work_through(Situation(situation.database, "sealed", situation.admin, (rater,), situation.admin), answer)
        data_lock.close_study(situation.database, situation.admin, "sealed")
        imported(situation, "first", "v1")
        imported(situation, "first again", "v1")
        imported(situation, "second", "v2")
        labelled(situation, "physicians")
        return situation

    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    return opened_once(Database(engine, folder / "data"), study, ("sealed", SHARE), make)


def items_for_test(situation: Situation) -> set[str]:
    with situation.database.read_only() as session:
        study_id = session.exec(select(Item.study_id)).first()
        ids = queries.items_for_test(session, study_id or 0)
        return set(session.exec(select(Item.key).where(col(Item.id).in_(ids))))


def said_of(situation: Situation, items: set[str]) -> set[str]:
    """Return everything by which an answer about some items can be known: notes, receipts, hashes of answers.

    Of labels made elsewhere what was remarked beside them.
    """
    with situation.database.read_only() as session:
        verdicts = session.exec(
            select(Verdict)
            .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
            .join(Item, col(Item.id) == Assignment.item_id)
            .where(col(Item.key).in_(items))
        ).all()
        remarks = session.exec(
            select(ImportedLabel.remark)
            .join(Candidate, col(Candidate.id) == ImportedLabel.candidate_id)
            .join(Item, col(Item.id) == Candidate.item_id)
            .where(col(Item.key).in_(items))
        ).all()
    return set(remarks) | {
        text for verdict in verdicts for text in (str(verdict.fields["note"]), verdict.receipt, verdict.content_sha256)
    }


def found_in(output: str, texts: set[str]) -> set[str]:
    """Return those of some texts that stand in an output.

    Each can stand only within a run of letters, digits, spaces and hyphens as long as the shortest text. Of megabytes
    few differing runs are left to be searched for hundreds of texts.
    """
    assert all(re.fullmatch(r"[0-9A-Za-z -]{8,}", text) for text in texts)
    runs = "\n".join(set(re.findall(r"[0-9A-Za-z -]{8,}", output)))
    return {text for text in texts if text in runs}


def _folder(folder: Path) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*")) if path.is_file())


def _package(situation: Situation, folder: Path) -> str:
    package.export_study(situation.database, situation.admin, "sealed", folder / "package")
    return _folder(folder / "package")


def _csv(situation: Situation, _: Path) -> str:
    content = report.download(situation.database, situation.admin, "sealed", "csv")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return "\n".join(archive.read(name).decode() for name in archive.namelist())


def _audit(situation: Situation, folder: Path) -> str:
    out = folder / "audit.json"
    auditing.audit_blinding(situation.database, situation.admin, "sealed", out, show_values=True)
    return out.read_text(encoding="utf-8")


def _previews(situation: Situation) -> str:
    database, admin = situation.database, situation.admin
    return "".join(
        str(previewing.preview_item(database, admin, "sealed", item, phase.key)) + phase.remark
        for item in sorted(items_for_test(situation))[:3]
        for phase in previewing.phases_to_preview(database, admin, "sealed", item)
        if not phase.nothing
    )


def _labels_again(situation: Situation) -> str:
    """Label all answers twice, under the name of somebody who has labelled: nothing says what that person said."""
    rows = "".join(f"i{n},k{n},Dr A,correct\n" * 2 for n in range(N))
    with pytest.raises(InputRefused) as refused:
        import_labels.import_labels(
            situation.database, situation.admin, "sealed", name="again", field="score.verdict",
            content=f"item,candidate,labeller,verdict\n{rows}".encode(), file_name="again.csv",
        )  # fmt: skip
    return "".join(map(str, refused.value.problems))


def _calibration(situation: Situation, _: Path) -> str:
    return _calibrated(situation)


def _calibrated(situation: Situation, *labels: str) -> str:
    computed = calibration.calibration_of(situation.database, situation.admin, "sealed", labels=labels)
    words = calibration.in_words(computed, everything=True)
    return f"{words}{[calibration.summary_of(computed), *calibration.sections_of(computed)]}"


def _exports(situation: Situation, _: Path) -> str:
    return _exported(situation)


def _exported(situation: Situation, *labels: str) -> str:
    database, admin = situation.database, situation.admin
    files = [
        exports.export_verdicts(database, admin, "sealed", name, runs=["first"], labels=labels)
        for name in exports.FORMATS
    ]
    return "".join(piece for by_name in files for pieces in by_name.values() for piece in pieces)


# How an admin gets at what people answered, by page, file and command.
ROUTES: dict[str, Callable[[Situation, Path], str]] = {
    "the report on its page": lambda s, _: report_json(report.current_report(s.database, s.admin, "sealed")),
    "the report as HTML": lambda s, _: report.download(s.database, s.admin, "sealed", "html").decode(),
    "the report as JSON": lambda s, _: report.download(s.database, s.admin, "sealed", "json").decode(),
    "the report's CSV files": _csv,
    "manage.py report": lambda s, f: (
        str(report.export_report(s.database, s.admin, "sealed", f / "out")) + _folder(f / "out")
    ),
    "manage.py export": _package,
    "the calibration, on its page and by command": _calibration,
    "manage.py judge export": _exports,
    "a certificate": lambda s, _: calibration.certify(s.database, s.admin, "sealed", runs=["first"]).document,
    "the calibration by labels made elsewhere": lambda s, _: _calibrated(s, "physicians"),
    "manage.py judge export of labels made elsewhere": lambda s, _: _exported(s, "physicians"),
    "a certificate by labels made elsewhere": lambda s, _: str(
        calibration.certify(s.database, s.admin, "sealed", runs=["first"], labels=["physicians"])
    ),
    "manage.py blinding-audit --show-values": _audit,
    "manage.py verify": lambda s, _: (
        str(verification.verify_study(s.database, "sealed")) + str(verification.remarks_on(s.database, "sealed"))
    ),
    "progress, events and open work": lambda s, _: "".join(
        str(part)
        for part in (
            member_progress.progress_of_members(s.database, s.admin, "sealed"),
            data_lock.events_of(s.database, s.admin, "sealed"),
            outstanding.open_work_of(s.database, s.admin, "sealed"),
            overview.overview_of(s.database, s.admin, "sealed"),
            import_runs.judge_runs_of(s.database, s.admin, "sealed"),
            import_labels.labels_of(s.database, s.admin, "sealed"),
        )
    ),
}
ROUTES["previews of items in every phase"] = lambda s, _: _previews(s)
ROUTES["what is said of labels that are imported"] = lambda s, _: _labels_again(s)
# Those that hold answers row by row: in these an answer about development subjects is shown, and one on test would be.
OF_ROWS = ("the report's CSV files", "manage.py report", "manage.py export")
