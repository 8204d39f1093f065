"""A judge that compares pairs, held against people: agreement, position preference, win rates, and both orders."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from agreement.judge.certificate import name_hash
from db.engine import Database, make_engine
from services.judging import asked_fields, import_runs
from services.progress import data_lock
from services.report import build_report, calibration
from services.report.calibration import exports
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import work_through
from tests.pair_study import PAIRS, opened_pairs
from tests.situations import Situation, answers

FIELD = "secret_arm.better"
PLANNED = (
    PAIRS
    + """
  also:
    - {estimate: agreement, of: secret_arm.better, with: judges}
  criteria:
    - {key: alike, estimate: agreement, of: secret_arm.better, with: judges, statistic: percent_agreement, above: 0.1}
"""
)
# Which model's answer is better, by the number of the item, to people; item 6 is a tie.
BETTER = {1: "abc", 2: "acb", 3: "bac", 4: "cba", 5: "abc", 6: "="}
# Of these items the judge prefers what it was shown first, whatever it is.
UNSURE = (5, 6)


def better(number: int, former: str, other: str) -> str:
    order = BETTER[number]
    return "" if order == "=" else min(former, other, key=order.index)


def by_judge(number: int, first: str, second: str) -> str:
    """Return which of two models the judge prefers, given the order in which it was shown their answers."""
    return first if number in UNSURE else better(number, first, second)


def lines_of_judge() -> str:
    """Return the judge's verdicts on every pair in both orders; A is what was shown first."""
    made = [
        f"i{n},k{n}{a},k{n}{b},model-{by_judge(n, a, b)},a,model-{a},model-{b}"
        for n in BETTER
        for pair in combinations("abc", 2)
        for a, b in (pair, pair[::-1])
    ]
    return "\n".join(["item,candidate_a,candidate_b,verdict,shown_first,model_a,model_b", *made]) + "\n"


def answer(payload: dict[str, Any]) -> dict[str, Any]:
    first, second = (text[0].lower() for text in payload["sides"])
    won = better(int(payload["sides"][0].split()[-1].rstrip(".")), first, second)
    return answers(better="tie" if not won else "a" if won == first else "b")


@pytest.fixture(scope="module")
def situation(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Situation]:
    """Two raters compared three models on six items, and so did a judge, in both orders."""
    folder = tmp_path_factory.mktemp("pairs")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    opened = opened_pairs(Database(engine, folder / "data"), folder / "study", PLANNED)
    for order in ("first", "second"):
        import_runs.import_judge_verdicts(
            opened.database, opened.admin, opened.study_key, name=f"{order} shown first", judge="Judge",
            content=lines_of_judge().encode(), file_name="judge.csv", field=FIELD, only_order=order,
        )  # fmt: skip
    for rater in opened.raters:
        work_through(replace(opened, raters=(rater,)), answer)
    data_lock.close_study(opened.database, opened.admin, opened.study_key)
    yield opened
    engine.dispose()


@pytest.fixture(scope="module")
def computed(situation: Situation) -> calibration.Calibration:
    return calibration.calibration_of(situation.database, situation.admin, situation.study_key)


def test_the_field_is_offered_with_its_runs(situation: Situation) -> None:
    known = calibration.fields_with_judges(situation.database, situation.admin, situation.study_key)

    assert {field: runs for field, (_, runs) in known.items()} == {FIELD: ["first shown first", "second shown first"]}


def test_agreement_is_on_pairs_whatever_side_or_order_an_answer_had(computed: calibration.Calibration) -> None:
    # Of items 1 to 4 all agree; of item 5 the judge prefers the first answer of the tables, as people do.
    of_humans, of_judge = (
        computed.panels["ceiling"].of("agreement", parties=parties, stratum="all")[0].estimate
        for parties in (("Rater 1", "Rater 2"), ("Judge", "Rater 1"))
    )
    assert (of_humans.value, of_humans.n) == (1.0, 18)
    assert (of_judge.value, of_judge.n) == (pytest.approx(15 / 18), 18)


def test_a_position_preference_is_of_both_orders_together(computed: calibration.Calibration) -> None:
    [row] = computed.panels["direction"].of("preferred the one shown first", parties=("Judge",))

    # 6 verdicts of items 5 and 6 in each order are for the first; of the others, half.
    assert (row.estimate.value, row.estimate.n) == (pytest.approx((12 + 12) / 36), 36)
    assert row.estimate.n_clusters == 3


def test_people_have_a_position_preference_too_of_those_that_prefer_one(computed: calibration.Calibration) -> None:
    rows = computed.panels["direction"].of("preferred the one shown first")

    assert {row.parties: row.estimate.n for row in rows} == {("Judge",): 36, ("Rater 1",): 15, ("Rater 2",): 15}


def test_win_rates_of_judge_and_people_stand_side_by_side(computed: calibration.Calibration) -> None:
    rates = {row.parties: row.estimate for row in computed.panels["corrected"].of("win rate")}

    won = sum(better(n, *pair) == "a" for n in BETTER for pair in ("ab", "ac"))
    assert rates["model-a", "majority of 2"].value == pytest.approx(won / 12)
    # Of items 5 and 6 the judge prefers what it was shown first: over both orders, half of each comparison is won.
    unsure = sum(better(n, *pair) == "a" for n in UNSURE for pair in ("ab", "ac"))
    assert rates["model-a", "Judge"].value == pytest.approx((won - unsure + 0.5 * 2 * len(UNSURE)) / 12)
    assert rates["model-a", "Judge"].method.endswith("mean of a pair's two orders, where it was judged in both")
    assert rates["model-a", "Judge"].low < rates["model-a", "Judge"].value < rates["model-a", "Judge"].high
    assert {row.parties[0] for row in computed.panels["corrected"].of("strength")} == {"model-a", "model-b", "model-c"}


def test_the_two_orders_of_a_judge_in_one_file_are_no_repeats_and_show_what_changed_with_the_order(
    computed: calibration.Calibration,
) -> None:
    [row] = computed.panels["repeatability"].of("changed with the order")

    assert computed.panels["repeatability"].of("changed") == []
    assert (row.estimate.value, row.estimate.n) == (pytest.approx(6 / 18), 18)


def test_what_is_not_defined_on_preferences_is_said_in_a_sentence(computed: calibration.Calibration) -> None:
    said = {key: " ".join((*panel.sentences, *panel.refused)) for key, panel in computed.panels.items()}

    assert "Which of two answers is better has no direction" in said["direction"]
    assert "A bias is not defined for preferences" in said["uniformity"]
    assert "Win rates are not corrected" in said["corrected"]
    # It was run in both orders, in which a preference for a place cancels.
    assert "a preference for a place (panel 2) is part of them" not in said["corrected"]
    assert "--" not in " ".join(said.values())


def test_pairs_are_exported_with_both_answers(situation: Situation) -> None:
    files = exports.export_verdicts(situation.database, situation.admin, situation.study_key, "differing", FIELD)

    lines = list(csv.DictReader(io.StringIO("".join(files["differing.csv"]))))
    first = next(line for line in lines if line["candidate"] == "k6a & k6b" and line["run"] == "first shown first")
    assert (first["model"], first["judge_says"], first["Rater 1 says"]) == ("model-a / model-b", "a", "tie")
    assert first["answer"] == "a: A says 6.\nb: B says 6."


def test_a_certificate_of_both_orders_does_not_allow_a_later_run_what_changed_with_the_order(
    situation: Situation,
) -> None:
    made = calibration.certify(situation.database, situation.admin, situation.study_key)

    assert "no repeated run (33 % changed with the order); another run of this prompt, imported beside it" in made.card


def test_a_certificate_names_pairs_as_the_exported_table_does(situation: Situation) -> None:
    """By these names a new run is seen to repeat them."""
    made = calibration.certify(situation.database, situation.admin, situation.study_key, runs=["first shown first"])
    files = exports.export_verdicts(situation.database, situation.admin, situation.study_key, "tidy", FIELD)

    exported = csv.DictReader(io.StringIO("".join(next(iter(files.values())))))
    names = {"\x1f".join(line[name] for name in ("item", "candidate", "model")) for line in exported}
    assert set(json.loads(made.document)["repeats"]) == {name_hash(name) for name in names}


def test_a_certificate_and_its_card_count_pairs(situation: Situation) -> None:
    made = calibration.certify(situation.database, situation.admin, situation.study_key, runs=["first shown first"])

    assert json.loads(made.document)["unit"] == "pair"
    assert "18 labelled of 18 pairs\n" in made.card


def test_the_report_compares_the_judge_with_people_and_counts_pairs(situation: Situation) -> None:
    report = build_report(situation.database, situation.admin, situation.study_key)

    tables = {table.key: table for section in report.sections for table in section.tables}
    [*_, run] = tables["judge_runs"].rows
    assert 18 in run
    assert any(key.endswith("_judges") for key in tables)


def test_what_a_plan_declares_of_a_judge_and_people_is_reported_and_decides_the_certificate(
    situation: Situation, computed: calibration.Calibration
) -> None:
    """A preference has no direction, which the shipped criteria ask for: those of a plan take their place."""
    report = build_report(situation.database, situation.admin, situation.study_key)
    planned = next(section for section in report.sections if section.key == "plan")
    judged = [table for table in planned.tables if "against the judges" in table.title]
    rows = {row.statistic: row.sentence for row in computed.panels["certificate"].rows}

    assert len(judged) == 2
    assert rows["alike"] == "passed"
    assert not any("direction" in statistic for statistic in rows)


def test_what_is_counted_in_panels_and_certificate_is_pairs(computed: calibration.Calibration) -> None:
    said = [text for panel in computed.panels.values() for text in (*panel.sentences, *panel.refused)]

    assert [text for text in said if "candidate" in text] == []
    units = {row.estimate.unit for panel in computed.panels.values() for row in panel.rows}
    assert "pair" in units and "candidate" not in units


def test_where_only_pairs_are_compared_no_labels_can_be_imported_and_it_is_said_why(situation: Situation) -> None:
    why = asked_fields.why_no_labels(situation.database, situation.admin, situation.study_key)

    assert why == f"People compare pairs of answers in {FIELD}, {asked_fields.NOT_OF_PAIRS}."
