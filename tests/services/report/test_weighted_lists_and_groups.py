"""Ranked lists, groups of raters and models, weighted to the pool of a sample with unequal chances; by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from db import Database
from db.engine import make_engine
from services.progress import data_lock
from services.report.build import build_report
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import imported_listed
from tests.services.report.recomputed import Rows, estimate_in, tables_of
from tests.situations import answers, write_table
from tests.stored_answers import store_all

# All 4 flagged items and 2 of the 8 others, each of which stands for 4.
PROTOCOL = """
blindread: 2
name: weighted-lists
title: Lists of two groups
groups: {residents: Residents, experts: Experts}
attributes: {items: {flagged: yes_no}}
phases:
  - key: read
    rates: items
    from: {sample: {strata: flagged, sizes: {yes: all, no: 2}}}
    shows: [prompt]
    form:
      kind: {type: choice, options: {a: Alpha, b: Beta}}
      causes: {type: ranked, at_most: 3}
      size: number
      sure: {type: confidence, range: [0, 1]}
  - key: match
    rates: candidates
    from: {sample: {unit: item, strata: flagged, sizes: {yes: all, no: 2}}}
    shows: [prompt, candidate]
    form: {line: {type: choice, options: {'1': First, '2': Second, '3': Third, none: None of them}}}
    by: experts
analysis:
  cluster: item
  primary: {estimate: pass_at, k: 2, of: read.causes, compare: group}
  also:
    - {estimate: joint_rate, of: [read.kind, read.causes], by: group, with: models}
    - {estimate: pass_at, k: 1, of: match.line}
    - {estimate: pass_at, k: 2, of: read.causes, with: models}
    - {estimate: pass_at, k: 2, of: match.line}
    - {estimate: mean, of: read.size, compare: group}
    - {estimate: accuracy, of: read.kind, compare: group}
  resamples: 200
"""
RESIDENT, EXPERT, MODEL = "Rater 1", "Rater 2", "one"


@pytest.fixture(scope="module")
def tables(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Rows]]:
    folder = tmp_path_factory.mktemp("lists")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    database, study = Database(engine, folder / "data"), folder / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    items = [(f"q{n}", "open", f"Item {n}", "yes" if n < 4 else "no") for n in range(12)]
    write_table(study / "items.csv", "item,format,prompt,flagged", items)
    lines = [(f"q{n}", *each) for n in range(12) for each in (("kind", "a"), ("causes", "stroke"))]
    write_table(study / "references.csv", "item,field,accepted", lines)
    # The model is right in both fields on the flagged items alone.
    texts = [(f"k{n}", f"q{n}", MODEL, f"list {n}", "a" if n < 4 else "b", "stroke") for n in range(12)]
    write_table(study / "candidates.csv", "candidate,item,model,answer,kind,causes", texts)
    situation = imported_listed(database, study, groups=("residents", "experts"))
    freezing.freeze_study(database, situation.admin, situation.study_key)
    asked: dict[str, int] = {}

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        prompt = payload["prompt"]
        is_flagged = int(prompt.split()[1]) < 4
        if payload["candidate"]:
            return answers(line="1" if is_flagged else "2")
        asked[prompt] = asked.get(prompt, 0) + 1
        # The resident, who is asked first, has the cause on flagged items alone, the expert on all.
        knows = is_flagged or asked[prompt] > 1
        causes = ["stroke", "tumour"] if knows else ["tumour", "abscess"]
        return answers(
            kind="a" if knows else "b", causes=causes, size=3 if knows else 1, sure=0.9 if is_flagged else 0.6
        )

    store_all(situation, answer)
    data_lock.close_study(database, situation.admin, situation.study_key)
    yield tables_of(database, build_report(database, situation.admin, situation.study_key))
    engine.dispose()


def in_sample_and_pool(tables: dict[str, Rows], section: str, table: str, label: str, who: str) -> tuple[float, float]:
    """Return a share of the sample as it is, and the same weighted to the pool."""
    rows = [estimate_in(tables, section, table, f"{label}{end}", who) for end in ("", ", weighted to the pool")]
    return float(rows[0]["value"]), float(rows[1]["value"])


@pytest.mark.parametrize(("group", "in_sample", "in_pool"), [("Residents", 4 / 6, 4 / 12), ("Experts", 1.0, 1.0)])
def test_first_lines_of_each_group_are_weighted(
    tables: dict[str, Rows], group: str, in_sample: float, in_pool: float
) -> None:
    shares = in_sample_and_pool(tables, "plan", "line_1", "All items: pass@2", group)

    assert shares == (pytest.approx(in_sample), pytest.approx(in_pool))


@pytest.mark.parametrize(("section", "table"), [("plan", "line_3"), ("phase_match", "line_matched_lines")])
def test_lists_as_people_rated_them_are_weighted(tables: dict[str, Rows], section: str, table: str) -> None:
    shares = in_sample_and_pool(tables, section, table, "All candidates: pass@1, as rated", EXPERT)

    assert shares == (pytest.approx(4 / 6), pytest.approx(4 / 12))


@pytest.mark.parametrize(
    ("group", "who", "in_sample", "in_pool"),
    [("Residents", RESIDENT, 4 / 6, 4 / 12), ("Experts", EXPERT, 1.0, 1.0), ("models", MODEL, 4 / 6, 4 / 12)],
)
def test_fields_right_at_once_are_of_each_group_and_of_models(
    tables: dict[str, Rows], group: str, who: str, in_sample: float, in_pool: float
) -> None:
    shares = in_sample_and_pool(tables, "plan", "line_2_1", f"Group: {group}: right in all fields at once", who)

    assert shares == (pytest.approx(in_sample), pytest.approx(in_pool))


@pytest.mark.parametrize(
    ("table", "label", "in_sample", "in_pool"),
    [
        ("line_1", "difference between groups", -2 / 6, -8 / 12),
        ("line_6", "difference of means between groups", -4 / 6, -16 / 12),
        ("line_7", "difference between groups", -2 / 6, -8 / 12),
    ],
)
def test_differences_of_groups_of_these_raters_alone_are_weighted(
    tables: dict[str, Rows], table: str, label: str, in_sample: float, in_pool: float
) -> None:
    gaps = in_sample_and_pool(tables, "plan", table, f"All items: {label}", "Residents minus Experts")

    assert gaps == (pytest.approx(in_sample), pytest.approx(in_pool))


@pytest.mark.parametrize(
    ("who", "in_sample", "in_pool"),
    [
        (RESIDENT, (4 * 0.01 + 2 * 0.36) / 6, (4 * 0.01 + 8 * 0.36) / 12),
        (EXPERT, (4 * 0.01 + 2 * 0.16) / 6, (4 * 0.01 + 8 * 0.16) / 12),
        ("All raters", (8 * 0.01 + 2 * 0.36 + 2 * 0.16) / 12, (8 * 0.01 + 8 * 0.36 + 8 * 0.16) / 24),
    ],
)
def test_brier_scores_are_weighted(tables: dict[str, Rows], who: str, in_sample: float, in_pool: float) -> None:
    scores = in_sample_and_pool(tables, "phase_read", "sure_calibration", "All items: Brier score", who)

    assert scores == (pytest.approx(in_sample), pytest.approx(in_pool))


@pytest.mark.parametrize(
    ("table", "label", "who", "share"),
    [
        ("line_1", "Group: Residents: pass@2", RESIDENT, 4 / 6),
        ("line_4", "All items: pass@2", EXPERT, 1.0),
        ("line_4", "All items: pass@2", MODEL, 1.0),
        ("line_5", "All candidates: pass@2, as rated", EXPERT, 1.0),
    ],
)
def test_as_many_first_lines_count_as_the_plan_names(
    tables: dict[str, Rows], table: str, label: str, who: str, share: float
) -> None:
    # Lists have up to three lines, and the tables of a phase count one and three of them.
    assert float(estimate_in(tables, "plan", table, label, who)["value"]) == pytest.approx(share)
