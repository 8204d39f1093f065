"""Filled studies of `new-study --like`, read to the end through the services: what is exported is what was answered."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

from db import Database
from services.reading import instructions, worklist
from services.studies.freeze import freezing
from studies.examples import build
from tests.listed_study import closed_tables, drawn_answers, imported_listed
from tests.situations import Situation, on_the_desk, show, submit


def opened(database: Database, folder: Path, shape: str, raters: int, size: str = "") -> Situation:
    """Import a filled study as it is, but for the size of what is drawn, and freeze it."""
    build(shape, folder)
    if size:
        protocol = (folder / "protocol.yaml").read_text("utf-8")
        assert protocol.count("size: 100") == 1
        (folder / "protocol.yaml").write_text(protocol.replace("size: 100", size), encoding="utf-8")
    situation = imported_listed(database, folder, raters)
    freezing.freeze_study(database, situation.admin, situation.study_key)
    return situation


def read_to_the_end(situation: Situation, **decided: Any) -> tuple[list[tuple[str, dict[str, Any]]], dict[str, Any]]:
    """Let all raters answer until nothing is left, and close the study.

    Returns
    -------
    list, dict
        Heading and fields of each answer, and the tables of the report.
    """
    database, key, rng = situation.database, situation.study_key, random.Random(3)
    given: list[tuple[str, dict[str, Any]]] = []
    before = -1
    while len(given) > before:
        before = len(given)
        for rater in situation.raters:
            for part in (desk.queue.key for desk in worklist.desks_of(database, rater) if not desk.waits_for):
                instructions.acknowledge_instructions(database, rater, key, part)
                while (payload := on_the_desk(situation, rater, part))["kind"] == "item":
                    answered = drawn_answers(payload, rng)
                    chosen = {field: say(rng) for field, say in decided.items() if field in answered["fields"]}
                    answered["fields"] |= chosen
                    show(situation, rater, payload)
                    submit(situation, rater, payload, answered)
                    given.append((payload["heading"], answered["fields"]))
    return given, closed_tables(situation)


def counted(given: list[tuple[str, dict[str, Any]]], tables: dict[str, Any], headings: dict[str, str]) -> None:
    """Hold verdicts and fields that are exported against what was answered."""
    verdicts = Counter(row["phase"] for row in tables["verdicts.csv"])
    assert verdicts == Counter(headings[heading] for heading, _ in given)
    filled = Counter((headings[heading], key) for heading, fields in given for key in fields)
    assert Counter((row["phase"], row["field"]) for row in tables["fields.csv"]) == filled


def test_claims_verdicts_and_contradictions_of_neuroqa_are_labelled(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened(sqlite_database, tmp_path / "study", "neuroqa_grounding_labels", 2, "size: 4")

    given, tables = read_to_the_end(situation, claim=lambda rng: "yes" if rng.random() < 0.9 else "no")

    headings = {"Claims to have seen": "claim", "Correctness without the scan": "verdict"}
    headings["Contradictions to the scan"] = "contradiction"
    counted(given, tables, headings)
    drawn: dict[str, set[str]] = {}
    for row in tables["sample.csv"]:
        drawn.setdefault(row["phase"], set()).add(row["candidate"])
    conditions = {row["candidate"]: row["condition"] for row in tables["candidates.csv"]}
    assert drawn["verdict"] == {key for key in drawn["claim"] if conditions[key] == "none"}
    said = Counter(row["candidate"] for row in tables["fields.csv"] if (row["field"], row["value"]) == ("claim", "yes"))
    both = {key for key, times in said.items() if times == 2 and conditions[key] == "stack"}
    assert drawn["contradiction"] == both != set()


def test_cases_that_a_majority_keeps_get_a_reference_of_one_person(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened(sqlite_database, tmp_path / "study", "neural_medbench_curation", 3)

    given, tables = read_to_the_end(situation)

    counted(given, tables, {"Selection of cases": "curate", "Writing of the reference": "write"})
    majority = Counter(row["item"] for row in tables["fields.csv"] if (row["field"], row["value"]) == ("retain", "yes"))
    written = [row["item"] for row in tables["verdicts.csv"] if row["phase"] == "write"]
    assert sorted(written) == sorted(item for item, times in majority.items() if times >= 2) != []
