"""Ceilings, order and time, fields taken together and groups on any scale, recomputed from the exported CSV files."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from db import Database
from db.engine import make_engine
from services.progress import data_lock
from services.reading import submission, worklist
from services.reading.verdict_rows import Circumstances
from services.report import Report, build_report, figures_of
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import imported_listed
from tests.services.report.recomputed import Rows, estimate_in, pairs_of, share_same, tables_of, values_in
from tests.situations import answers, show, write_table

PROTOCOL = """
blindread: 2
name: listed
title: Ceilings and queues
groups: {students: Students, seniors: Seniors}
attributes: {items: {contrast: yes_no}}
phases:
  - key: read
    title: Reads
    rates: items
    shows: [prompt]
    form:
      diagnosis: {type: choice, primary: true, options: {g: Glioma, m: Metastasis, a: Abscess}}
      lesion: yes_no
      size: {type: number, unit: mm, range: [0, 100]}
      signs: {type: several, options: {oedema: Oedema, rim: Rim, shift: Shift}}
      place: {type: point}
      grade: {type: ordinal, options: ['1', '2', '3', '4']}
    by: [students, seniors]
analysis:
  primary: {estimate: accuracy, of: read.diagnosis}
  also:
    - {estimate: joint_rate, of: [read.diagnosis, read.lesion], by: format}
    - {estimate: mean, of: read.size, compare: group}
    - {estimate: distance, of: read.place, compare: group}
    - {estimate: agreement, of: read.signs, compare: group}
    - {estimate: difference, of: read.size, compare: group, by: format}
    - {estimate: difference, of: read.diagnosis, compare: format, by: rater}
    - {estimate: difference, of: read.diagnosis, compare: contrast}
"""
N = 22
OPTIONS = "gggma"
SIGNS = ("oedema", "rim", "shift")
GROUPS = ("students", "students", "students", "seniors", "seniors")
RATERS = tuple(f"Rater {number}" for number in range(1, 6))


def reference_of(number: int) -> str:
    return OPTIONS[number % len(OPTIONS)]


def said(number: int, rater: int, drawn: random.Random) -> dict[str, Any]:
    """Return what a rater fills in: right about as often as the rater is experienced."""
    right = drawn.random() < 0.4 + 0.12 * rater
    return {
        "diagnosis": reference_of(number) if right else drawn.choice("gma"),
        "lesion": "yes" if drawn.random() < 0.7 else "no",
        "size": round(20.0 + number + 3 * drawn.random() + rater, 1),
        "signs": [sign for sign in SIGNS if drawn.random() < 0.6] or ["rim"],
        "place": [float(number), round(4 * drawn.random(), 1), float(rater)],
        "grade": str(min(4, max(1, number % 4 + drawn.randint(0, 2)))),
    }


@pytest.fixture(scope="module")
def report(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Report, dict[str, Rows]]]:
    folder = tmp_path_factory.mktemp("ceilings")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    database = Database(engine, folder / "data")
    study = folder / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    write_table(
        study / "items.csv", "item,format,prompt,contrast",
        [(f"q{n}", "open" if n % 2 else "yes_no", f"Item {n}?", "no" if n % 3 else "yes") for n in range(N)],
    )  # fmt: skip
    write_table(
        study / "references.csv", "item,field,accepted,low,high,radius,provenance",
        [
            row
            for n in range(N)
            for row in (
                (f"q{n}", "diagnosis", reference_of(n), "", "", "", ""),
                (f"q{n}", "lesion", "yes", "", "", "", ""),
                (f"q{n}", "signs", "oedema|rim", "", "", "", ""),
                (f"q{n}", "place", f"{n} 0 0", "", "", 3, ""),
            )
        ],
    )  # fmt: skip
    situation = imported_listed(database, study, groups=GROUPS)
    freezing.freeze_study(database, situation.admin, situation.study_key)
    drawn = random.Random(5)
    for rater, person in enumerate(situation.raters):
        (desk,) = worklist.desks_of(database, person)
        for _ in range(N):
            payload: dict[str, Any] = dict(
                submission.current_payload(database, person, situation.study_key, desk.queue.key)
            )
            number = int(payload["prompt"].split()[1][:-1])
            show(situation, person, payload)
            # Of the last rater's first item no time was measured.
            measured = Circumstances(active_ms=drawn.randint(1, 4000) if (rater, number) != (4, 0) else 0)
            given = answers(**said(number, rater, drawn))
            submission.submit(database, person, payload["assignment"], payload["key"], given, measured)
    data_lock.close_study(database, situation.admin, situation.study_key)
    made = build_report(database, situation.admin, situation.study_key)
    yield made, tables_of(database, made)
    engine.dispose()


@pytest.fixture(scope="module")
def tables(report: tuple[Report, dict[str, Rows]]) -> dict[str, Rows]:
    return report[1]


def in_phase(tables: dict[str, Rows], table: str, label: str, raters: str) -> dict[str, str]:
    return estimate_in(tables, "phase_read", table, f"All items: {label}", raters)


def right_in(tables: dict[str, Rows], field: str, rater: str) -> dict[str, bool]:
    """Return by item whether a rater's answer in a field is right."""
    rows = [row for row in tables["fields.csv"] if (row["member"], row["field"]) == (rater, field)]
    return {row["item"]: row["correct"] == "yes" for row in rows}


def test_always_the_most_frequent_answer_and_the_best_rater_stand_beside_the_floors(tables: dict[str, Rows]) -> None:
    shares = {rater: np.mean(list(right_in(tables, "diagnosis", rater).values())) for rater in RATERS}
    often = Counter(reference_of(number) for number in range(N)).most_common(1)[0][1] / N

    always = in_phase(tables, "diagnosis_ceilings", "always the most frequent answer", "Glioma")
    best = in_phase(tables, "diagnosis_ceilings", "the best rater", max(shares, key=lambda rater: shares[rater]))

    assert math.isclose(float(always["value"]), often) and always["n"] == str(N)
    assert math.isclose(float(best["value"]), max(shares.values())) and best["plan"] == ""
    assert best["note"] == "chosen as the best on these very answers"


def test_each_rater_is_held_against_what_most_of_the_others_say(tables: dict[str, Rows]) -> None:
    given = values_in(tables["fields.csv"], "diagnosis", "item")
    ceilings = []
    for rater in RATERS:
        same = []
        for item, answer in given[rater].items():
            others = Counter(given[other][item] for other in RATERS if other != rater)
            option, times = others.most_common(1)[0]
            if 2 * times > len(RATERS) - 1:
                same.append(option == answer)
        row = in_phase(tables, "diagnosis_against_others", "same as most of the others", rater)
        assert math.isclose(float(row["value"]), np.mean(same)) and row["n"] == str(len(same))
        ceilings.append(float(row["value"]))
    mean = in_phase(tables, "diagnosis_against_others", "same as most of the others", "All raters")
    assert math.isclose(float(mean["value"]), np.mean(ceilings))


@pytest.mark.parametrize(("field", "table"), [("size", "against_others"), ("grade", "correlation_with_others")])
def test_numbers_and_steps_are_held_against_the_mean_of_the_others(
    tables: dict[str, Rows], field: str, table: str
) -> None:
    given = values_in(tables["fields.csv"], field, "item")
    own = [float(given["Rater 2"][f"q{n}"]) for n in range(N)]
    others = [np.mean([float(given[other][f"q{n}"]) for other in RATERS if other != "Rater 2"]) for n in range(N)]

    row = in_phase(tables, f"{field}_{table}", "Pearson correlation with the mean of the others", "Rater 2")

    assert math.isclose(float(row["value"]), np.corrcoef(own, others)[0, 1])


def series_of(report: Report, key: str, axis: str) -> list[tuple[str, list[float]]]:
    """Return what a figure draws on an axis, by the name of each series."""
    (figure,) = (figure for figure in figures_of(report) if figure.key == key)
    return [(trace.name, [round(place, 6) for place in trace[axis]]) for trace in figure.figure.data]


def test_floors_raters_and_ceilings_are_drawn_beside_each_other(report: tuple[Report, dict[str, Rows]]) -> None:
    made, tables = report
    drawn = dict(series_of(made, "phase_read-diagnosis_levels", "x"))
    rows = [
        (table, label, raters)
        for table, label, whose in (
            ("diagnosis_accuracy", "accuracy on these items", (*RATERS, "All raters")),
            ("diagnosis_against_others", "same as most of the others", (*RATERS, "All raters")),
        )
        for raters in whose
    ]
    shares = {each: round(100 * float(in_phase(tables, *each)["value"]), 6) for each in rows}

    assert drawn["Raters"] == [share for (table, *_), share in shares.items() if table == "diagnosis_accuracy"]
    assert drawn["Ceilings"][1:] == [share for (table, *_), share in shares.items() if table != "diagnosis_accuracy"]
    assert drawn["Ceilings"][0] == max(drawn["Raters"][:-1]) and len(drawn["Without the images"]) == 2


@pytest.mark.parametrize("compared", ["queue", "active_time"])
def test_accuracy_is_drawn_over_the_thirds_of_queue_and_time(
    report: tuple[Report, dict[str, Rows]], compared: str
) -> None:
    made, tables = report
    words = {"queue": "last third of the queue", "active_time": "slowest third"}[compared]
    drawn = series_of(made, f"phase_read-diagnosis_order_and_time-{compared}", "y")

    assert [name.split(" (")[0] for name, _ in drawn] == [*RATERS, "All raters"]
    for name, shares in drawn:
        row = in_phase(tables, "diagnosis_order_and_time", f"right in the {words}", name.split(" (")[0])
        assert math.isclose(shares[2], 100 * float(row["value"]), abs_tol=1e-5)


@pytest.mark.parametrize(
    ("compared", "because"),
    [
        ("queue", "Descriptive: hard items may have come late."),
        ("active_time", "Descriptive: nobody was randomised to be slow, and hard items take long."),
    ],
)
def test_a_figure_of_thirds_says_why_it_is_descriptive(
    report: tuple[Report, dict[str, Rows]], compared: str, because: str
) -> None:
    captions = {figure.key: figure.caption for figure in figures_of(report[0])}

    assert captions[f"phase_read-diagnosis_order_and_time-{compared}"].endswith(because)


@pytest.mark.parametrize(
    ("column", "thirds", "difference"),
    [
        (
            "position",
            ("first third of the queue", "middle third of the queue", "last third of the queue"),
            "last minus first third of the queue",
        ),
        ("active_ms", ("fastest third", "middle third by time", "slowest third"), "slowest minus fastest third"),
    ],
)
def test_accuracy_is_told_by_thirds_of_the_queue_and_of_the_time(
    tables: dict[str, Rows], column: str, thirds: tuple[str, ...], difference: str
) -> None:
    of_all: list[list[bool]] = [[], [], []]
    for rater in RATERS:
        right = right_in(tables, "diagnosis", rater)
        rows = [row for row in tables["verdicts.csv"] if row["member"] == rater and int(row[column] or 0)]
        ordered = [right[row["item"]] for row in sorted(rows, key=lambda row: int(row[column]))]
        own = [[each for rank, each in enumerate(ordered) if 3 * rank // len(ordered) == third] for third in range(3)]
        for third, words in enumerate(thirds):
            row = in_phase(tables, "diagnosis_order_and_time", f"right in the {words}", rater)
            assert math.isclose(float(row["value"]), np.mean(own[third])) and row["n"] == str(len(own[third]))
            of_all[third] += own[third]
    gap = in_phase(tables, "diagnosis_order_and_time", difference, "All raters")
    assert math.isclose(float(gap["value"]), np.mean(of_all[2]) - np.mean(of_all[0]))
    assert float(gap["low"]) < float(gap["value"]) < float(gap["high"])


def test_a_joint_rate_of_several_fields_counts_what_is_right_in_all_of_them(tables: dict[str, Rows]) -> None:
    formats = {row["item"]: row["format"] for row in tables["items.csv"]}
    fields = ("diagnosis", "lesion", "signs", "place")
    for rater in RATERS:
        right = {field: right_in(tables, field, rater) for field in fields}
        both = [right["diagnosis"][item] and right["lesion"][item] for item in formats if formats[item] == "open"]
        row = estimate_in(tables, "plan", "line_2_1", "Open answer: right in all fields at once", rater)
        assert math.isclose(float(row["value"]), np.mean(both)) and row["n"] == str(N // 2) and row["plan"] == "also"
        every = [all(right[field][item] for field in fields) for item in formats]
        row = in_phase(tables, "diagnosis_all_right", "right in all fields at once", rater)
        assert math.isclose(float(row["value"]), np.mean(every)) and row["plan"] == ""


def test_options_right_are_counted_beside_the_exact_set(tables: dict[str, Rows]) -> None:
    for rater in RATERS:
        own = values_in(tables["fields.csv"], "signs", "item")[rater].values()
        right = [sum((sign in chosen.split(" | ")) == (sign in ("oedema", "rim")) for sign in SIGNS) for chosen in own]
        row = in_phase(tables, "signs_options_right", "options right", rater)
        assert math.isclose(float(row["value"]), np.mean(right) / len(SIGNS)) and row["n"] == str(N)
        exact = in_phase(tables, "signs_accuracy", "accuracy on these items", rater)
        assert math.isclose(float(exact["value"]), np.mean([count == len(SIGNS) for count in right]))


def test_a_figure_of_options_right_says_so_once(report: tuple[Report, dict[str, Rows]]) -> None:
    titles = {figure.key: figure.title for figure in figures_of(report[0])}

    assert titles["phase_read-signs_options_right-options_right"] == "Signs: options right against the reference"


WHOSE = "Students minus Seniors"


def gaps_of(values: dict[str, dict[str, float]]) -> list[float]:
    """Return by item the mean of the students less that of the seniors."""
    students, seniors = RATERS[:3], RATERS[3:]
    return [
        float(np.mean([values[rater][f"q{n}"] for rater in students]))
        - float(np.mean([values[rater][f"q{n}"] for rater in seniors]))
        for n in range(N)
    ]


def test_groups_are_compared_in_the_numbers_they_gave(tables: dict[str, Rows]) -> None:
    given = values_in(tables["fields.csv"], "size", "item")
    gaps = gaps_of({rater: {item: float(value) for item, value in own.items()} for rater, own in given.items()})

    row = estimate_in(tables, "plan", "line_3", "All items: difference of means between groups", WHOSE)
    of_open = estimate_in(tables, "plan", "line_6", "Open answer: difference of means between groups", WHOSE)

    assert math.isclose(float(row["value"]), np.mean(gaps)) and (row["n"], row["plan"]) == (str(N), "also")
    assert row["measured_in"] == "mm"
    assert float(row["low"]) < float(row["value"]) < float(row["high"]) and row["p"]
    assert math.isclose(float(of_open["value"]), np.mean(gaps[1::2])) and "of these raters alone" in row["method"]


def test_groups_are_compared_in_how_far_their_places_are_from_the_reference(
    report: tuple[Report, dict[str, Rows]],
) -> None:
    made, tables = report
    given = values_in(tables["fields.csv"], "place", "item")
    away = {
        rater: {
            item: math.dist([float(part) for part in re.findall(r"[\d.]+", value)], (int(item[1:]), 0, 0))
            for item, value in own.items()
        }
        for rater, own in given.items()
    }

    row = estimate_in(tables, "plan", "line_4", "All items: difference of means between groups", WHOSE)

    assert math.isclose(float(row["value"]), np.mean(gaps_of(away)), rel_tol=1e-6) and row["measured_in"] == "mm"
    table = next(table for _, table in made.estimate_tables() if table.key == "line_4")
    assert "Differences are in mm." in table.explanation


def test_groups_are_compared_in_how_often_their_raters_chose_the_same_set(tables: dict[str, Rows]) -> None:
    given = values_in(tables["fields.csv"], "signs", "item")

    def within(raters: tuple[str, ...]) -> float:
        shares = [share_same(pairs_of(given[a], given[b])) for a, b in combinations(raters, 2)]
        return sum(shares) / len(shares)

    row = estimate_in(tables, "plan", "line_5", "All items: difference of agreement within groups", WHOSE)

    assert math.isclose(float(row["value"]), within(RATERS[:3]) - within(RATERS[3:]), abs_tol=1e-12)


def test_values_that_are_compared_stand_with_the_name_of_their_attribute(tables: dict[str, Rows]) -> None:
    compared = [row["raters"] for row in tables["estimates.csv"] if row["table"] == "line_8"]

    assert compared and set(compared) == {"Contrast: no minus Contrast: yes"}


def test_raters_are_compared_in_how_far_formats_differ_for_them(tables: dict[str, Rows]) -> None:
    formats = {row["item"]: row["format"] for row in tables["items.csv"]}

    def difference(rater: str) -> float:
        right = right_in(tables, "diagnosis", rater)
        of_open, of_others = (
            np.mean([is_right for item, is_right in right.items() if formats[item] == each])
            for each in ("open", "yes_no")
        )
        return float(of_open - of_others)

    own = estimate_in(tables, "plan", "line_7", "Rater 2: difference of shares", "Open answer minus Yes/no")
    label = "All items: Open answer minus Yes/no: how far two raters differ in it"
    row = estimate_in(tables, "plan", "line_7", label, "Rater 2 minus Rater 5")

    assert math.isclose(float(own["value"]), difference("Rater 2"))
    assert math.isclose(float(row["value"]), difference("Rater 2") - difference("Rater 5"))
    assert float(row["low"]) < float(row["value"]) < float(row["high"]) and row["plan"] == "also"
