"""Lists, sets, places, numbers and confidence in a study that lists its phases, by hand from the exported CSV files."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from db import Database
from db.engine import make_engine
from exchange.report.estimate_rows import Party
from exchange.report.report_structure import EstimateTable
from services.progress import data_lock
from services.report import Report, build_report, figures_of
from services.report.sections.fields.paired_points import paired_points
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import imported_listed
from tests.services.report.recomputed import (
    Rows,
    estimate_in,
    kappa_by_hand,
    pairs_of,
    share_same,
    tables_of,
    values_in,
)
from tests.situations import answers, write_table
from tests.stored_answers import store_all

PROTOCOL = """
blindread: 2
name: listed
title: All types of fields
groups: {students: Students, seniors: Seniors}
attributes: {items: {level: {type: ordinal, options: {'1': Easy, '2': Hard}}}}
phases:
  - key: read
    title: Reads
    rates: items
    shows: [prompt]
    form:
      diagnosis: {type: choice, primary: true, options: {g: Glioma, m: Metastasis, a: Abscess, n: Normal}}
      sure: {type: confidence, range: [0, 1]}
      size: {type: number, unit: mm, range: [0, 100]}
      signs: {type: several, options: {oedema: Oedema, rim: Rim, shift: Shift}}
      differential: {type: ranked, at_most: 3}
      place: {type: point}
    undetermined: [diagnosis]
    not_assessable: {quality: Image quality}
    by: [students, seniors]
analysis:
  primary: {estimate: accuracy, of: read.diagnosis}
  also:
    - {estimate: macro_f1, of: read.diagnosis}
    - {estimate: pass_at, k: 3, of: read.differential, by: level}
    - {estimate: calibration, of: read.sure}
    - {estimate: pass_at, k: 1, of: read.differential, compare: group, by: level}
    - {estimate: auc, of: read.sure}
  tables: [level]
"""
N = 24
OPTIONS = ("g", "m", "a", "n")
RATERS = ("Rater 1", "Rater 2", "Rater 3")


def said(number: int, rater: int) -> dict[str, Any] | None:
    """Return what a rater fills in; None where the item is called not assessable."""
    if number == 5 and rater == 1:
        return None
    right = (number + rater) % 3 != 0
    diagnosis: Any = OPTIONS[number % 4] if right else OPTIONS[(number + 1 + rater) % 4]
    if number % 11 == rater:
        diagnosis = {"abstention": "undetermined"}
    lists = (["glioma", "abscess"], ["metastasis", "glioma"], ["lymphoma", "abscess", "glioma"])
    return {
        "diagnosis": diagnosis,
        "sure": round(0.5 + 0.4 * right - 0.01 * number, 2),
        "size": 10.0 + number + 2 * rater * (number % 2),
        "signs": [sign for place, sign in enumerate(("oedema", "rim", "shift")) if (number + rater * place) % 3 > 0]
        or ["oedema"],
        "differential": list(lists[(number + rater * (number % 2)) % 3]),
        "place": [float(number), 3.0 * rater, 4.0 * rater],
    }


@pytest.fixture(scope="module")
def closed(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, Report]]:
    folder = tmp_path_factory.mktemp("fields")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    database = Database(engine, folder / "data")
    study = folder / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    write_table(
        study / "items.csv", "item,category,format,prompt,level",
        [(f"q{n}", "tumour", "open", f"Item {n}?", 1 + n % 2) for n in range(N)],
    )  # fmt: skip
    write_table(
        study / "references.csv", "item,field,accepted,low,high,radius,provenance",
        [
            row
            for n in range(N)
            for row in (
                (f"q{n}", "diagnosis", OPTIONS[n % 4], "", "", "", ""),
                (f"q{n}", "differential", "glioma", "", "", "", ""),
                (f"q{n}", "place", f"{n} 0 0", "", "", 6, ""),
            )
        ],
    )  # fmt: skip
    situation = imported_listed(database, study, groups=["students", "students", "seniors"])
    freezing.freeze_study(database, situation.admin, situation.study_key)
    times: dict[str, int] = {}

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        prompt = payload["prompt"]
        rater = times[prompt] = times.get(prompt, -1) + 1
        given = said(int(prompt.split()[1][:-1]), rater)
        if given is None:
            return {**answers(), "not_assessable": "quality"}
        return answers(**given)

    store_all(situation, answer)
    data_lock.close_study(database, situation.admin, situation.study_key)
    yield database, build_report(database, situation.admin, situation.study_key)
    engine.dispose()


@pytest.fixture(scope="module")
def report(closed: tuple[Database, Report]) -> Report:
    return closed[1]


@pytest.fixture(scope="module")
def tables(closed: tuple[Database, Report]) -> dict[str, Rows]:
    return tables_of(*closed)


def value_of(tables: dict[str, Rows], table: str, label: str, raters: str) -> float:
    return float(estimate_in(tables, "phase_read", table, label, raters)["value"])


def test_each_figure_of_a_section_has_a_title_of_its_own_that_names_its_field(report: Report) -> None:
    titles = [figure.title for figure in figures_of(report) if figure.section == "phase_read"]

    assert len(set(titles)) == len(titles)
    assert {"Diagnosis: what raters stand between", "Place: what raters stand between"} <= set(titles)
    assert {"Diagnosis: accuracy by place in the queue", "Place: accuracy by place in the queue"} <= set(titles)
    assert {"Signs: agreement on each option: Same", "Signs: agreement on each option: Kappa"} <= set(titles)


def test_of_places_no_option_is_spoken_of_that_would_always_be_given(report: Report) -> None:
    tables = {table.key: table for _, table in report.estimate_tables()}

    assert tables["place_ceilings"].title == "Place: the best rater"
    assert "Always the same answer" not in tables["place_ceilings"].explanation
    assert "Always the same answer" in tables["diagnosis_ceilings"].explanation


def test_of_groups_is_said_what_is_compared_between_them(report: Report) -> None:
    (said,) = (table.explanation for _, table in report.estimate_tables() if "comparing the two groups" in table.title)

    assert "The share of a group" in said
    assert "kappa" not in said.lower() and "pairs of raters" not in said and "alone, on the units" in said


def test_an_abstention_is_not_right_and_not_assessable_leaves_the_denominator(tables: dict[str, Rows]) -> None:
    for rater, name in enumerate(RATERS):
        rows = [row for row in tables["fields.csv"] if row["member"] == name and row["field"] == "diagnosis"]
        n = N - (rater == 1)
        right = [row["correct"] for row in rows].count("yes")
        abstained = [row["undetermined"] for row in rows].count("yes")
        assert len(rows) == n and abstained > 0
        accuracy = estimate_in(tables, "plan", "line_1", "All items: accuracy on these items", name)
        assert math.isclose(float(accuracy["value"]), right / n) and int(accuracy["n"]) == n
        share = value_of(tables, "diagnosis_undetermined", "All items: undetermined", name)
        assert math.isclose(share, abstained / n)
    worst = estimate_in(tables, "plan", "line_1", "All items: accuracy on these items, worst case", "Rater 2")
    best = estimate_in(tables, "plan", "line_1", "All items: accuracy on these items, best case", "Rater 2")
    assert math.isclose(float(best["value"]) - float(worst["value"]), 1 / N) and best["n"] == str(N)
    assert math.isclose(value_of(tables, "diagnosis_not_assessable", "All items: not assessable", "Rater 2"), 1 / N)


def test_f1_counts_an_abstention_as_missed_and_as_nothing_else(tables: dict[str, Rows]) -> None:
    reference = {row["item"]: row["accepted"] for row in tables["references.csv"] if row["field"] == "diagnosis"}
    rows = [row for row in tables["fields.csv"] if (row["member"], row["field"]) == ("Rater 1", "diagnosis")]
    pairs = [(reference[row["item"]], row["value"]) for row in rows]
    f1 = []
    for option in OPTIONS:
        hit = sum(a == b == option for a, b in pairs)
        f1.append(2 * hit / (sum(a == option for a, _ in pairs) + sum(b == option for _, b in pairs)))
    row = estimate_in(tables, "plan", "line_2", "All items: macro-F1", "Rater 1")
    assert math.isclose(float(row["value"]), sum(f1) / 4)


def test_lists_are_right_by_their_first_lines(tables: dict[str, Rows]) -> None:
    lists = values_in(tables["fields.csv"], "differential", "item")
    level = {row["item"]: row["level"] for row in tables["items.csv"]}
    for name, own in lists.items():
        split = {item: value.split(" | ") for item, value in own.items()}
        for depth in (1, 3):
            right = [item for item, lines in split.items() if "glioma" in lines[:depth]]
            share = value_of(tables, "differential_pass_at_k", f"All items: pass@{depth}", name)
            assert math.isclose(share, len(right) / len(split))
        hard = [lines for item, lines in split.items() if level[item] == "2"]
        row = estimate_in(tables, "plan", "line_3", "Level: Hard: pass@3", name)
        assert math.isclose(float(row["value"]), sum("glioma" in lines for lines in hard) / len(hard))
    pairs = pairs_of(lists["Rater 1"], lists["Rater 3"])
    same = value_of(tables, "differential_agreement", "All items: same first line", "Rater 1 and Rater 3")
    assert math.isclose(same, sum(a.split(" | ")[0] == b.split(" | ")[0] for a, b in pairs) / len(pairs))


def test_numbers_are_compared_by_concordance_difference_and_its_limits(tables: dict[str, Rows]) -> None:
    sizes = values_in(tables["fields.csv"], "size", "item")
    x, y = (np.array(column, dtype=float) for column in zip(*pairs_of(sizes["Rater 1"], sizes["Rater 2"]), strict=True))
    differences = x - y
    both = ("Rater 1 and Rater 2", "Rater 1 minus Rater 2")
    by_hand = {
        ("All items: Lin’s concordance", both[0]): 2 * np.cov(x, y, bias=True)[0, 1]
        / (x.var() + y.var() + (x.mean() - y.mean()) ** 2),
        ("All items: Pearson correlation", both[0]): np.corrcoef(x, y)[0, 1],
        ("All items: mean difference", both[1]): differences.mean(),
        ("All items: lower limit of agreement", both[1]): differences.mean() - 1.96 * differences.std(ddof=1),
        ("All items: upper limit of agreement", both[1]): differences.mean() + 1.96 * differences.std(ddof=1),
    }  # fmt: skip
    for (label, raters), expected in by_hand.items():
        assert math.isclose(value_of(tables, "size_agreement", label, raters), expected, rel_tol=1e-3)


def test_sets_are_compared_whole_by_what_is_common_and_option_by_option(tables: dict[str, Rows]) -> None:
    signs = values_in(tables["fields.csv"], "signs", "item")
    sets = [
        (frozenset(a.split(" | ")), frozenset(b.split(" | "))) for a, b in pairs_of(signs["Rater 1"], signs["Rater 2"])
    ]
    both = "Rater 1 and Rater 2"
    exact = value_of(tables, "signs_agreement", "All items: same set of options", both)
    assert math.isclose(exact, sum(a == b for a, b in sets) / len(sets))
    common = value_of(tables, "signs_agreement", "All items: options in common", both)
    assert math.isclose(common, sum(len(a & b) / len(a | b) for a, b in sets) / len(sets))
    chosen = [(str("rim" in a), str("rim" in b)) for a, b in sets]
    kappa = value_of(tables, "signs_options", "All items: Rim: kappa", both)
    assert math.isclose(kappa, kappa_by_hand(chosen))
    percent = value_of(tables, "signs_options", "All items: Rim: chosen by both or neither", both)
    assert math.isclose(percent, share_same(chosen))


def test_places_are_measured_in_millimetres(tables: dict[str, Rows]) -> None:
    # The second rater is 5 mm from the first and from the reference, the third 10 mm.
    apart = {pair: 5.0 * (pair[1] - pair[0]) for pair in combinations(range(3), 2)}
    for (a, b), distance in apart.items():
        label = "All items: mean distance between raters"
        assert math.isclose(value_of(tables, "place_agreement", label, f"{RATERS[a]} and {RATERS[b]}"), distance)
    label = "All items: mean distance from the reference"
    assert [value_of(tables, "place_distance", label, name) for name in RATERS] == [0.0, 5.0, 10.0]
    label = "All items: accuracy on these items"
    assert [value_of(tables, "place_accuracy", label, name) for name in RATERS] == [1.0, 1.0, 0.0]


def test_the_share_of_places_within_a_distance_grows_with_it(tables: dict[str, Rows]) -> None:
    for reach, shares in ((2, (1.0, 0.0, 0.0)), (5, (1.0, 1.0, 0.0)), (10, (1.0, 1.0, 1.0))):
        label = f"All items: within {reach} mm"
        assert tuple(value_of(tables, "place_within", label, name) for name in RATERS) == shares


def test_a_confidence_is_held_against_whether_the_answer_was_right(tables: dict[str, Rows]) -> None:
    rows = tables["fields.csv"]
    right = {
        row["item"]: float(row["correct"] == "yes")
        for row in rows
        if (row["member"], row["field"]) == ("Rater 3", "diagnosis") and row["undetermined"] != "yes"
    }
    sure = values_in(rows, "sure", "item")["Rater 3"]
    brier = estimate_in(tables, "plan", "line_4", "All items: Brier score", "Rater 3")
    by_hand = [(float(sure[item]) - is_right) ** 2 for item, is_right in right.items()]
    assert math.isclose(float(brier["value"]), sum(by_hand) / len(by_hand)) and int(brier["n"]) == len(right)
    wins = [
        (float(sure[a]) > float(sure[b])) + (float(sure[a]) == float(sure[b])) / 2
        for a in right for b in right if right[a] > right[b]
    ]  # fmt: skip
    auc = value_of(tables, "sure_calibration", "All items: AUC of confidence", "Rater 3")
    assert math.isclose(auc, sum(wins) / len(wins))


def test_what_two_lines_of_the_plan_ask_for_is_printed_once(tables: dict[str, Rows], report: Report) -> None:
    planned = [row for row in tables["estimates.csv"] if row["section"] == "plan"]

    # The one line names the area under the curve, the other what is computed of the same confidence beside it.
    names = {line: {row["name"] for row in planned if row["table"] == line} for line in ("line_4", "line_6")}
    assert names == {
        "line_4": {"Brier score", "expected calibration error, 10 bins"},
        "line_6": {"area under the ROC curve of the confidence"},
    }
    (plan,) = [section for section in report.sections if section.key == "plan"]
    said = {table.key: table.explanation for table in plan.tables if isinstance(table, EstimateTable)}
    assert "AUC: the chance" in said["line_6"] and "AUC" not in said["line_4"] and "Brier" not in said["line_6"]


def test_groups_of_raters_are_compared_on_the_same_items(tables: dict[str, Rows]) -> None:
    lists = values_in(tables["fields.csv"], "differential", "item")
    easy = {row["item"] for row in tables["items.csv"] if row["level"] == "1"}
    first = {
        name: [value.split(" | ")[0] == "glioma" for item, value in own.items() if item in easy]
        for name, own in lists.items()
    }
    for name, group in (("Rater 1", "Students"), ("Rater 2", "Students"), ("Rater 3", "Seniors")):
        row = estimate_in(tables, "plan", "line_5", f"Level: Easy, Group: {group}: pass@1", name)
        assert math.isclose(float(row["value"]), sum(first[name]) / len(first[name])) and row["plan"] == "also"
    for group, names in (("Students", ("Rater 1", "Rater 2")), ("Seniors", ("Rater 3",))):
        together = [is_first for name in names for is_first in first[name]]
        row = estimate_in(tables, "plan", "line_5", "Level: Easy: pass@1", group)
        assert math.isclose(float(row["value"]), np.mean(together)) and int(row["n"]) == len(together)
    difference = estimate_in(
        tables, "plan", "line_5", "Level: Easy: difference between groups", "Students minus Seniors"
    )
    students, seniors = (lists["Rater 1"], lists["Rater 2"]), lists["Rater 3"]
    gaps = []
    for item in sorted(easy & set(seniors)):
        own = [student[item].split(" | ")[0] == "glioma" for student in students if item in student]
        gaps.append(sum(own) / len(own) - (seniors[item].split(" | ")[0] == "glioma"))
    assert math.isclose(float(difference["value"]), sum(gaps) / len(gaps)) and int(difference["n"]) == len(gaps) == 12


DEALT = """
blindread: 2
name: listed
title: Two of three
groups: {readers: {title: Readers, people: 3}}
phases:
  - key: read
    title: Reads
    rates: items
    shows: [prompt]
    form: {size: {type: number, range: [0, 100]}}
    by: {groups: readers, per_unit: 2}
"""


def test_of_units_that_are_dealt_to_two_of_three_the_icc_takes_what_there_is(
    sqlite_database: Database, tmp_path: Path
) -> None:
    study = tmp_path / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(DEALT, encoding="utf-8")
    write_table(
        study / "items.csv", "item,category,format,prompt", [(f"q{n}", "x", "open", f"Item {n}?") for n in range(15)]
    )
    situation = imported_listed(sqlite_database, study, raters=3)
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)
    times: dict[str, int] = {}

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        times[payload["prompt"]] = times.get(payload["prompt"], -1) + 1
        return answers(size=10.0 * int(payload["prompt"].split()[1][:-1]) % 70 + times[payload["prompt"]])

    store_all(situation, answer)
    data_lock.close_study(sqlite_database, situation.admin, situation.study_key)
    exported = tables_of(sqlite_database, build_report(sqlite_database, situation.admin, situation.study_key))

    sizes = values_in(exported["fields.csv"], "size", "item")
    n_pairs = {(a, b): len(pairs_of(sizes[a], sizes[b])) for a, b in combinations(RATERS, 2)}
    assert sum(n_pairs.values()) == 15
    for (a, b), n in n_pairs.items():
        label = "All items: Lin’s concordance"
        assert int(estimate_in(exported, "phase_read", "size_agreement", label, f"{a} and {b}")["n"]) == n
    of_all = estimate_in(exported, "phase_read", "size_agreement", "All items: ICC(2,1)", "All raters")
    assert of_all["n"] == "15" and 0.99 < float(of_all["value"]) < 1
    # Nothing was declared: the report has no plan, and nothing in it is called planned.
    assert {row["section"] for row in exported["estimates.csv"]} == {"phase_read"}
    assert {row["plan"] for row in exported["estimates.csv"]} == {""}


def test_numbers_of_two_raters_are_drawn_as_differences_over_means_with_their_limits(
    tables: dict[str, Rows], report: Report
) -> None:
    figure = next(each for each in figures_of(report) if each.key == "phase_read-size_agreement-limits-1")
    given = {rater: values_in(tables["fields.csv"], "size", "item")[rater] for rater in RATERS[:2]}
    pairs = [(float(a), float(b)) for a, b in pairs_of(given["Rater 1"], given["Rater 2"])]
    gaps = np.array([a - b for a, b in pairs])

    (points,) = figure.figure.data
    drawn = {(round(x, 6), round(y, 6)) for x, y in zip(points.x, points.y, strict=True)}
    assert drawn == {(round((a + b) / 2, 6), round(a - b, 6)) for a, b in pairs}
    lines = sorted(shape.y0 for shape in figure.figure.layout.shapes if shape.type == "line")
    by_hand = [gaps.mean() + z * gaps.std(ddof=1) for z in (-1.96, 0, 1.96)]
    assert lines == pytest.approx(by_hand, rel=1e-3) and f"n = {len(pairs)}." in figure.caption


def test_a_number_is_told_and_drawn_in_the_unit_of_its_field(report: Report, tables: dict[str, Rows]) -> None:
    printed = {table.key: table for _, table in report.estimate_tables()}
    assert printed["size_means"].explanation.endswith("Means are in mm.")
    assert "Differences are in mm." in printed["size_agreement"].explanation
    assert " in mm." not in printed["sure_means"].explanation

    exported = [row for row in tables["estimates.csv"] if row["table"] in ("size_means", "size_agreement")]
    # By hand, so that a new statistic of numbers is either in the unit of its field or entered here.
    assert {row["measured_in"] for row in exported} == {"mm", ""}
    assert {row["name"] for row in exported if not row["measured_in"]} == {
        "ICC(2,1), absolute agreement", "Lin's concordance correlation", "Pearson correlation", "Spearman correlation",
    }  # fmt: skip

    drawn = {figure.key: figure.figure.layout for figure in figures_of(report)}
    assert drawn["phase_read-size_means-mean_answer"].xaxis.title.text == "Mean (mm)"
    limits = drawn["phase_read-size_agreement-limits-1"]
    assert (limits.xaxis.title.text, limits.yaxis.title.text) == ("Mean of the two (mm)", "Rater 1 minus Rater 2 (mm)")


def test_more_points_than_can_be_told_apart_are_counted_in_cells() -> None:
    first = [float(n) for n in range(2000)]
    second = [(17 * n) % 2000 / 2 for n in range(2000)]

    paired = paired_points((Party("rater", "a"), Party("rater", "b")), first, second)

    assert paired is not None and len(paired.points) < 2000 and sum(count for *_, count in paired.points) == 2000


def test_the_surest_answers_are_right_as_often_as_by_hand(tables: dict[str, Rows]) -> None:
    sure, right = values_in(tables["fields.csv"], "sure", "item")["Rater 1"], correctness(tables, "Rater 1")
    known = sorted(((float(sure[item]), right[item]) for item in right if item in sure), reverse=True)
    for label, target in (("the surest quarter", 0.25), ("the surest half", 0.5), ("all", 1.0)):
        least = known[math.ceil(target * len(known)) - 1][0]
        among = [is_right for stated, is_right in known if stated >= least]
        row = estimate_in(
            tables, "phase_read", "sure_covered", f"All items: right among {label} of the answers", "Rater 1"
        )

        assert math.isclose(float(row["value"]), sum(among) / len(among)) and row["n"] == str(len(among))


def correctness(tables: dict[str, Rows], rater: str) -> dict[str, bool]:
    """Return by item whether the diagnosis of a rater is right, of those that were answered."""
    return {
        row["item"]: row["correct"] == "yes"
        for row in tables["fields.csv"]
        if row["member"] == rater and row["field"] == "diagnosis" and row["undetermined"] != "yes"
    }
