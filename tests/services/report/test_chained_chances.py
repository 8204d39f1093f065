"""Chances of units that a phase draws from what another phase drew, by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from db import Database
from db.engine import make_engine
from exchange.report.report_structure import EstimateTable
from services.progress import data_lock
from services.report import Report
from services.report.build import build_report
from services.report.rows.chained import chained
from services.report.rows.listed_rows import CandidateLine, DrawnLine
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import imported_listed
from tests.protocol.language.study_text import expanded
from tests.services.report.recomputed import Rows, estimate_in, tables_of
from tests.situations import answers, write_table
from tests.stored_answers import store_all

# All 4 flagged items and 2 of the 8 others; then all of these again, and the answers to half of each.
PROTOCOL = """
blindread: 2
name: chained
title: Read, then read again
groups: {readers: Readers, others: Others}
attributes: {items: {flagged: yes_no}}
phases:
  - key: read
    rates: items
    from: {sample: {strata: flagged, sizes: {yes: all, no: 2}}}
    shows: [prompt]
    form: {seen: yes_no}
    by: readers
  - key: again
    rates: items
    from: read
    shows: [prompt]
    form: {seen: yes_no}
    by: readers
  - key: score
    rates: candidates
    from: {phase: read, sample: {strata: flagged, size: 50 %}}
    shows: [prompt, candidate]
    form: {verdict: correctness}
    by: readers
  - key: questions
    rates: items
    from: score
    shows: [prompt]
    form: {seen: yes_no}
    by: others
analysis: {cluster: item, primary: {estimate: rate, of: again.seen, option: yes}, resamples: 200}
"""


@pytest.fixture(scope="module")
def reported(
    migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Report, dict[str, Rows]]]:
    folder = tmp_path_factory.mktemp("chained")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    database, study = Database(engine, folder / "data"), folder / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    items = [(f"q{n}", "open", f"Item {n}", "yes" if n < 4 else "no") for n in range(12)]
    write_table(study / "items.csv", "item,format,prompt,flagged", items)
    texts = [(f"k{n}", f"q{n}", "one", f"one {n}") for n in range(12)]
    write_table(study / "candidates.csv", "candidate,item,model,answer", texts)
    situation = imported_listed(database, study, groups=("readers", "others"))
    freezing.freeze_study(database, situation.admin, situation.study_key)

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        is_flagged = int(payload["prompt"].split()[1]) < 4
        if payload["candidate"]:
            return answers(verdict="correct" if is_flagged else "incorrect")
        return answers(seen="yes" if is_flagged else "no")

    store_all(situation, answer)
    data_lock.close_study(database, situation.admin, situation.study_key)
    report = build_report(database, situation.admin, situation.study_key)
    yield report, tables_of(database, report)
    engine.dispose()


def test_a_phase_that_takes_what_another_drew_unequally_is_weighted_to_the_pool_of_that(
    reported: tuple[Report, dict[str, Rows]],
) -> None:
    tables = reported[1]

    for section, table in (("plan", "line_1"), ("phase_again", "seen_distribution")):
        drawn = estimate_in(tables, section, table, "All items: Yes", "Rater 1")
        pool = estimate_in(tables, section, table, "All items: Yes, weighted to the pool", "Rater 1")
        # Each of the 4 flagged stands for itself, each of the 2 others for 4.
        assert (float(drawn["value"]), float(pool["value"])) == (pytest.approx(4 / 6), pytest.approx(4 / 12))


def test_a_sample_of_a_sample_is_weighted_by_both(reported: tuple[Report, dict[str, Rows]]) -> None:
    tables = reported[1]
    label = "All candidates: Correct, weighted to the pool"
    row = estimate_in(tables, "phase_score", "verdict_distribution", label, "Rater 1")

    # 2 of the 4 flagged at 1 x 1/2, 1 of the 2 others at 1/4 x 1/2.
    assert math.isclose(float(row["value"]), 2 * 2 / (2 * 2 + 8))


def test_the_file_of_the_sample_has_the_stored_chance_and_that_through_all_phases(
    reported: tuple[Report, dict[str, Rows]],
) -> None:
    sample = reported[1]["sample.csv"]
    said = {
        (row["phase"], row["stratum"].rpartition(" ")[2], row["inclusion_probability"], row["overall_probability"])
        for row in sample
        if row["phase"] in ("read", "score")
    }

    assert said == {
        ("read", "yes", "1.0", "1.0"),
        ("read", "no", "0.25", "0.25"),
        ("score", "yes", "0.5", "0.5"),
        ("score", "no", "0.5", "0.125"),
    }


def test_where_a_chance_is_not_known_nothing_is_weighted_and_each_table_says_so(
    reported: tuple[Report, dict[str, Rows]],
) -> None:
    section = reported[0].section("phase_questions")
    assert section is not None
    table = section.table("seen_distribution")

    assert isinstance(table, EstimateTable) and not any(row.weighted for row in table.rows)
    assert "Not weighted to the pool: of some units the chance of being drawn is not known" in table.explanation


def two_phases(first: str, second: str) -> str:
    """Return a study of two phases in which `again` draws from `read`."""
    return f"""
        phases:
          - {{key: read, shows: [prompt], {first}}}
          - {{key: again, shows: [prompt], {second}}}
        """


SCORES = "rates: candidates, form: {verdict: correctness}"
READS = "rates: items, form: {seen: yes_no}"
PAIRS = "rates: pairs, form: {better: preference}, pairs: {of: model}"


def answer_of(key: str) -> CandidateLine:
    return CandidateLine(1, key, "i1", key, "text", {})


def overall_of_last(protocol: str, *drawn: DrawnLine) -> float | None:
    pair = CandidateLine(9, "a|b", "i1", "", "", {}, pair=(answer_of("a"), answer_of("b")))
    return chained(expanded(protocol), drawn, [answer_of("a"), answer_of("b"), pair])[-1].overall


def line(phase: str, candidate: str | None, chance: float | None) -> DrawnLine:
    return DrawnLine(phase, "i1", candidate, "", chance, None)


@pytest.mark.parametrize(
    ("first", "chances", "overall"),
    [
        (f"{SCORES}, from: {{sample: {{size: 50 %}}}}", (0.5, 0.5), None),
        (f"{SCORES}, from: {{sample: {{size: 50 %}}}}", (0.5, 1.0), 1.0),
        (f"{SCORES}, from: {{sample: {{size: 50 %, unit: item}}}}", (0.5, 0.5), 0.5),
    ],
    ids=["either answer was enough", "one was certain", "drawn together"],
)
def test_an_item_of_which_any_answer_was_enough_has_a_known_chance_only_by_design(
    first: str, chances: tuple[float, float], overall: float | None
) -> None:
    study = two_phases(first, f"{READS}, from: read")
    drawn = [line("read", key, chance) for key, chance in zip("ab", chances, strict=True)]

    assert overall_of_last(study, *drawn, line("again", None, 1.0)) == overall


@pytest.mark.parametrize(
    ("first", "chances", "overall"),
    [
        (f"{SCORES}, from: {{sample: {{size: 50 %}}}}", (0.5, 0.5), None),
        (f"{SCORES}, from: {{sample: {{size: 50 %}}}}", (0.5, 1.0), 0.5),
        (f"{SCORES}, from: {{sample: {{size: 50 %, unit: item}}}}", (0.5, 0.5), 0.5),
    ],
    ids=["each by itself", "one was certain", "drawn together"],
)
def test_a_pair_has_the_chance_that_both_answers_were_drawn(
    first: str, chances: tuple[float, float], overall: float | None
) -> None:
    study = two_phases(first, f"{PAIRS}, from: read")
    drawn = [line("read", key, chance) for key, chance in zip("ab", chances, strict=True)]

    assert overall_of_last(study, *drawn, line("again", "a|b", 1.0)) == overall


def test_a_chance_that_is_not_known_leaves_those_after_it_unknown() -> None:
    study = two_phases(READS, f"{READS}, from: read")

    assert overall_of_last(study, line("read", None, None), line("again", None, 1.0)) is None


def test_units_that_follow_from_their_own_answers_have_the_chance_of_the_phase_that_was_answered() -> None:
    study = two_phases(
        READS, f"{READS}, opens: {{after: read, done_by: everyone}}, from: {{where: {{read.seen: yes}}}}"
    )

    assert overall_of_last(study, line("read", None, 0.25), line("again", None, 1.0)) == 0.25


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        (f"{SCORES}, from: {{sample: {{size: 50 %, unit: item}}}}", f"{SCORES}, from: read", True),
        (f"{SCORES}, from: {{sample: {{size: 50 %}}}}", f"{SCORES}, from: read", False),
        (f"{READS}, from: {{sample: {{size: 50 %}}}}", f"{SCORES}, from: read", True),
        (READS, f"{SCORES}, from: {{where: {{read.seen: yes}}, sample: {{size: 50 %, unit: item}}}}", True),
    ],
    ids=["by item", "one by one before", "items before", "selected by answers"],
)
def test_answers_to_an_item_are_drawn_together_where_every_sample_is_of_items(
    first: str, second: str, together: bool
) -> None:
    study = two_phases(first, f"{second}, opens: {{after: read, done_by: everyone}}")
    drawn = [line("read", None if "items" in first else "a", 0.5), line("again", "a", 0.5)]

    assert chained(expanded(study), drawn, [answer_of("a")])[-1].together is together
