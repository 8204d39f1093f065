"""Lines of a plan that select by results or by raters: MARCUS' mirage rate, medians, specialties; from CSV alone."""

from __future__ import annotations

import math
import statistics
from pathlib import Path
from typing import Any

from db import Database
from services.studies.folders import importing
from services.studies.freeze import freezing
from services.studies.membership import members
from tests.services.report import planted
from tests.services.report.lines import all_lines
from tests.services.report.recomputed import estimate_in, tables_of, values_in
from tests.situations import Situation, owner_of, signed_in, write_table


def test_a_mirage_is_a_finding_with_and_without_the_image_where_the_report_has_none(
    sqlite_database: Database, tmp_path: Path
) -> None:
    report = planted.mirage_labels(sqlite_database, tmp_path / "study")
    tables = tables_of(sqlite_database, report)
    fields = [row for row in tables["fields.csv"] if row["phase"] == "reference_label"]
    of_reports = values_in(fields, "finding", "item")
    negative = {
        item
        for item in of_reports["Rater 3"]
        if {of_reports["Rater 3"][item], of_reports["Rater 4"][item]} == {"negative"}
    }
    assert len(negative) == 20
    explanation = next(table.explanation for _, table in report.estimate_tables() if table.key == "line_1")
    differ = sum(of_reports["Rater 3"][item] != of_reports["Rater 4"][item] for item in of_reports["Rater 3"])
    assert differ == 1 and f"“What the reports say” 1 of {len(of_reports['Rater 3'])} references has no" in explanation
    said = values_in([row for row in tables["fields.csv"] if row["phase"] == "label"], "finding")
    candidates = {(row["model"], row["item"], row["condition"]): row["candidate"] for row in tables["candidates.csv"]}
    where = "Where “The text says” of “What the reports say” is negative"
    positive = "Positive"
    for model in planted.MIRAGES:
        for who in ("Rater 1", "Rater 2", "Consensus"):
            rated = said if who == "Consensus" else {who: said[who]}
            mirages, asked = 0, 0
            for item in negative:
                claims = [
                    {own[candidates[model, item, condition]] for own in rated.values()}
                    for condition in ("present", "absent")
                ]
                # What the two labellers differ on is settled by nobody.
                if all(len(own) == 1 for own in claims):
                    asked += 1
                    mirages += claims == [{"positive"}, {"positive"}]
            label = f"{where}, {model}: {positive} in every condition"
            row = estimate_in(tables, "plan", "line_1", label, who)
            assert row["plan"] == "primary" and row["unit"] == "question"
            assert math.isclose(float(row["value"]), mirages / asked) and int(row["n"]) == asked
            left_out = len(negative) - asked
            assert (f"{left_out} of {len(negative)} without a consensus (" in row["note"]) == (left_out > 0)

    # What is rated of reports is references, and called so.
    of_references = [
        line.label
        for line in all_lines(report)
        if line.estimate.unit == "reference" and line.row.stratum.kind != "attribute"
    ]
    assert of_references and all(label.startswith("All references") for label in of_references)


RATED = """
blindread: 2
name: listed
title: Ratings
attributes:
  raters: {specialty: text, years: {type: number, bins: [5, 10]},
    trained: {type: choice, options: {yes: With a course, no: Without a course}}}
  items: {lesion: {type: number, bins: [4, 20]}}
phases:
  - key: rate
    title: Ratings
    rates: candidates
    shows: [prompt, candidate]
    form: {quality: {type: ordinal, options: ['1', '2', '3', '4', '5']}, size: {type: number, range: [0, 100]}}
    result: median
analysis:
  primary: {estimate: mean, of: rate.quality, as: settled, by: model}
  also:
    - {estimate: mean, of: rate.quality, by: specialty}
    - {estimate: mean, of: rate.quality, where: {specialty: Neurology}}
    - {estimate: difference, of: rate.quality, compare: model}
    - {estimate: mean, of: rate.quality, by: years}
    - {estimate: mean, of: rate.size, as: settled}
    - {estimate: mean, of: rate.size}
    - {estimate: difference, of: rate.quality, compare: lesion}
    - {estimate: difference, of: rate.quality, compare: lesion, by: rater}
    - {estimate: mean, of: rate.quality, by: trained}
    - {estimate: mean, of: rate.quality, where: {trained: yes}}
"""
SPECIALTIES, YEARS = ("Neurology", "Radiology", "Neurology"), (3, 5, 9)


def test_specialty_and_years_divide_raters_without_a_declaration(sqlite_database: Database, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    plan = "{estimate: mean, of: rate.size, by: specialty}"
    also = "{estimate: mean, of: rate.size, by: years}, {estimate: mean, of: rate.size, where: {specialty: ENT}}"
    text = RATED[: RATED.index("attributes:")] + RATED[RATED.index("phases:") : RATED.index("analysis:")]
    (folder / "protocol.yaml").write_text(f"{text}analysis: {{primary: {plan}, also: [{also}]}}", encoding="utf-8")
    write_table(folder / "items.csv", "item,format,prompt", [(f"q{n}", "open", f"{n}?") for n in range(4)])
    texts = [(f"k{n}", f"q{n}", "A", f"A {n}") for n in range(4)]
    write_table(folder / "candidates.csv", "candidate,item,model,answer", texts)
    admin = owner_of(sqlite_database)
    importing.import_study(sqlite_database, admin, folder, key="listed")
    for login, specialty, years in (("ann", "ENT", 10), ("ben", "GP", 9), ("cem", "ENT", 60)):
        members.invite(sqlite_database, admin, "listed", login, login, "rater", specialty=specialty, years=years)
    people = tuple(signed_in(sqlite_database, login) for login in ("ann", "ben", "cem"))
    freezing.freeze_study(sqlite_database, admin, "listed")

    report = planted.reported(
        Situation(sqlite_database, "listed", admin, people, admin),
        lambda _, rater: {"quality": "1", "size": 10 * (rater + 1)},
    )
    rows = [row for row in tables_of(sqlite_database, report)["estimates.csv"] if row["section"] == "plan"]

    def means(line: str) -> list[tuple[str, float]]:
        of_line = [row for row in rows if row["table"] == line and row["raters"] != "All raters"]
        return [(row["label"].rpartition(": ")[0], float(row["value"])) for row in of_line]

    assert means("line_1") == [("Specialty: ENT", 10.0), ("Specialty: ENT", 30.0), ("Specialty: GP", 20.0)]
    assert means("line_2") == [("Years: 9", 20.0), ("Years: 10", 10.0), ("Years: 60", 30.0)]
    assert [value for _, value in means("line_3")] == [10.0, 30.0]


def test_raters_are_apart_by_what_they_are_and_settle_by_the_rule_of_their_phase(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "protocol.yaml").write_text(RATED, encoding="utf-8")
    items = [(f"q{n}", "open", f"Item {n}?", str(n)) for n in range(10)]
    write_table(folder / "items.csv", "item,format,prompt,lesion", items)
    write_table(
        folder / "candidates.csv", "candidate,item,model,answer",
        [(f"k{n}{model}", f"q{n}", model, f"{model} {n}") for n in range(10) for model in "AB"],
    )  # fmt: skip
    admin = owner_of(sqlite_database)
    importing.import_study(sqlite_database, admin, folder, key="listed")
    for number, specialty in enumerate(SPECIALTIES, start=1):
        members.invite(
            sqlite_database,
            admin,
            "listed",
            f"rater-{number}",
            f"Rater {number}",
            "rater",
            specialty=specialty,
            years=YEARS[number - 1],
            attributes={"trained": "no" if number == 2 else "yes"},
        )
    people = tuple(signed_in(sqlite_database, f"rater-{number}") for number in (1, 2, 3))
    situation = Situation(sqlite_database, "listed", admin, people, admin)
    freezing.freeze_study(sqlite_database, admin, "listed")

    def rating(about: str, rater: int) -> dict[str, Any]:
        model, n = about.split()
        return {"quality": str(1 + (int(n) * (2 + rater) + (model == "A") * (1 + rater)) % 5), "size": int(n) + rater}

    report = planted.reported(situation, rating)
    tables = tables_of(sqlite_database, report)
    # Who all raters are is said where there is a row of theirs.
    said = {table.key: table.explanation for _, table in report.estimate_tables()}
    assert ["“All raters”" in said[f"line_{number}"] for number in (1, 2, 6, 7)] == [False, True, False, True]
    given = {
        name: {unit: float(value) for unit, value in own.items()}
        for name, own in values_in(tables["fields.csv"], "quality").items()
    }
    for model in "AB":
        units = [unit for unit in given["Rater 1"] if unit.endswith(model)]
        medians = [statistics.median(own[unit] for own in given.values()) for unit in units]
        row = estimate_in(tables, "plan", "line_1", f"Model {model}: mean", "Median of raters")
        assert math.isclose(float(row["value"]), sum(medians) / 10) and row["plan"] == "primary"
    row = estimate_in(tables, "plan", "line_2", "Specialty: Neurology: mean", "All raters")
    assert math.isclose(
        float(row["value"]), sum(given["Rater 1"][u] + given["Rater 3"][u] for u in given["Rater 1"]) / 40
    )
    raters = {row["raters"] for row in tables["estimates.csv"] if row["table"] == "line_3"}
    assert raters == {"Rater 1", "Rater 3", "All raters"}

    # Years are parted by the declared bounds, of which each belongs to the level above it.
    of_years = {(row["stratum"], row["raters"]) for row in tables["estimates.csv"] if row["table"] == "line_5"}
    assert {level for level, _ in of_years} == {"years below 5", "years 5 to below 10"}
    row = estimate_in(tables, "plan", "line_5", "Years: 5 to below 10: mean", "All raters")
    assert math.isclose(
        float(row["value"]), sum(given["Rater 2"][u] + given["Rater 3"][u] for u in given["Rater 2"]) / 40
    )

    # The difference of two models once more, for other raters too: the same value over all raters and items.
    label = "All candidates: mean difference, for other raters too"
    row = estimate_in(tables, "plan", "line_4", label, "A minus B")
    by_hand = sum(own[f"k{n}A"] - own[f"k{n}B"] for own in given.values() for n in range(10)) / 30
    assert math.isclose(float(row["value"]), by_hand) and "Obuchowski-Rockette" in row["method"]

    # A number is compared by the levels that its bounds make, from the lowest: one difference of two, and not of ten.
    low, high = ([unit for unit in given["Rater 1"] if (int(unit[1]) < 4) == is_low] for is_low in (True, False))
    compared = {row["raters"] for row in tables["estimates.csv"] if row["table"] == "line_8"}
    two = "Lesion: below 4 minus Lesion: 4 to below 20"
    assert compared == {two, two.replace("minus", "against")}
    row = estimate_in(tables, "plan", "line_8", "All candidates: mean difference", two)
    means = [statistics.mean(own[unit] for own in given.values() for unit in units) for units in (low, high)]
    assert math.isclose(float(row["value"]), means[0] - means[1])
    labels = {line.label for line in all_lines(report) if line.row.compared == "interaction"}
    assert len(labels) == 1 and "Lesion: below 4 minus Lesion: 4 to below 20" in labels.pop()

    # What the protocol declares of raters divides them, too, and is in the data files.
    assert [row["trained"] for row in tables["members.csv"]] == ["yes", "no", "yes"]
    for line, label in (
        ("line_10", "Trained: With a course: mean"),
        ("line_11", "Where trained is With a course: mean"),
    ):
        row = estimate_in(tables, "plan", line, label, "All raters")
        both = sum(given["Rater 1"][u] + given["Rater 3"][u] for u in given["Rater 1"]) / 40
        assert math.isclose(float(row["value"]), both)
