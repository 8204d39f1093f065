"""Options that were all left alone, a confidence of 0, reasons and flags, right and wrong together: counted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import f1_score

from db import Database
from db.engine import make_engine
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import closed_tables, imported_listed, work_through
from tests.services.report.recomputed import Rows, estimate_in
from tests.situations import answers, write_table

PROTOCOL = """
blindread: 2
name: listed
title: Findings
attributes: {items: {low: text}}
phases:
  - key: read
    title: Reads
    rates: items
    shows: [prompt]
    form:
      lesion: {type: yes_no, label: Lesion}
      sure: {type: confidence, label: Sure, range: [0, 1], required: no}
      signs: {type: several, label: Signs, required: no, options: {oedema: Oedema, rim: Rim, shift: Shift}}
      grade: {type: ordinal, label: Grade, required: no, options: {'1': Low, '2': Middle, '3': High}}
    not_assessable: {quality: Image quality, history: History is missing}
    flags: {prompt: The question is unclear}
analysis:
  primary: {estimate: distribution, of: read.signs}
  also: [{estimate: macro_f1, of: read.lesion}]
"""
N, RATERS = 12, ("Rater 1", "Rater 2")
# By rater, the signs, the lesion and the grade of each item; None is not assessable.
SIGNS: tuple[tuple[list[str] | None, ...], ...] = (
    ([], ["rim"], [], ["oedema", "rim"], [], [], ["shift"], [], ["rim"], [], None, None),
    ([], ["rim"], ["rim"], ["oedema"], [], [], [], [], ["rim"], ["shift"], [], None),
)
# The items of which the reference names the rim as their sign.
WITH_SIGNS = (0, 1, 2, 3, 8, 9, 10)
LESION = ("ynynyynnyyyn", "yynnyynynyyn")
GRADES = ("111133331133", "113333111133")
# What a model chose of each item; None is one to which it wrote nothing in any field.
OF_MODEL = (["rim"], [], ["rim"], [], [], ["shift"], [], [], ["rim"], None, ["oedema"], [])
REASONS = (("history", "quality"), ("quality",))


@pytest.fixture(scope="module")
def tables(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Rows]]:
    folder = tmp_path_factory.mktemp("nothing")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    study = folder / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    write_table(
        study / "items.csv",
        "item,format,prompt,low",
        [(f"q{n}", "yes_no", f"Item {n}?", f"dose {n % 2}") for n in range(N)],
    )
    lines = [(f"q{n}", "lesion", ("no", "yes")[n % 2], "") for n in range(N)]
    lines += [(f"q{n}", "signs", "rim", "") for n in WITH_SIGNS]
    write_table(study / "references.csv", "item,field,accepted,provenance", lines)
    cells = [("" if signs is None else "no", "|".join(signs or [])) for signs in OF_MODEL]
    of_model = [(f"m{n}", f"q{n}", "Model", "", lesion, signs) for n, (lesion, signs) in enumerate(cells)]
    write_table(study / "candidates.csv", "candidate,item,model,answer,lesion,signs", of_model)
    situation = imported_listed(Database(engine, folder / "data"), study, raters=len(RATERS))
    freezing.freeze_study(situation.database, situation.admin, situation.study_key)
    times = Counter[str]()

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        number, rater = int(payload["prompt"].split()[1][:-1]), times[payload["prompt"]]
        times[payload["prompt"]] += 1
        chosen = SIGNS[rater][number]
        if chosen is None:
            flag = {"id": "prompt", "note": "Which side?"} if rater == 0 else None
            return answers() | {"not_assessable": REASONS[rater][number - N + len(REASONS[rater])], "flag": flag}
        given: dict[str, Any] = {"lesion": said(rater, number), "grade": GRADES[rater][number]}
        given["sure"] = (0.0, 0.05, 0.15)[number % 3]
        return answers(**given, **({"signs": chosen} if chosen else {}))

    work_through(situation, answer)
    yield closed_tables(situation)
    engine.dispose()


def said(rater: int, number: int) -> str:
    return "yes" if LESION[rater][number] == "y" else "no"


def count_in(tables: dict[str, Rows], table: str) -> list[str]:
    return [row["value"] for row in tables["counts.csv"] if row["table"] == table]


def test_whoever_leaves_all_options_alone_has_chosen_none(tables: dict[str, Rows]) -> None:
    for rater, signs in zip(RATERS, SIGNS, strict=True):
        given = [chosen for chosen in signs if chosen is not None]
        row = estimate_in(tables, "plan", "line_1", "All items: Rim", rater)
        assert math.isclose(float(row["value"]), sum("rim" in chosen for chosen in given) / len(given))
        assert row["n"] == str(len(given))


def test_whoever_chose_none_of_the_options_has_a_line_in_the_file_of_fields(tables: dict[str, Rows]) -> None:
    for rater, signs in zip(RATERS, SIGNS, strict=True):
        lines = [row for row in tables["fields.csv"] if (row["member"], row["field"]) == (rater, "signs")]
        in_file = {row["item"]: (row["value"], row["undetermined"], row["correct"]) for row in lines}
        assert in_file == {
            f"q{n}": (" | ".join(chosen), "", ("yes" if chosen == ["rim"] else "no") if n in WITH_SIGNS else "")
            for n, chosen in enumerate(signs)
            if chosen is not None
        }


def test_two_who_leave_all_options_alone_agree(tables: dict[str, Rows]) -> None:
    both = [pair for pair in zip(*SIGNS, strict=True) if None not in pair]

    row = estimate_in(tables, "phase_read", "signs_agreement", "All items: same set of options", " and ".join(RATERS))

    assert math.isclose(float(row["value"]), sum(first == second for first, second in both) / len(both))
    assert row["n"] == str(len(both))


def test_whoever_leaves_all_options_alone_is_not_right_where_the_reference_names_some(tables: dict[str, Rows]) -> None:
    for rater, signs in zip(RATERS, SIGNS, strict=True):
        given = [chosen for n, chosen in enumerate(signs) if n in WITH_SIGNS and chosen is not None]
        row = estimate_in(tables, "phase_read", "signs_accuracy", "All items: accuracy on these items", rater)
        assert math.isclose(float(row["value"]), sum(chosen == ["rim"] for chosen in given) / len(given))
        assert row["n"] == str(len(given))


def test_a_model_that_leaves_all_options_alone_is_not_right_either(tables: dict[str, Rows]) -> None:
    row = estimate_in(tables, "phase_read", "signs_accuracy", "All items: accuracy on these items", "Model")

    assert math.isclose(float(row["value"]), sum(OF_MODEL[n] == ["rim"] for n in WITH_SIGNS) / len(WITH_SIGNS))
    assert row["n"] == str(len(WITH_SIGNS))


def share_right(chosen: list[str]) -> float:
    return sum((sign in chosen) == (sign == "rim") for sign in ("oedema", "rim", "shift")) / 3


def test_options_that_are_all_left_alone_are_partly_right(tables: dict[str, Rows]) -> None:
    for who, signs in zip((*RATERS, "Model"), (*SIGNS, OF_MODEL), strict=True):
        right = {f"q{n}": share_right(chosen) for n in WITH_SIGNS if (chosen := signs[n]) is not None}
        row = estimate_in(tables, "phase_read", "signs_options_right", "All items: options right", who)
        assert math.isclose(float(row["value"]), sum(right.values()) / len(right)) and row["n"] == str(len(right))
        lines = [row for row in tables["fields.csv"] if (row["member"], row["field"]) == (who, "signs")]
        in_file = {row["item"]: float(row["share"]) for row in lines if row["share"]}
        assert who == "Model" or in_file.keys() == right.keys()
        assert all(math.isclose(share, right[item]) for item, share in in_file.items())


def test_a_model_that_wrote_nothing_at_all_has_not_chosen_none_of_the_options(tables: dict[str, Rows]) -> None:
    silent = estimate_in(tables, "phase_read", "signs_invalid", "All items: no answer", "Model")

    assert silent["n"] == str(N) and math.isclose(float(silent["value"]), 1 / N)


def test_a_confidence_of_0_is_in_the_lowest_tenth_and_named_by_it(tables: dict[str, Rows]) -> None:
    for place, rater in enumerate(RATERS):
        low = [n for n in range(N) if SIGNS[place][n] is not None and n % 3 < 2]
        row = estimate_in(
            tables, "phase_read", "sure_reliability", "All items: confidence 0 up to 10 %: mean confidence", rater
        )
        assert math.isclose(float(row["value"]), sum(0.05 * (n % 3) for n in low) / len(low))
        assert row["n"] == str(len(low))


def test_reasons_and_flags_are_counted_by_rater(tables: dict[str, Rows]) -> None:
    assert count_in(tables, "not_assessable_reasons") == [
        *("Reads", "Rater 1", "History is missing", "1"),
        *("Reads", "Rater 1", "Image quality", "1"),
        *("Reads", "Rater 2", "Image quality", "1"),
    ]
    assert count_in(tables, "flags") == ["Reads", "Rater 1", "The question is unclear", "2"]


def test_right_and_wrong_together_are_counted(tables: dict[str, Rows]) -> None:
    both = [number for number in range(N) if None not in (SIGNS[0][number], SIGNS[1][number])]
    right = [[said(rater, number) == ("no", "yes")[number % 2] for number in both] for rater in (0, 1)]
    for words, wanted in (("both right", True), ("both wrong", False)):
        row = estimate_in(tables, "phase_read", "lesion_shared_errors", f"All items: {words}", " and ".join(RATERS))
        assert math.isclose(float(row["value"]), right_share(right, wanted)) and row["n"] == str(len(both))


def right_share(right: list[list[bool]], wanted: bool) -> float:
    pairs = list(zip(*right, strict=True))
    return sum(pair == (wanted, wanted) for pair in pairs) / len(pairs)


def test_a_declared_f1_of_two_options_is_computed(tables: dict[str, Rows]) -> None:
    for place, rater in enumerate(RATERS):
        items = [number for number in range(N) if SIGNS[place][number] is not None]
        expected = f1_score([("no", "yes")[n % 2] for n in items], [said(place, n) for n in items], average="macro")
        row = estimate_in(tables, "plan", "line_2", "All items: macro-F1", rater)
        assert math.isclose(float(row["value"]), expected) and row["plan"] == "also"


def test_an_attribute_hides_no_column_that_the_file_has_already(tables: dict[str, Rows]) -> None:
    assert [row["attribute_low"] for row in tables["items.csv"]] == [f"dose {n % 2}" for n in range(N)]
    assert {row["low"] for row in tables["items.csv"]} == {""}


def test_a_step_that_nobody_used_is_in_the_map_of_a_scale(tables: dict[str, Rows]) -> None:
    rows = [row for row in tables["counts.csv"] if row["table"].startswith("grade_matrix")]
    counts = [int(row["value"]) for row in rows if row["column"].startswith("Rater 2: ")]

    assert {f"Rater 2: {step}" for step in ("Low", "Middle", "High")} <= {row["column"] for row in rows}
    assert len(counts) == 9 and sum(counts) == sum(None not in pair for pair in zip(*SIGNS, strict=True))
