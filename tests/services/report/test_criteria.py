"""Criteria of the analysis plan: which limit of which estimate has to clear a bound, and what became of each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from db import Database
from db.engine import make_engine
from exchange.report.statistic_names import Statistic
from exchange.report.statistic_words import WORDS
from protocol.language.authored_plan import Estimated
from protocol.language.computed import COMPUTED
from protocol.language.criteria import AGAINST_JUDGES, AGREEMENT, CALLED, STATISTICS
from services.progress import data_lock
from services.report import build_report
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import imported_listed
from tests.services.report.recomputed import Rows, tables_of
from tests.situations import answers, write_table
from tests.stored_answers import store_all

# Rater 1 is always right, rater 2 of the first 60 in 45, and the second site has 20 items of 80.
PROTOCOL = """
blindread: 2
name: held-to-it
title: Held to criteria
attributes: {items: {site: text}}
phases:
  - {key: read, title: Reads, rates: items, shows: [prompt], form: {answer: yes_no}}
analysis:
  primary: {estimate: accuracy, of: read.answer}
  criteria:
    - {key: right_together, estimate: accuracy, of: read.answer, above: 0.8}
    - {key: each_of_them, estimate: accuracy, of: read.answer, above: 0.8, each_rater: yes}
    - {key: at_each_site, estimate: accuracy, of: read.answer, above: 0.5, by: site}
    - {key: many_of_both, estimate: accuracy, of: read.answer, above: 0.5, least: {units: 80, raters: 3}}
    - {key: kappa_low, estimate: agreement, of: read.answer, statistic: cohen_kappa, below: 0.95, above: 0.05}
    - {key: unknown, estimate: agreement, of: read.answer, statistic: cohen_kappa, by: category, above: 0}
"""


def truth(number: int) -> str:
    return "yes" if number >= 78 else ("no", "yes")[number % 2]


@pytest.fixture(scope="module")
def tables(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Rows]]:
    folder = tmp_path_factory.mktemp("criteria")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    database = Database(engine, folder / "data")
    study = folder / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    items = [
        (f"q{n}", "mixed" if n < 78 else "all yes", "yes_no", f"Item {n}?", "north" if n < 60 else "south")
        for n in range(80)
    ]
    write_table(study / "items.csv", "item,category,format,prompt,site", items)
    references = [(f"q{n}", "answer", truth(n), "", "", "", "") for n in range(80)]
    write_table(study / "references.csv", "item,field,accepted,low,high,radius,provenance", references)
    situation = imported_listed(database, study, raters=2)
    freezing.freeze_study(database, situation.admin, situation.study_key)
    seen: set[str] = set()

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        number = int(payload["prompt"].split()[1][:-1])
        is_second = payload["prompt"] in seen
        seen.add(payload["prompt"])
        wrong = is_second and 45 <= number < 60
        return answers(answer={"no": "yes", "yes": "no"}[truth(number)] if wrong else truth(number))

    store_all(situation, answer)
    data_lock.close_study(database, situation.admin, situation.study_key)
    yield tables_of(database, build_report(database, situation.admin, situation.study_key))
    engine.dispose()


def outcomes(tables: dict[str, Rows], key: str) -> dict[tuple[str, str], tuple[str, str]]:
    """Return by whose it is and on what: the outcome and why."""
    lines: dict[str, dict[str, str]] = {}
    for cell in tables["counts.csv"]:
        if cell["table"] == "criteria":
            lines.setdefault(cell["row"], {})[cell["column"]] = cell["value"]
    own = [line for line in lines.values() if line["criterion"] == key]
    return {(line["whose"], line["part"]): (line["outcome"], line["because"]) for line in own}


def limits(tables: dict[str, Rows], key: str) -> dict[tuple[str, str], tuple[float, float, str]]:
    rows = [row for row in tables["estimates.csv"] if row["table"] == f"criterion_{key}"]
    return {(row["raters"], row["stratum"]): (float(row["low"]), float(row["high"]), row["plan"]) for row in rows[::-1]}


def test_all_raters_together_reach_what_their_lower_limit_clears(tables: dict[str, Rows]) -> None:
    assert outcomes(tables, "right together") == {("All raters", "All items"): ("met", "")}


def test_each_rater_is_held_to_it_alone_where_the_plan_says_so(tables: dict[str, Rows]) -> None:
    of_raters = outcomes(tables, "each of them")

    assert {answer for answer, _ in of_raters.values()} == {"met", "not met"}
    assert ("not met", "the lower limit is not above 0.8") in of_raters.values()


def test_every_part_has_a_line(tables: dict[str, Rows]) -> None:
    assert {part for _, part in outcomes(tables, "at each site")} == {"Site: north", "Site: south"}


def test_what_rests_on_too_few_is_not_decided(tables: dict[str, Rows]) -> None:
    ((answer, because),) = outcomes(tables, "many of both").values()

    assert (answer, because) == ("not decided", "it rests on 2 of 3 raters")


def test_both_limits_of_one_named_statistic_can_be_held_to_bounds(tables: dict[str, Rows]) -> None:
    ((answer, _),) = outcomes(tables, "kappa low").values()
    ((low, high, plan),) = limits(tables, "kappa_low").values()

    assert 0.05 < low < high < 0.95 and answer == "met" and plan == "also"


def test_a_criterion_on_an_undefined_estimate_is_not_decided_and_says_why(tables: dict[str, Rows]) -> None:
    ((answer, because),) = [
        outcome for (_, part), outcome in outcomes(tables, "unknown").items() if part.endswith("all yes")
    ]

    assert answer == "not decided" and because.startswith("both raters constant on the same category")


def test_the_estimates_of_a_criterion_are_printed_with_their_method(tables: dict[str, Rows]) -> None:
    rows = [row for row in tables["estimates.csv"] if row["table"] == "criterion_right_together"]

    assert rows and all(row["method"] and math.isfinite(float(row["low"])) for row in rows)


def test_criteria_know_the_estimates_of_plans_and_the_statistics_of_reports() -> None:
    named = {name for names in (*STATISTICS.values(), *AGREEMENT.values(), AGAINST_JUDGES) for name in names}

    assert set(STATISTICS) <= set(get_args(Estimated)) and named <= set(get_args(Statistic))
    # A distance has no bound between -1 and 1.
    assert set(AGREEMENT) == {key for key, computed in COMPUTED.items() if "agreement" in computed} - {"point"}


def test_a_criterion_calls_a_statistic_as_the_report_does() -> None:
    named = {name for names in (*STATISTICS.values(), *AGREEMENT.values(), AGAINST_JUDGES) for name in names}

    assert set(CALLED) == named
    for statistic, called in CALLED.items():
        printed = [
            words.replace("{depth}", "k").replace("first k lines", "first lines").replace("'", "’")
            for (name, _), both in WORDS.items()
            if name == statistic
            for words in (both.line, both.name)
            if "{option}" not in words
        ]
        assert any(words.startswith(called) for words in printed), statistic


COMPARED = """
blindread: 2
name: two-models
title: Two models
phases:
  - {key: score, title: Scores, rates: candidates, shows: [prompt, candidate], form: {mark: correctness}}
analysis:
  resamples: 300
  criteria:
    - {key: better, estimate: difference, of: score.mark, compare: model, above: 0.1}
"""


def test_a_criterion_on_the_difference_of_two_models_is_decided(sqlite_database: Database, tmp_path: Path) -> None:
    study = tmp_path / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(COMPARED, encoding="utf-8")
    write_table(
        study / "items.csv", "item,category,format,prompt", [(f"q{n}", "c", "open", f"{n}?") for n in range(40)]
    )
    candidates = [(f"k{n}{model}", f"q{n}", model, f"{model} {n}") for n in range(40) for model in "AB"]
    write_table(study / "candidates.csv", "candidate,item,model,answer", candidates)
    situation = imported_listed(sqlite_database, study)
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        model, number = payload["candidate"].split()
        return answers(mark="correct" if model == "A" or int(number) % 2 else "incorrect")

    store_all(situation, answer)
    data_lock.close_study(sqlite_database, situation.admin, situation.study_key)
    tables = tables_of(sqlite_database, build_report(sqlite_database, situation.admin, situation.study_key))

    assert {answer for answer, _ in outcomes(tables, "better").values()} == {"met"}
