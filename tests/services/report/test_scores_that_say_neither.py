"""What leaves numerator and denominator of a rate: excluded, undetermined, not assessable; from the CSV alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from db import Database
from db.engine import make_engine
from protocol.fields.abstention import UNDETERMINED
from services.progress import data_lock
from services.report import build_report
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import imported_listed
from tests.services.report.recomputed import Rows, estimate_in, tables_of
from tests.situations import answers, write_table
from tests.stored_answers import store_all

PROTOCOL = """
blindread: 2
name: scored
title: Scored by four
attributes: {candidates: {image: text}}
phases:
  - key: score
    title: Scores
    undetermined: [verdict]
    not_assessable: {poor: Poor image}
    rates: candidates
    shows: [prompt, reference, candidate]
    form:
      verdict: {type: correctness, excluded: Excluded, partly: Partly correct}
      seen: yes_no
      parts: {type: several, options: {left: Left, right: Right}}
analysis:
  primary: {estimate: rate, of: score.verdict, option: incorrect}
  also:
    - {estimate: rate, of: score.verdict, option: excluded}
    - {estimate: joint_rate, of: score.seen, option: yes, over: image}
    - {estimate: rate, of: score.seen, option: yes}
    - {estimate: rate, of: score.parts, option: left}
  criteria:
    - {key: few, estimate: rate, of: score.verdict, option: incorrect, below: 0.9, least: {units: 46}}
"""
# Two answers to each question, with the image and without.
N = 24
SCORES = ("correct", "incorrect", "excluded", "partly", "correct", "undetermined", "correct", "incorrect", "none", "c")


def score(number: int, who: int) -> str:
    """Return what a rater says of a candidate: everything is said by each of them, and often by two alike."""
    return SCORES[(number + who * (number % 3 == 0)) % len(SCORES)]


@pytest.fixture(scope="module")
def tables(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Rows]]:
    folder = tmp_path_factory.mktemp("scored")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    database = Database(engine, folder / "data")
    study = folder / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    write_table(study / "items.csv", "item,category,format,prompt", [(f"q{n}", "c", "open", f"{n}?") for n in range(N)])
    references = [(f"q{n}", "left", "", "", "", "") for n in range(N)]
    write_table(study / "references.csv", "item,accepted,low,high,text_only_answer,provenance", references)
    texts = [(f"k{n}", f"q{n // 2}", "one", f"Answer {n}", ("present", "absent")[n % 2]) for n in range(2 * N)]
    write_table(study / "candidates.csv", "candidate,item,model,answer,image", texts)
    situation = imported_listed(database, study, raters=4)
    freezing.freeze_study(database, situation.admin, situation.study_key)
    times: Counter[str] = Counter()

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        about = payload["candidate"]
        times[about] += 1
        said = score(int(about.split()[1]), times[about] - 1)
        if said == "none":
            return {"fields": {}, "not_assessable": "poor", "comment": "", "flag": None}
        given: Any = dict(UNDETERMINED) if said == "undetermined" else {"c": "correct"}.get(said, said)
        return answers(verdict=given, seen=seen(said), parts=["right"] if said == "excluded" else ["left", "right"])

    store_all(situation, answer)
    data_lock.close_study(database, situation.admin, situation.study_key)
    yield tables_of(database, build_report(database, situation.admin, situation.study_key))
    engine.dispose()


def seen(said: str) -> str:
    """Return what is said of the second field beside a score; nothing of what is not assessable."""
    return "" if said == "none" else "no" if said == "incorrect" else "yes"


def verdicts(tables: dict[str, Rows]) -> dict[str, dict[str, str]]:
    """Return by rater and candidate what was said, of all verdicts: an option, or `undetermined`, or `none`."""
    said: dict[str, dict[str, str]] = {}
    for row in tables["verdicts.csv"]:
        said.setdefault(row["member"], {})[row["candidate"]] = "none"
    for row in tables["fields.csv"]:
        if row["field"] == "verdict":
            said[row["member"]][row["candidate"]] = row["value"] or "undetermined"
    return said


def shares(tables: dict[str, Rows], line: str, option: str, who: str) -> dict[str, tuple[float, int, str]]:
    """Return value, n and note of a rate and of its bounds."""
    return {
        bound: (float(row["value"]), int(row["n"]), row["note"])
        for bound in ("", ", left out counted as another", ", left out counted as this")
        for row in [estimate_in(tables, "plan", line, f"All candidates: {option}{bound}", who)]
    }


def test_a_rate_of_scores_is_of_correct_and_incorrect_with_its_bounds(tables: dict[str, Rows]) -> None:
    said = verdicts(tables)
    for who, own in (*said.items(), ("All raters", {(w, c): v for w, given in said.items() for c, v in given.items()})):
        counts = Counter(own.values())
        scored = counts["correct"] + counts["incorrect"] + counts["partly"]
        left_out = counts["excluded"] + counts["undetermined"] + counts["none"]
        assert counts["excluded"] and counts["undetermined"] and counts["none"]

        (rate, n, _), (least, of_all, note), (most, also_all, _) = shares(tables, "line_1", "Incorrect", who).values()

        assert (n, of_all, also_all) == (scored, scored + left_out, scored + left_out)
        assert math.isclose(rate, counts["incorrect"] / scored)
        assert math.isclose(least, counts["incorrect"] / of_all)
        assert math.isclose(most, (counts["incorrect"] + left_out) / of_all)
        assert note.endswith(f"{left_out} excluded or not assessable")


def test_what_was_excluded_is_a_share_of_all_verdicts_that_say_something(tables: dict[str, Rows]) -> None:
    for who, own in verdicts(tables).items():
        counts = Counter(own.values())
        answered = counts.total() - counts["undetermined"] - counts["none"]

        rate, n, _ = shares(tables, "line_2", "Excluded", who)[""]

        assert n == answered and math.isclose(rate, counts["excluded"] / answered)


@pytest.mark.parametrize(("line", "option"), [("line_4", "Yes"), ("line_5", "Left")])
def test_a_rate_of_another_field_has_bounds_by_what_was_not_assessable(
    tables: dict[str, Rows], line: str, option: str
) -> None:
    (rate, n, _), (least, of_all, note), (most, *_) = shares(tables, line, option, "Rater 1").values()
    counts = Counter(verdicts(tables)["Rater 1"].values())

    assert n + counts["none"] == of_all and note.endswith(f"{counts['none']} undetermined or not assessable")
    assert math.isclose(least, rate * n / of_all) and math.isclose(most, (rate * n + counts["none"]) / of_all)


def test_a_joint_rate_has_bounds_by_questions_that_lack_an_answer(tables: dict[str, Rows]) -> None:
    question = {row["candidate"]: row["item"] for row in tables["candidates.csv"]}
    for who, own in verdicts(tables).items():
        of_question: dict[str, list[str]] = {}
        for unit, said in own.items():
            of_question.setdefault(question[unit], []).append(seen(said))
        known = [said for said in of_question.values() if "" not in said]
        left_out = [said for said in of_question.values() if "" in said]
        claimed = known.count(["yes", "yes"])
        can_be = claimed + sum("no" not in said for said in left_out)
        label = "All candidates: Yes in every condition"

        row = estimate_in(tables, "plan", "line_3", label, who)
        least = estimate_in(tables, "plan", "line_3", f"{label}, left out counted as not", who)
        most = estimate_in(tables, "plan", "line_3", f"{label}, left out counted where it can be", who)

        assert 0 < claimed < can_be and int(row["n"]) == len(known)
        assert math.isclose(float(row["value"]), claimed / len(known))
        assert f"{len(left_out)} of {N} undetermined or not assessable in a condition (q" in row["note"]
        assert math.isclose(float(least["value"]), claimed / N) and math.isclose(float(most["value"]), can_be / N)


def test_a_consensus_in_every_condition_has_bounds_by_what_could_be_agreed_on(tables: dict[str, Rows]) -> None:
    question = {row["candidate"]: row["item"] for row in tables["candidates.csv"]}
    of_question: dict[str, list[set[str]]] = {}
    said = verdicts(tables)
    for unit, item in question.items():
        of_question.setdefault(item, []).append({seen(own[unit]) for own in said.values()})
    known = [own for own in of_question.values() if all(len(given) == 1 and given != {""} for given in own)]
    claimed = known.count([{"yes"}, {"yes"}])
    can_be = sum(all(given != {"no"} for given in own) for own in of_question.values())
    label = "All candidates: Yes in every condition"

    row = estimate_in(tables, "plan", "line_3", label, "Consensus")
    least = estimate_in(tables, "plan", "line_3", f"{label}, left out counted as not", "Consensus")
    most = estimate_in(tables, "plan", "line_3", f"{label}, left out counted where it can be", "Consensus")

    assert int(row["n"]) == len(known) and math.isclose(float(row["value"]), claimed / len(known))
    assert f"{N - len(known)} of {N} without a consensus (q0 (one), " in row["note"]
    assert f"and {N - len(known) - 5} more)" in row["note"]
    assert math.isclose(float(least["value"]), claimed / N) and math.isclose(float(most["value"]), can_be / N)


def test_a_criterion_on_a_rate_rests_on_units_that_were_scored(tables: dict[str, Rows]) -> None:
    scored = {
        unit
        for own in verdicts(tables).values()
        for unit, said in own.items()
        if said in ("correct", "incorrect", "partly")
    }
    criterion = next(row for row in tables["counts.csv"] if row["table"] == "criteria" and row["column"] == "because")

    assert len(scored) < 46
    assert criterion["value"] == f"it rests on {len(scored)} of 46 units"
