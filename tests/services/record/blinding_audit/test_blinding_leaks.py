"""A hidden value of each kind is found where an author has written it; a text that may be there is no leak."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import nibabel
import pytest

from db import Database
from db.engine import make_engine
from services.adjudication import review_queue
from services.reading import worklist
from services.record.blinding_audit.kinds import KINDS
from services.record.blinding_audit.ruling import LISTED, OPTION, ORDINARY, REPEATED, SHARED, WORD
from tests.harness import databases
from tests.listed_study import READ_THEN_JUDGE, READ_THEN_SCORE, SCORE_ALONE, opened_listed
from tests.room_study import change_item, rewrite, rows_of
from tests.services.record.blinding_audit.planted_study import (
    PLANTED,
    REMARKED,
    Audit,
    audited,
    explained_practice,
    name_in_a_stored_file,
    planted_study,
)
from tests.situations import Situation, open_study, read_all


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> tuple[Audit, Audit]:
    """The audits of the study in which everything is planted, without and with its values."""
    folder = tmp_path_factory.mktemp("planted")
    engine = make_engine(databases.copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    situation = planted_study(Database(engine, folder / "data"), folder / "study")
    audits = (
        audited(situation, folder / "audit.json"),
        audited(situation, folder / "values.json", show_values=True),
    )
    engine.dispose()
    return audits


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_value_is_found_where_it_was_planted(planted: tuple[Audit, Audit], kind: str) -> None:
    assert PLANTED[kind] in planted[0].leaks(kind)


def test_each_kind_of_hidden_value_is_planted() -> None:
    # Explanations belong to practice, which is planted below; what tells the authors of a pool is in test_pool.py.
    assert {*PLANTED, "explanation", "author", "writing"} == set(KINDS)


def test_the_explanation_of_a_practice_item_is_found_in_its_prompt(sqlite_database: Database, tmp_path: Path) -> None:
    situation = explained_practice(sqlite_database, tmp_path / "study")

    assert ("prompt", "p1") in audited(situation, tmp_path / "audit.json").leaks("explanation")


def test_a_leak_says_phase_rater_item_kind_and_place_and_never_the_value(planted: tuple[Audit, Audit]) -> None:
    leak = next(leak for leak in planted[0].result["leaks"] if leak["kind"] == "reference" and leak["item"] == "i5")

    assert (leak["phase"], leak["slot"], leak["where"]) == ("arm_b7", "residents/1", "context.vignette")
    assert "value" not in leak
    assert not any("values" in row for row in planted[0].result["not_searched_for"])


def test_values_are_named_where_that_is_asked_for(planted: tuple[Audit, Audit]) -> None:
    values = {(leak["kind"], leak.get("value")) for leak in planted[1].result["leaks"]}

    assert ("reference", "arachnoid cyst") in values
    assert {"kind": "probability", "why": "too short", "count": 1, "values": ["1.0"]} in (
        planted[1].result["not_searched_for"]
    )


def test_what_members_and_judges_said_is_named_to_nobody_before_the_data_lock(planted: tuple[Audit, Audit]) -> None:
    said = {leak.get("value") for leak in planted[1].result["leaks"] if not KINDS[leak["kind"]].while_open}

    assert said == {None}
    assert REMARKED not in str(planted[1].result)


# ---- volumes ---------------------------------------------------------------------------------------------------------


def test_a_name_in_the_header_of_a_stored_file_is_found(opened: Situation, tmp_path: Path) -> None:
    name_in_a_stored_file(opened.database, "subject-1 first visit")

    audit = audited(opened, tmp_path / "audit.json")

    assert audit.kinds == {"subject"}
    assert {leak["where"] for leak in audit.result["leaks"]} == {"header of a volume"}


def test_what_an_author_writes_into_a_header_reaches_nobody(sqlite_database: Database, tmp_path: Path) -> None:
    def describe(folder: Path) -> None:
        for path in (folder / "volumes").glob("*.nii.gz"):
            image = nibabel.load(path)
            image.header["descrip"] = "subject-1 model-a"
            nibabel.save(image, path)

    audit = audited(open_study(sqlite_database, tmp_path / "study", changes=[describe]), tmp_path / "audit.json")

    assert audit.result["searched"]["volume_headers"] > 0
    assert audit.kinds == set()


# ---- texts that may be there -----------------------------------------------------------------------------------------


def with_item(key: str, **cells: str) -> Callable[[Path], None]:
    return lambda folder: change_item(folder, key, **cells)


def with_vignettes(**texts: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        rows = rows_of(folder / "cases.csv")
        rewrite(folder / "cases.csv", [{**row, "vignette": texts[row["case"]]} for row in rows])

    return change


def audit_of(database: Database, folder: Path, *changes: Callable[[Path], None]) -> Audit:
    return audited(open_study(database, folder / "study", changes=changes), folder / "audit.json")


def test_an_option_whose_text_is_the_reference_is_no_leak(sqlite_database: Database, tmp_path: Path) -> None:
    audit = audit_of(sqlite_database, tmp_path)

    # Two raters read i2 (left) and i4 (both).
    assert audit.count_of(OPTION, "reference", "form.fields.options.text") == 4
    assert audit.kinds == set()


def test_one_word_of_the_prompt_that_is_the_reference_is_no_leak(sqlite_database: Database, tmp_path: Path) -> None:
    audit = audit_of(sqlite_database, tmp_path, with_item("i2", prompt="Is it left of the falx?"))

    assert audit.count_of(WORD, "reference", "prompt") == 2
    assert audit.kinds == set()


def test_a_prompt_that_lists_the_options_is_no_leak(sqlite_database: Database, tmp_path: Path) -> None:
    sides = "a=the left half of it|b=the right half of it"
    prompt = "Which is it: the left half of it, or the right half of it?"
    references = tmp_path / "study" / "references.csv"

    def accept(_: Path) -> None:
        rewrite(
            references, [{**row, **({"accepted": "a"} if row["item"] == "i2" else {})} for row in rows_of(references)]
        )

    def without_baseline(_: Path) -> None:
        rewrite(references, [{**row, "text_only_answer": ""} for row in rows_of(references)])

    audit = audit_of(sqlite_database, tmp_path, with_item("i2", prompt=prompt, options=sides), accept, without_baseline)

    assert audit.count_of(LISTED, "reference", "prompt") == 2
    assert audit.kinds == set()


def test_a_word_that_all_vignettes_share_is_no_leak(sqlite_database: Database, tmp_path: Path) -> None:
    text = "Weakness of the left arm."

    audit = audit_of(sqlite_database, tmp_path, with_vignettes(c1=text, c2=text, c3=text))

    assert audit.count_of(ORDINARY, "reference", "context.vignette") == 2
    assert audit.kinds == set()


def test_the_same_word_in_the_one_vignette_whose_reference_it_is_is_a_leak(
    sqlite_database: Database, tmp_path: Path
) -> None:
    audit = audit_of(sqlite_database, tmp_path, with_vignettes(c1="The left one.", c2="Well.", c3="Well."))

    assert ("context.vignette", "i2") in audit.leaks("reference")


def with_answers(text: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        rows = rows_of(folder / "candidates.csv")
        rewrite(folder / "candidates.csv", [row | ({"answer": text} if row["item"] == "i1" else {}) for row in rows])

    return change


def test_an_answer_of_a_model_that_repeats_the_vignette_is_no_leak(sqlite_database: Database, tmp_path: Path) -> None:
    text = "Weakness of one arm for two weeks."
    vignettes = with_vignettes(c1=f"Aged. {text}", c2="Well.", c3="Well.")

    audit = audit_of(sqlite_database, tmp_path, vignettes, with_answers(text))

    assert audit.count_of(REPEATED, "candidate", "context.vignette") > 0
    assert "candidate" not in audit.kinds


def test_a_value_in_a_text_that_everybody_gets_is_no_leak(sqlite_database: Database, tmp_path: Path) -> None:
    protocol = READ_THEN_SCORE.replace("title: Reads\n", "title: Reads by construction\n")

    audit = audited(opened_listed(sqlite_database, tmp_path / "study", protocol), tmp_path / "audit.json")

    assert audit.count_of(SHARED, "provenance", "heading") == 12
    assert audit.kinds == set()


def test_a_word_that_is_the_same_fact_about_everything_is_no_leak(sqlite_database: Database, tmp_path: Path) -> None:
    same = [with_item(f"i{number}", category="headache") for number in range(1, 7)]

    audit = audit_of(sqlite_database, tmp_path, with_vignettes(c1="Headache.", c2="Headache.", c3="Well."), *same)

    assert audit.count_of(ORDINARY, "category", "context.vignette") == 8
    assert audit.kinds == set()


def test_a_reference_and_an_answer_where_they_are_shown_are_no_leaks(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", READ_THEN_JUDGE)

    assert audited(situation, tmp_path / "audit.json").kinds == set()


def test_short_values_are_not_searched_for_and_are_counted(sqlite_database: Database, tmp_path: Path) -> None:
    audit = audit_of(sqlite_database, tmp_path, with_item("i1", prompt="Yes or no, 50?"))

    left_out = {(row["kind"], row["why"]): row["count"] for row in audit.result["not_searched_for"]}
    # Of references yes and no; of keys those of cases, items, candidates and priors.
    assert left_out["reference", "too short"] == 2
    assert left_out["key", "too short"] == 18
    assert audit.kinds == set()


def test_a_login_that_is_a_word_of_the_instructions_is_not_searched_for(
    sqlite_database: Database, tmp_path: Path
) -> None:
    protocol = READ_THEN_SCORE.replace("Read every item.", "Ask your admin.")

    audit = audited(opened_listed(sqlite_database, tmp_path / "study", protocol), tmp_path / "audit.json")

    assert {"kind": "person", "why": "too common", "count": 1} in audit.result["not_searched_for"]
    assert audit.kinds == set()


def test_a_login_that_is_a_word_with_which_a_part_waits_is_not_searched_for(
    sqlite_database: Database, tmp_path: Path
) -> None:
    protocol = SCORE_ALONE.replace("    form:", "    opens: {by_admin: yes}\n    form:")
    situation = opened_listed(sqlite_database, tmp_path / "study", protocol)

    audit = audited(situation, tmp_path / "audit.json")

    assert "admin" in worklist.desks_of(sqlite_database, situation.raters[0])[0].waits_for
    assert audit.kinds == set()


def test_opinions_are_shown_to_who_decides_without_the_names_of_those_who_gave_them(
    opened: Situation, tmp_path: Path
) -> None:
    for rater, answer in zip(
        opened.raters, ("a long and certain opinion", "another long and certain opinion"), strict=True
    ):
        read_all(opened, rater, by_prompt={"Prompt of i5?": answer})
    review_queue.open_review_queue(opened.database, opened.admin, opened.study_key)

    audit = audited(opened, tmp_path / "audit.json")

    # Two steps of the item on which they differ and of a control, whose form is another.
    assert audit.result["assignments"]["screens"] == 4 + 2 * 2
    assert audit.kinds == set()


DIAGNOSED = """
blindread: 2
name: listed
title: Diagnoses
phases:
  - key: read
    title: Reads
    rates: items
    shows: [prompt, vignette]
    form: {v: {type: choice, options: {a: Pilocytic astrocytoma, b: Glioblastoma multiforme}}}
"""


@pytest.mark.parametrize(
    ("others", "is_a_leak"), [("Well.", True), ("Glioblastoma multiforme", False)], ids=["of one case", "of all cases"]
)
def test_a_vignette_that_is_an_option_and_no_more_is_a_leak_unless_it_is_as_frequent_elsewhere(
    sqlite_database: Database, tmp_path: Path, others: str, is_a_leak: bool
) -> None:
    def diagnosed(folder: Path) -> None:
        (folder / "candidates.csv").unlink()
        rewrite(folder / "references.csv", [{"item": "i1", "field": "v", "accepted": "b"}])

    vignettes = with_vignettes(c1="Glioblastoma multiforme", c2=others, c3=others)
    situation = opened_listed(sqlite_database, tmp_path / "study", DIAGNOSED, raters=1, changes=[diagnosed, vignettes])

    audit = audited(situation, tmp_path / "audit.json")

    assert (("context.vignette", "i1") in audit.leaks("reference")) == is_a_leak
