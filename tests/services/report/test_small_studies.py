"""No study is too small for a report: each type of field, hanging on another or not, with references and without."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from db import Database
from db.engine import DATABASE_FILE, make_engine
from services.people.identity import Actor
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import closed_tables, drawn_answers, imported_listed, work_through
from tests.situations import write_table
from tests.stored_answers import store_all

PROTOCOL = """
blindread: 2
name: small
title: A small study
phases:
  - key: read
    title: Reads
    rates: items
    shows: [prompt]
    form:
      organ: {type: choice, primary: yes, options: {brain: Brain, lung: Lung}}
      finding: {%s}
  - key: depending
    title: Reads in which one field hangs on the other
    rates: items
    shows: [prompt]
    form:
      organ: {type: choice, primary: yes, options: {brain: Brain, lung: Lung}}
      finding: {%s, when: {organ: brain}}
analysis: {resamples: 200}
"""
OPTIONS = "options: {a: A, b: B, c: C}"
# What a field of each type says of itself, and what counts as right in it: accepted, or from, to and radius.
FIELDS = {
    "type: yes_no": ("yes",),
    f"type: choice, {OPTIONS}": ("a",),
    f"type: several, {OPTIONS}": ("a",),
    f"type: ranked, {OPTIONS}, at_most: 2": ("a",),
    "type: ranked, at_most: 2": ("first",),
    f"type: ordinal, {OPTIONS}": ("a",),
    "type: text": ("Text 1",),
    "type: number": ("", "0", "1"),
    "type: point": ("1 2 3", "", "", "20"),
    "type: as_item": ("Text 1",),
    "type: confidence, about: organ, steps: 3": (),
}
COLUMNS = "item,field,accepted,low,high,radius"


# How many items and raters, and whether they rate.
SIZES = ((1, 1, True), (1, 2, True), (4, 3, True), (2, 2, False))


@pytest.fixture(scope="module", params=FIELDS)
def sections(
    request: pytest.FixtureRequest, migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, set[str]]:
    """The sections in which there are estimates, by study: of each size, with references and without."""
    folder = tmp_path_factory.mktemp("small")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / DATABASE_FILE))
    database, drawn = Database(engine, folder / "data"), random.Random(4)
    signed: dict[str, Actor] = {}
    of_studies = {}
    for number, (items, raters, works) in enumerate(SIZES):
        for referenced in (False, True):
            key = f"{'read' if works else 'unread'}-{number}-{int(referenced)}"
            _write_study(folder / key, request.param, items, referenced)
            situation = imported_listed(database, folder / key, raters, key=key, signed=signed)
            freezing.freeze_study(database, situation.admin, situation.study_key)
            if works:
                store_all(situation, lambda payload: drawn_answers(payload, drawn))
            of_studies[key] = {row["section"] for row in closed_tables(situation)["estimates.csv"]}
    engine.dispose()
    return of_studies


def _write_study(study: Path, field: str, items: int, referenced: bool) -> None:
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL % (field, field), encoding="utf-8")
    keys = [f"q{n}" for n in range(items)]
    write_table(study / "items.csv", "item,format,prompt", [(key, "open", f"Item {key}?") for key in keys])
    if referenced:
        right = {"organ": ("brain",), "finding": FIELDS[field]}
        cells = [(key, name, *own, *[""] * (4 - len(own))) for key in keys for name, own in right.items() if own]
        write_table(study / "references.csv", COLUMNS, cells)


@pytest.mark.parametrize("phase", ["read", "depending"])
def test_a_report_is_made_however_few_rated_however_little(sections: dict[str, set[str]], phase: str) -> None:
    assert len(sections) == 2 * len(SIZES)
    assert all(f"phase_{phase}" in of_study for key, of_study in sections.items() if key.startswith("read"))


WITH_A_PLAN = """
blindread: 2
name: planned
title: A small study with every kind of line
groups: {one: One, two: Two}
attributes:
  items: {site: text, hard: yes_no}
  candidates: {image: yes_no}
phases:
  - key: read
    title: Reads
    rates: items
    shows: [prompt]
    form:
      organ: {type: choice, primary: yes, options: {brain: Brain, lung: Lung}, positive: brain}
      grade: {type: ordinal, options: ['1', '2', '3']}
      size: number
      place: point
      names: {type: ranked, at_most: 2}
      signs: {type: several, options: {a: A, b: B}}
      words: text
      sure: {type: confidence, range: [0, 1]}
    undetermined: [organ]
  - key: score
    title: Scores
    rates: candidates
    shows: [prompt, candidate]
    form: {verdict: correctness, found: yes_no}
  - {key: compare, title: Compared, rates: pairs, shows: [prompt, candidate], form: {better: preference}}
analysis:
  resamples: 200
  tables: [site]
  primary: {estimate: accuracy, of: [read.organ, read.grade, read.size, read.place, read.words], by: site}
  also:
    - {estimate: agreement, of: [read.organ, read.grade, read.size, read.signs, score.verdict, compare.better]}
    - {estimate: distribution, of: [read.organ, read.signs], by: site}
    - {estimate: rate, of: read.organ, as: [given, settled], by: site}
    - {estimate: macro_f1, of: read.organ}
    - {estimate: auc, of: [read.organ, read.sure]}
    - {estimate: calibration, of: read.sure}
    - {estimate: mean, of: [read.grade, read.size], compare: group, by: site}
    - {estimate: accuracy, of: read.organ, compare: group}
    - {estimate: difference, of: [read.organ, read.grade, read.size], compare: hard, by: [site, rater]}
    - {estimate: pass_at, of: read.names, k: 1, compare: group}
    - {estimate: distance, of: read.place, by: site}
    - {estimate: joint_rate, of: [read.organ, read.grade]}
    - {estimate: joint_rate, of: score.found, option: yes, over: image, by: site}
    - {estimate: flag_precision, of: score.found, over: hard, by: site}
    - {estimate: rate, of: score.verdict, option: correct, where: {read.organ: brain}}
    - {estimate: correlation, of: score.verdict, with: token_f1}
    - {estimate: agreement, of: score.verdict, with: judges}
    - {estimate: uniformity, of: score.verdict, over: site, by: image}
    - {estimate: corrected, of: score.verdict, by: site, compare: model}
    - {estimate: win_rate, of: compare.better, by: site}
  criteria:
    - {key: right, estimate: accuracy, of: read.organ, above: 0.5, by: site}
    - {key: each, estimate: rate, of: read.organ, above: 0.5, by: site, each_rater: yes}
    - {key: alike, estimate: agreement, of: read.grade, statistic: quadratic_kappa, above: 0.5}
"""
# The lines, the primary one first, that need judges, or an accepted text beside the candidates: the report says so.
LACKING = {17, 18, 19, 20}
RIGHT = {"organ": ("brain",), "grade": ("2",), "size": ("", "0", "1"), "place": ("1 2 3", "", "", "20"),
         "names": ("first",), "signs": ("a",), "words": ("Text 1",)}  # fmt: skip


@pytest.mark.parametrize(
    ("items", "groups", "works"), [(2, ["one"], True), (2, ["one", "two"], False), (5, ["one", "two"], True)]
)
def test_every_kind_of_planned_line_has_a_number_or_a_reason_in_a_small_study(
    sqlite_database: Database, tmp_path: Path, items: int, groups: list[str], works: bool
) -> None:
    drawn = random.Random(2)

    def answered(payload: dict[str, Any]) -> dict[str, Any]:
        said = drawn_answers(payload, drawn)
        if "organ" in said["fields"] and payload["prompt"] == "Item q0?":
            said["fields"]["organ"] = "brain"  # In which order items come hangs on the study's secret.
        return said

    (tmp_path / "protocol.yaml").write_text(WITH_A_PLAN, encoding="utf-8")
    keys = [f"q{n}" for n in range(items)]
    cells = [(key, "open", f"Item {key}?", "ab"[n % 2], ("no" if n % 3 else "yes")) for n, key in enumerate(keys)]
    write_table(tmp_path / "items.csv", "item,format,prompt,site,hard", cells)
    lines = [(key, name, *own, *[""] * (4 - len(own))) for key in keys for name, own in RIGHT.items()]
    write_table(tmp_path / "references.csv", COLUMNS, lines)
    texts = [
        (f"{key}-{model}-{image}", key, model, f"{model} says {image} of {key}", image)
        for key in keys
        for model in ("x", "y")
        for image in ("yes", "no")
    ]
    write_table(tmp_path / "candidates.csv", "candidate,item,model,answer,image", texts)
    situation = imported_listed(sqlite_database, tmp_path, groups=groups)
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)
    if works:
        work_through(situation, answered)

    rows = [row for row in closed_tables(situation)["estimates.csv"] if row["section"] == "plan"]

    assert all(row["value"] or row["undefined_because"] for row in rows)
    if items == 5:
        computed = {int(row["table"].split("_")[1]) for row in rows if row["table"].startswith("line_")}
        assert computed == set(range(1, 22)) - LACKING
