"""What people answered about test subjects reaches no admin before it is unsealed: every route is searched."""

from __future__ import annotations

import ast
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from agreement.judge.panels.corrected import CORRECTED
from db import Assignment, Candidate, Database, ImportedLabel, Item, Verdict, queries
from db.engine import make_engine
from exchange.report_json import report_json
from services import report
from services.errors import Conflict, NotAllowed
from services.judging import import_labels, import_runs, sealed_split
from services.progress import data_lock, outstanding, overview
from services.reading import member_progress
from services.record import package, verification
from services.record.blinding_audit import auditing
from services.report import calibration
from services.report.calibration import exports
from services.studies import freezing, thawing
from tests.harness.databases import copy_of_sqlite_file
from tests.harness.server import ROOT
from tests.listed_study import imported_listed, work_through
from tests.sealed_study import with_many_items
from tests.situations import Situation, answers, write_table

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


def imported(
    situation: Situation,
    name: str,
    version: str,
    examples: tuple[str, ...] = (),
    prompt: str = "",
    judge: str = "Judge",
) -> None:
    lines = [f"i{n},k{n},{'correct' if n % 3 == 0 or n % 11 == 0 else 'incorrect'}" for n in range(N)]
    import_runs.import_judge_verdicts(
        situation.database, situation.admin, situation.study_key, name=name, judge=judge, field="score.verdict",
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
    study = with_many_items(folder / "study", PROTOCOL, items)
    texts = [(f"k{n}", f"i{n}", "orchid-large", f"answer {n} of orchid-large") for n in range(items)]
    write_table(study / "candidates.csv", "candidate,item,model,answer", texts)
    groups = ("readers", "readers", "curators")
    return imported_listed(Database(engine, folder / "data"), study, key="sealed", groups=groups)


@pytest.fixture(scope="module")
def sealed(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Situation]:
    """A study that is divided, read, closed and judged; nothing of its test subjects is opened."""
    situation = drafted(migrated_sqlite, tmp_path_factory.mktemp("sealed"))
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
    yield situation
    situation.database.engine.dispose()


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
# Those that hold answers row by row: in these an answer about development subjects is shown, and one on test would be.
OF_ROWS = ("the report's CSV files", "manage.py report", "manage.py export")
# The same of labels made elsewhere.
OF_LABELS = (*OF_ROWS, "manage.py judge export of labels made elsewhere")


@pytest.mark.parametrize("route", ROUTES)
def test_nothing_that_was_answered_about_test_subjects_comes_by(sealed: Situation, route: str, tmp_path: Path) -> None:
    output = ROUTES[route](sealed, tmp_path)

    of_test = items_for_test(sealed)
    assert sorted(found_in(output, said_of(sealed, of_test))) == []
    if route in OF_ROWS:
        others = {f"i{n}" for n in range(N)} - of_test
        assert planted(int(min(others)[1:]), "a") in output
    if route in OF_LABELS:
        # On which the judge differs, so that the lists of differences have it too.
        differing = next(n for n in range(N) if f"i{n}" not in of_test and n % 11 == 0 and n % 3)
        assert planted(differing, "physicians") in output


def test_the_count_of_what_is_missing_is_said(sealed: Situation, tmp_path: Path) -> None:
    of_test = items_for_test(sealed)
    notes = {text for text in said_of(sealed, of_test) if text.startswith("zz")}
    verdicts = len({note for note in notes if "physicians" not in note})

    notices = " ".join(report.current_report(sealed.database, sealed.admin, "sealed").notices)
    assert f"{len(of_test)} test subjects with {len(of_test)} items are sealed" in notices
    assert f"{verdicts} verdicts on them" in notices
    package.export_study(sealed.database, sealed.admin, "sealed", tmp_path / "package")
    counted = json.loads((tmp_path / "package" / "sealed.json").read_text(encoding="utf-8"))
    assert (counted["items"], counted["verdicts_left_out"]) == (len(of_test), verdicts)


ROWS = {"Verdict", "Adjudication", "PooledAnswer", "Draft", "ImportedLabel"}
NAMED_READS = {"answers_in", "earlier_turns", "root_verdict", "standing_verdicts", "verdict_chain"}


def reads_answers(source: str) -> bool:
    """Return whether a module imports a table of answers, or asks a named query for some."""
    return any(
        (isinstance(node, ast.ImportFrom) and any(alias.name in ROWS for alias in node.names))
        or (isinstance(node, ast.Attribute) and node.attr in NAMED_READS)
        for node in ast.walk(ast.parse(source))
    )


def test_every_reader_of_answers_in_the_program_is_known_to_respect_the_seal() -> None:
    tops = ("services", "components", "pages", "commands", "server")
    files = [path for top in tops for path in (ROOT / top).rglob("*.py")]

    readers = {path.relative_to(ROOT).as_posix() for path in files if reads_answers(path.read_text(encoding="utf-8"))}

    assert readers == READERS


# Which of the program's files read answers, and why none of these gives those on test subjects to an admin.
READERS = {
    # Through `load_rows` and `load_listed`, which leave out what is sealed.
    "services/report/rows/entries.py",
    "services/report/rows/loading.py",
    # Leave out what is sealed themselves.
    "services/record/package.py",
    "services/report/files/label_file.py",
    # Is told what to leave out by whoever calibrates or exports.
    "services/report/rows/labels.py",
    # Counts labels and names their labellers.
    "services/judging/import_labels.py",
    # Is not written while anything is sealed.
    "services/record/disclosure.py",
    # Names no answer while anything is sealed.
    "services/record/blinding_audit/collecting.py",
    # The highest id of each table.
    "services/record/blinding_audit/hidden.py",
    # Sentences that name receipts of what was altered, and no answer.
    "services/record/verification.py",
    "services/seals/proofs.py",
    # What members do themselves; admins read counts and times.
    "services/adjudication/review_queue.py",
    "services/reading/displaying.py",
    "services/reading/member_progress.py",
    "services/reading/pace.py",
    "services/reading/pooling.py",
    "services/reading/practice.py",
    "services/reading/releasing.py",
    "services/reading/revising.py",
    "services/reading/revision_rules.py",
    "services/reading/session_summary.py",
    "services/reading/settling.py",
    "services/reading/shown_items.py",
    "services/reading/submission.py",
    "services/reading/verdict_rows.py",
    "services/reading/verdict_times.py",
    # Whether there is any.
    "services/people/permission.py",
    "services/studies/assigning.py",
    "services/studies/removing.py",
    "services/studies/thawing.py",
    "services/studies/versions/current.py",
    "services/studies/versions/shown_before.py",
}


def test_verdicts_for_other_programs_name_no_test_candidate(sealed: Situation, tmp_path: Path) -> None:
    named = set(re.findall(r"\bk\d+\b", _exports(sealed, tmp_path)))

    assert named == {f"k{n}" for n in range(N)} - {f"k{key[1:]}" for key in items_for_test(sealed)}


def test_figures_of_a_sealed_study_are_of_development_subjects_and_say_so(sealed: Situation) -> None:
    computed = calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["first"])

    assert computed.material.n == N - len(items_for_test(sealed))
    assert computed.of_judges["Judge (v1)"].part == "development"
    for panel in computed.panels.values():
        assert panel.sentences[0] == "On development subjects:" and "development subjects:" not in panel.sentences[1:]


def test_what_reviewers_settled_stands_beside_majority_and_each_rater(sealed: Situation) -> None:
    computed = calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["first"], basis="adjudicated")

    assert computed.bases == ("mean of 2", "majority of 2", "unanimous of 2", "adjudicated", "Rater 1", "Rater 2")
    settled, agreed = (
        next(row.basis for row in computed.panels["ceiling"].rows if row.basis.startswith(name))
        for name in ("adjudicated", "unanimous")
    )
    # Nothing is left out of what was settled; of unanimity what the readers differ on is.
    assert ", 0 left out" in settled and ", 0 left out" not in agreed


def test_a_criterion_that_the_plan_declares_beside_judges_stands_in_the_place_of_the_shipped_ones(
    sealed: Situation,
) -> None:
    document = json.loads(calibration.certify(sealed.database, sealed.admin, "sealed", runs=["first"]).document)

    assert list(document["criteria"]) == ["close_to_people", "labels in the stratum", "number of humans"]
    (row,) = [row for row in document["results"] if row["statistic"] == "close_to_people"]
    assert row["sentence"] == "passed" and row["estimate"]["low"] > 0.5
    assert document["said"]["Subjects"].startswith("development, of a study divided")


def test_examples_of_a_prompt_are_of_development_subjects_or_refused(sealed: Situation) -> None:
    of_test = min(items_for_test(sealed))

    with pytest.raises(Conflict, match=f"1 of 1 example of the prompt is of test subjects, such as {of_test}"):
        imported(sealed, "third", "v3", (of_test,))
    with pytest.raises(Conflict, match=r"no item 'i0x' \(nearest: i0\)|no item 'i0x'"):
        imported(sealed, "third", "v3", ("i0x",))


def test_a_study_that_somebody_saw_or_that_was_judged_or_divided_is_not_divided(sealed: Situation) -> None:
    with pytest.raises(Conflict, match="closed, so that its report was open"):
        sealed_split.make_split(sealed.database, sealed.admin, "sealed")
    with pytest.raises(NotAllowed):
        sealed_split.make_split(sealed.database, sealed.raters[0], "sealed")


def test_a_blinding_audit_names_no_test_item_in_a_phase_that_follows_from_answers(
    sealed: Situation, tmp_path: Path
) -> None:
    auditing.audit_blinding(sealed.database, sealed.admin, "sealed", tmp_path / "audit.json")

    # Each answer names its model, so that each screen is listed with its item.
    leaks = json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))["leaks"]
    named = {phase: {leak["item"] for leak in leaks if leak["phase"] == phase} for phase in ("score", "settle")}
    assert "of a test subject" in named["settle"] and named["settle"].isdisjoint(items_for_test(sealed))
    assert items_for_test(sealed) <= named["score"]


def test_agreement_on_test_is_opened_for_one_prompt_once_and_shows_no_rows(sealed: Situation, tmp_path: Path) -> None:
    database, admin = sealed.database, sealed.admin

    assert sealed_split.open_test(database, admin, "sealed", "first", "The prompt is final.") == "Judge (v1)"

    both = calibration.calibration_of(database, admin, "sealed", runs=["first", "second"])
    assert {name: each.part for name, each in both.of_judges.items()} == {
        "Judge (v1)": "test", "Judge (v2)": "development",
    }  # fmt: skip
    bases = {row.parties[0]: row.basis for row in both.panels["certificate"].rows if row.basis}
    assert bases["Judge (v1)"].endswith("test subjects") and bases["Judge (v2)"].endswith("development subjects")
    assert both.material.n == N - len(items_for_test(sealed))
    assert any(row.statistic == CORRECTED and "test" in row.basis for row in both.panels["corrected"].rows)
    document = json.loads(calibration.certify(database, admin, "sealed", runs=["first"]).document)
    assert (document["covered"]["labelled"], document["looks"]) == (len(items_for_test(sealed)), 1)
    # Of two runs that were opened together the better one could be chosen, and few verdicts would be told one by one.
    assert (document["plan"]["runs_opened"], document["plan"]["fewest_shown"]) == (2, 5)
    assert "2 runs of this prompt were opened together" in both.panels["certificate"].sentence
    with pytest.raises(Conflict, match=r"Judge \(v1\) was opened on test before"):
        sealed_split.open_test(database, admin, "sealed", "first", "Once more, please.")
    for number, route in enumerate(ROUTES.values()):
        (tmp_path / str(number)).mkdir()
        output = route(sealed, tmp_path / str(number))
        assert found_in(output, said_of(sealed, items_for_test(sealed))) == set()


def test_a_run_that_came_after_the_opening_tells_nothing_of_test_subjects(sealed: Situation) -> None:
    database, admin = sealed.database, sealed.admin
    imported(sealed, "made up for it", "v1")

    late = calibration.calibration_of(database, admin, "sealed", runs=["made up for it"])

    assert late.of_judges["Judge (v1)"].part == "development"
    assert "against development subjects: made up for it." in " ".join(late.said)
    both = calibration.calibration_of(database, admin, "sealed", runs=["first", "made up for it"])
    assert both.of_judges["Judge (v1)"].part == "development"
    alone = calibration.calibration_of(database, admin, "sealed", runs=["first"])
    assert alone.of_judges["Judge (v1)"].part == "test"


def test_labels_made_elsewhere_are_opened_with_the_judge_unless_they_came_after_that(sealed: Situation) -> None:
    database, admin = sealed.database, sealed.admin
    labelled(sealed, "made up for it")

    opened = calibration.calibration_of(database, admin, "sealed", runs=["first"], labels=["physicians"])
    late = calibration.calibration_of(database, admin, "sealed", runs=["first"], labels=["made up for it"])

    of_test, of_late = opened.of_judges["Judge (v1)"], late.of_judges["Judge (v1)"]
    assert (of_test.part, of_test.material.labelled.n) == ("test", len(items_for_test(sealed)))
    assert (of_late.part, of_late.material.labelled.n) == ("development", N - len(items_for_test(sealed)))
    assert "imported after agreement on test was opened" in " ".join(late.said)
    assert set(of_test.material.humans) == {"Dr A (elsewhere)"} and of_test.material.adjudicated is None
    with pytest.raises(Conflict, match="'Dr A' labelled an answer in two of the imports"):
        calibration.calibration_of(database, admin, "sealed", runs=["first"], labels=["physicians", "made up for it"])


def test_two_judges_with_their_prompts_are_not_called_alike(sealed: Situation) -> None:
    with pytest.raises(Conflict, match=r"The judge of run 'first' is called 'Judge \(v1\)' with its prompt, too"):
        imported(sealed, "called alike", "", judge="Judge (v1)")


def test_a_judge_that_is_called_like_a_reader_is_compared_with_the_reader(sealed: Situation) -> None:
    alone = calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["second"])
    (reader, other), (judge,) = alone.material.humans, alone.material.judges
    imported(sealed, "namesake", "", judge=reader)

    named = calibration.calibration_of(sealed.database, sealed.admin, "sealed", runs=["namesake"])

    def agreement(computed: calibration.Calibration, *parties: str) -> float:
        (row,) = computed.panels["ceiling"].of("agreement", parties=parties, stratum="all")
        return row.estimate.value

    assert list(named.material.humans) == [f"{reader} (person)", other]
    assert agreement(named, reader, f"{reader} (person)") == agreement(alone, judge, reader)
    assert agreement(named, f"{reader} (person)", other) == agreement(alone, reader, other)


def test_two_texts_are_not_one_version_of_a_prompt(sealed: Situation) -> None:
    imported(sealed, "with a text", "v5", prompt="Be strict.")

    with pytest.raises(Conflict, match="In run 'with a text', version 'v5' of the prompt of 'Judge' is another text"):
        imported(sealed, "with another", "v5", prompt="Be lenient.")


def test_an_answer_that_could_come_after_the_opening_is_not_told_by_what_it_changes(sealed: Situation) -> None:
    database, admin = sealed.database, sealed.admin
    data_lock.reopen_study(database, admin, "sealed", "A reader has something to correct.")
    data_lock.take_interim_look(database, admin, "sealed", "To watch what it changes.")

    with pytest.raises(Conflict, match="Close the study first"):
        sealed_split.open_test(database, admin, "sealed", "second", "While answers still come.")
    while_open = calibration.calibration_of(database, admin, "sealed", runs=["first"])
    data_lock.close_study(database, admin, "sealed")
    closed_again = calibration.calibration_of(database, admin, "sealed", runs=["first"])

    assert {each.of_judges["Judge (v1)"].part for each in (while_open, closed_again)} == {"development"}
    assert "The study was re-opened after agreement on test was opened" in " ".join(closed_again.said)


def test_unsealed_answers_are_part_of_everything_and_certificates_say_so(sealed: Situation, tmp_path: Path) -> None:
    sealed_split.unseal(sealed.database, sealed.admin, "sealed", "The paper is written.")

    notes = {
        text for text in said_of(sealed, items_for_test(sealed)) if text.startswith("zz") and "physicians" not in text
    }
    (tmp_path / "labels").mkdir()
    remark = planted(int(min(items_for_test(sealed))[1:]), "physicians")
    assert all(remark in ROUTES[route](sealed, tmp_path / "labels" / str(place)) for place, route in enumerate(OF_ROWS))
    for route in OF_ROWS:
        folder = tmp_path / route.replace(" ", "")
        folder.mkdir()
        output = ROUTES[route](sealed, folder)
        assert found_in(output, notes) == notes, route
    document = json.loads(calibration.certify(sealed.database, sealed.admin, "sealed", runs=["first"]).document)
    assert "unsealed" in document["said"]["Subjects"]
    assert document["plan"]["fewest_shown"] == 1
    assert verification.verify_study(sealed.database, "sealed") == []
    kinds = [event.kind for event in data_lock.events_of(sealed.database, sealed.admin, "sealed")]
    assert [kind for kind in kinds if "test" in kind or "divide" in kind] == [
        "divide subjects", "open test for Judge", "unseal test subjects",
    ]  # fmt: skip


def test_too_few_subjects_a_look_or_a_judge_forbid_the_seal_and_a_seal_forbids_a_thaw(
    migrated_sqlite: Path, tmp_path: Path
) -> None:
    situation = drafted(migrated_sqlite, tmp_path, items=44)
    database, admin = situation.database, situation.admin
    with pytest.raises(Conflict, match="Freeze the study first"):
        sealed_split.make_split(database, admin, "sealed")
    freezing.freeze_study(database, admin, "sealed")
    with pytest.raises(Conflict, match="has 44 subjects and 44 items that people rate; expected 40 and 60 or more"):
        sealed_split.make_split(database, admin, "sealed")
    assert sealed_split.can_be_divided(database, admin, "sealed")
    data_lock.take_interim_look(database, admin, "sealed", "Only to see.")
    with pytest.raises(Conflict, match="The report of this study was open before"):
        sealed_split.make_split(database, admin, "sealed")

    (tmp_path / "other").mkdir()
    other = drafted(migrated_sqlite, tmp_path / "other")
    freezing.freeze_study(other.database, other.admin, "sealed")
    with pytest.raises(Conflict, match="No item has a 'tier'; expected some of category, format"):
        sealed_split.make_split(other.database, other.admin, "sealed", strata=("tier",))
    line = sealed_split.make_split(other.database, other.admin, "sealed", SHARE)
    assert "seed" in line.method and line.verdicts == 0
    with pytest.raises(Conflict, match="its subjects were divided"):
        thawing.thaw_study(other.database, other.admin, "sealed", "To correct an item.")
    with pytest.raises(Conflict, match="were divided before"):
        sealed_split.make_split(other.database, other.admin, "sealed")
    for each in (database, other.database):
        each.engine.dispose()
