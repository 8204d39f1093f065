"""The command line does with a study what its pages do: import, invite, freeze, verify, close, judge."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from services.people import identity
from tests.harness.server import ROOT
from tests.listed_study import READ_THEN_SCORE, write_listed
from tests.managing.installations import Run, link_of, logins_and_studies, with_sql
from tests.situations import write_study_folder

JUDGE_CSV = "item,candidate,verdict\ni1,k1,correct\ni1,k2,\n"


def test_a_study_is_imported_whole_or_refused_in_one_sentence(installed: Run, tmp_path: Path, data_dir: Path) -> None:
    folder = write_study_folder(tmp_path / "study")
    items = (folder / "items.csv").read_text(encoding="utf-8")
    (folder / "items.csv").write_text(items.replace("T1|T2", "T1|FLAIR"), encoding="utf-8")

    refused = installed("import", folder)
    (folder / "items.csv").write_text(items, encoding="utf-8")
    taken = installed("import", folder, "--key", "second")

    assert refused.exit_code == 1
    assert (
        "items.csv, line 3: sequences names 'FLAIR', but no volume in volumes.csv has that sequence" in refused.stdout
    )
    assert "Traceback" not in refused.stdout
    assert taken.exit_code == 0
    assert "Study 'second': 3 cases, 9 volumes, 6 items." in taken.stdout
    assert logins_and_studies(data_dir) == (["ada"], ["second"])


def test_an_invitation_prints_the_path_of_a_link(frozen: Run, data_dir: Path) -> None:
    done = frozen("invite", "tiny", "late", "--name", "Late Rater", "--sign-in-only")

    assert done.stdout.startswith("/link/")
    assert link_of(data_dir, done.stdout) == identity.Link("sign_in", "Late Rater", "late")
    assert "open it in a browser to sign in." in done.stderr


REFUSED = {
    ("invite", "tiny", "rater-1", "--name", "R", "--role", "reviewer"): "nobody has two roles in one",
    ("invite", "tiny", "x", "--name", "X", "--role", "king"): "'king' is not a role",
    ("invite", "tiny", "x", "--name", "X", "--group", "scorers"): "the protocol of this study has none; leave",
    ("invite", "nowhere", "x", "--name", "X"): "This study does not exist, or you have no access to it.",
    ("freeze", "tiny"): "This study is already frozen",
    ("practise-again", "tiny", "rater-1"): "has not used up their attempts at the practice",
    ("practise-again", "tiny", "nobody"): "The study has no rater 'nobody'.",
    ("freeze", "tiny", "--as", "rater-1"): "This needs the role admin",
    ("close", "tiny", "--as", "nobody"): "There is no account with the login 'nobody'.",
    ("verify", "nowhere"): "There is no study 'nowhere'.",
    ("import", "no-such-folder"): "no-such-folder is not a folder",
    ("delete-draft", "tiny", "--yes"): "only a draft can be renamed, removed or imported over",
    ("rename-draft", "tiny", "--title", "Another"): "only a draft can be renamed, removed or imported over",
    ("judge", "import", "tiny", "no.csv", "--name", "run"): "no.csv is missing",
    ("judge", "import-labels", "tiny", "no.csv", "--name", "labels"): "no.csv is missing; name a file with labels",
}


def test_a_refusal_is_one_sentence_and_exit_code_1(frozen: Run) -> None:
    for command, expected in REFUSED.items():
        refused = frozen(*command)

        assert refused.exit_code == 1, command
        assert expected in refused.stdout
        assert "Traceback" not in refused.stdout


def test_verify_holds_and_fails_after_tampering(frozen: Run, data_dir: Path) -> None:
    before = frozen("verify", "tiny")
    with_sql(data_dir, "UPDATE item SET prompt = 'Another?' WHERE key = 'i2'")

    after = frozen("verify", "tiny")

    assert before.exit_code == 0
    assert "No problems found" in before.stdout
    assert after.exit_code == 1
    changed, sealed = after.stdout.splitlines()
    assert changed == "Changed since the freeze: items i2."
    assert sealed.startswith("Table item, i1, i2, i3, i4, i5 and 1 more: one or more of these rows changed since audit")


@pytest.mark.server
def test_verify_as_a_process_of_its_own_exits_with_1_after_tampering(frozen: Run, data_dir: Path) -> None:
    with_sql(data_dir, "UPDATE candidate SET model = 'another' WHERE key = 'k1'")

    done = subprocess.run(
        [sys.executable, "manage.py", "verify", "tiny"],
        cwd=ROOT, env={**os.environ, "BLINDREAD_DATA_DIR": str(data_dir)}, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines()[0] == "Changed since the freeze: candidates k1."


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE flag",
        "DROP TABLE audit_event",
        "UPDATE item SET prompt = CAST(x'ff' AS TEXT)",
        "UPDATE study SET created_at = 'yesterday'",
    ],
)
def test_verify_says_in_sentences_what_cannot_be_read(frozen: Run, data_dir: Path, change: str) -> None:
    with_sql(data_dir, change)

    done = frozen("verify", "tiny")

    assert (done.exit_code, type(done.exception)) == (1, SystemExit)
    assert done.stdout.splitlines() != []


def test_verify_finds_a_cut_chain_against_the_head_of_a_backup(frozen: Run, data_dir: Path, tmp_path: Path) -> None:
    # The last event is that a link was issued, which no row of the study is sealed by.
    assert frozen("invite", "tiny", "late", "--name", "Late", "--role", "reviewer").exit_code == 0
    assert frozen("backup", tmp_path / "backup").exit_code == 0
    head = tmp_path / "backup" / "audit-head.txt"
    holds = frozen("verify", "tiny", "--audit-head", head)
    with_sql(
        data_dir,
        "DROP TRIGGER audit_event_no_delete",
        "DELETE FROM audit_event WHERE id = (SELECT max(id) FROM audit_event)",
        "CREATE TRIGGER audit_event_no_delete BEFORE DELETE ON audit_event "
        "BEGIN SELECT RAISE(ABORT, 'audit_event is append-only'); END",
    )

    unseen, seen = frozen("verify", "tiny"), frozen("verify", "tiny", "--audit-head", head)

    assert (holds.exit_code, unseen.exit_code, seen.exit_code) == (0, 0, 1)
    assert seen.stdout == "The audit chain does not hold the head that was kept: its end was cut off or replaced.\n"


def test_labels_made_elsewhere_are_taken_in_and_marked_in_what_is_printed_of_judges(
    frozen: Run, tmp_path: Path
) -> None:
    (tmp_path / "judge.csv").write_text("item,candidate,verdict\ni1,k1,correct\ni1,k2,incorrect\n", encoding="utf-8")
    (tmp_path / "sheet.csv").write_text("Item,Answer,Dr A,Dr B\ni1,k1,1,1\ni1,k2,0,1\n", encoding="utf-8")
    frozen("judge", "import", "tiny", tmp_path / "judge.csv", "--name", "run 1", "--judge", "a model")

    taken = frozen(
        "judge", "import-labels", "tiny", tmp_path / "sheet.csv", "--name", "sheet", "--map", "item=Item",
        "--map", "candidate=Answer", "--labeller-column", "Dr A", "--labeller-column", "Dr B",
        "--blinded", "not at all",
    )  # fmt: skip
    frozen("close", "tiny", "--reason", "Nobody reads here: labels were made elsewhere.")
    printed = frozen("judge", "report", "tiny", "--labels", "sheet")
    made = frozen("judge", "certify", "tiny", "--labels", "sheet", "--to", tmp_path / "certificate.json")
    in_folder = frozen("judge", "certify", "tiny", "--labels", "sheet", "--to", tmp_path)
    nameless = frozen("judge", "certify", "tiny", "--labels", "sheet", "--to", tmp_path / "certificate")
    files = frozen("judge", "export", "tiny", tmp_path / "tidy.csv", "--labels", "sheet")

    assert "4 labels of 2 labellers on 2 candidates; how they were blinded is said to be: not at all" in taken.stdout
    assert printed.stdout.startswith("The people are labellers, not raters of this study")
    assert "Blinded      not blinded here; elsewhere, 'sheet': said to be: not at all" in made.stdout
    assert in_folder.exit_code == 0
    assert (tmp_path / "judge-certificate.json").is_file() and (tmp_path / "judge-certificate.txt").is_file()
    assert (nameless.exit_code, (tmp_path / "certificate").exists()) == (1, False)
    assert "or the JSON file, such as certificate.json" in " ".join(nameless.stdout.split())
    assert files.exit_code == 0 and "not blinded here" in (tmp_path / "tidy.csv").read_text("utf-8")


def test_judge_verdicts_are_taken_in_once(frozen: Run, tmp_path: Path) -> None:
    file = tmp_path / "judge.csv"
    file.write_text(JUDGE_CSV, encoding="utf-8")

    first = frozen("judge", "import", "tiny", file, "--name", "run 1", "--judge", "a model")
    second = frozen("judge", "import", "tiny", file, "--name", "run 1")

    bar, said = first.stdout.splitlines()
    assert ("The verdicts are imported" in bar, "100%" in bar) == (True, True)
    assert said == "Run 'run 1' is imported: 1 of 6 candidates judged, 1 without a verdict, 4 missing from the file."
    assert (second.exit_code, "already been imported as run 'run 1'" in second.stdout) == (1, True)


def test_the_files_of_one_run_are_taken_in_together(frozen: Run, tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"{number}.csv").write_text(f"item,candidate,verdict\ni1,k{number},correct\n", encoding="utf-8")

    taken = frozen("judge", "import", "tiny", tmp_path / "1.csv", tmp_path / "2.csv", "--name", "run", "--judge", "J")

    assert taken.stdout.splitlines()[1].startswith("Run 'run' is imported from 2 files: 2 of 6 candidates judged")


def test_closing_says_what_is_open_and_needs_a_reason(frozen: Run) -> None:
    refused = frozen("close", "tiny")

    assert refused.exit_code == 1
    assert refused.stdout.splitlines()[:4] == [
        "Rater 1: 6 of 6 items not read",
        "Rater 2: 6 of 6 items not read",
        "Rater 1: 4 of 4 answers not scored",
        "Rater 2: 4 of 4 answers not scored",
    ]
    assert "a reason of at least 10 characters is needed" in refused.output


def test_a_declared_estimate_that_is_not_computed_is_named_before_the_freeze_and_counted_after_the_close(
    installed: Run, tmp_path: Path
) -> None:
    plan = "analysis: {primary: {estimate: mean, of: score.verdict}}\n"
    folder = write_listed(tmp_path / "study", READ_THEN_SCORE + plan)

    imported = installed("import", folder, "--key", "listed")
    frozen = installed("freeze", "listed")
    closed = installed("close", "listed", "--reason", "nobody was invited")

    assert [done.exit_code for done in (imported, frozen, closed)] == [0, 0, 0]
    for done in (imported, frozen):
        assert "Declared, not computed by this release: Mean of “Verdict”" in done.stdout
    assert "1 declared estimate is not computed by this release; the report says which." in closed.stdout


def test_who_has_no_access_is_named_with_the_way_to_act_as_somebody_else(frozen: Run) -> None:
    refused = frozen("close", "tiny", "--as", "rater-1"), frozen("close", "nowhere")

    assert "needs the role admin" in refused[0].stdout
    assert refused[1].stdout.endswith("You act as 'ada'; to act as somebody else, add --as LOGIN.\n")


def test_a_rater_beyond_the_plan_is_taken_with_a_word(installed: Run, tmp_path: Path) -> None:
    planned = READ_THEN_SCORE.replace("phases:", "groups: {raters: {title: Residents, people: 1}}\nphases:", 1)
    installed("import", write_listed(tmp_path / "study", planned), "--key", "listed")

    first, second = (installed("invite", "listed", login, "--name", login) for login in ("ada-l", "ben-o"))

    assert (first.exit_code, second.exit_code) == (0, 0)
    assert "the protocol plans" not in first.output
    assert "2 people are in the group Residents, and the protocol plans 1." in second.output
    assert "only when everybody in it is done" not in second.output


def test_specialty_and_years_are_given_at_the_command_line(frozen: Run, data_dir: Path) -> None:
    done = frozen("invite", "tiny", "late", "--name", "Late", "--specialty", "Neuroradiology", "--years", "6")

    assert done.exit_code == 0
    with closing(sqlite3.connect(data_dir / "blindread.db")) as store:
        query = "SELECT specialty, years FROM membership JOIN person ON person.id = person_id WHERE login = 'late'"
        assert store.execute(query).fetchall() == [("Neuroradiology", 6)]


def test_a_draft_is_imported_over_renamed_and_deleted(installed: Run, tmp_path: Path, data_dir: Path) -> None:
    folder = write_study_folder(tmp_path / "study")
    assert installed("import", folder).exit_code == 0
    assert "or import over it" in installed("import", folder).output

    over = installed("import", folder, "--over-draft")
    renamed = installed("rename-draft", "tiny", "--key", "ms-2026", "--title", "MS lesions")
    asked = installed("delete-draft", "ms-2026")
    deleted = installed("delete-draft", "ms-2026", "--yes")

    assert "Study 'tiny': 3 cases" in over.output
    assert renamed.stdout == "The draft is now called 'ms-2026'.\n"
    assert (asked.exit_code, asked.stdout) == (
        1,
        "'ms-2026' (MS lesions) would be deleted permanently; add --yes to delete it.\n",
    )
    assert deleted.stdout == "The draft 'ms-2026' has been deleted; its key can be used again.\n"
    assert logins_and_studies(data_dir)[1] == ["tiny~1", "ms-2026~2"]
    assert list((data_dir / "volumes").rglob("*.nii.gz")) == []


def test_a_member_without_verdicts_is_removed(frozen: Run) -> None:
    gone, again = frozen("remove-member", "tiny", "rater-2"), frozen("remove-member", "tiny", "rater-2")

    assert gone.stdout == "'rater-2' (Rater 2) has been removed from 'tiny'.\n"
    assert (again.exit_code, "Nobody with the login 'rater-2'" in again.output) == (1, True)
    assert frozen("invite", "tiny", "rater-2", "--name", "R").exit_code == 0


def test_a_study_is_closed_once(frozen: Run) -> None:
    reason = ("--reason", "The grant ends on Friday.")
    first, second = frozen("close", "tiny", *reason), frozen("close", "tiny", *reason)

    assert (first.exit_code, second.exit_code) == (0, 1)
    assert "no more verdicts are accepted" in first.stdout
    assert "only while it is open" in second.stdout


def test_what_is_known_of_a_rater_comes_with_the_invitation_or_later(
    installed: Run, tmp_path: Path, data_dir: Path
) -> None:
    attributes = "attributes: {raters: {trained: yes_no, school: text}}\nphases:"
    protocol = READ_THEN_SCORE.replace("phases:", attributes, 1)
    installed("import", write_listed(tmp_path / "study", protocol), "--key", "listed")

    invited = installed(
        "invite", "listed", "anna", "--name", "Anna", "--attribute", "trained=TRUE", "--attribute", "school=North"
    )
    wrong = installed("describe-rater", "listed", "anna", "trained")
    unknown = installed("describe-rater", "listed", "anna", "trainde=yes")
    described = installed("describe-rater", "listed", "anna", "trained=no", "school=")

    assert invited.exit_code == 0
    assert (wrong.exit_code, unknown.exit_code) == (1, 1)
    assert "'trained' has no '='; write NAME=VALUE, for example trained=yes." in wrong.stdout
    assert "'trainde' is no attribute that this study declares of raters" in unknown.stdout
    assert described.stdout.strip() == "Stored of 'anna': trained no."
