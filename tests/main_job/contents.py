"""What the demo study consists of, read from its own files: items, candidates and the judge's verdicts."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import yaml

from studies.demo.cases import CASES

T = TypeVar("T")
FOLDER = Path(__file__).resolve().parents[2] / "studies" / "demo"
JUDGE_FILE = FOLDER / "judge_verdicts.csv"


@dataclass(frozen=True)
class Item:
    """One item with what counts as right."""

    key: str
    case: str
    subject: str
    category: str
    format: str
    grounding: str
    sequences: tuple[str, ...]
    uses_prior: bool
    prompt: str
    vignette: str
    options: Mapping[str, str]
    accepted: tuple[str, ...]
    text_only_answer: str

    @property
    def is_closed(self) -> bool:
        return self.format != "open"

    @property
    def texts(self) -> Mapping[str, str]:
        """What the screen shows for each answer, in the order of the screen; empty for open text."""
        return self.options or ({"yes": "Yes", "no": "No"} if self.format == "yes_no" else {})


@dataclass(frozen=True)
class Candidate:
    """A model's answer, and whether the judge called it correct (None: the judge gave an error)."""

    key: str
    item: str
    model: str
    answer: str
    judged_correct: bool | None


def rows_of(file: Path) -> list[dict[str, str]]:
    """Return the lines of a CSV file by column."""
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _items() -> dict[str, Item]:
    cases = {case.key: case for case in CASES}
    references = {row["item"]: row for row in rows_of(FOLDER / "references.csv")}
    items = {}
    for row in rows_of(FOLDER / "items.csv"):
        reference = references[row["item"]]
        assert not reference["low"] and not reference["high"], "a numeric range: independent.py does not score it"
        items[row["item"]] = Item(
            key=row["item"],
            case=row["case"],
            subject=cases[row["case"]].subject,
            category=row["category"],
            format=row["format"],
            grounding=row["grounding"],
            sequences=tuple(row["sequences"].split("|")),
            uses_prior=row["uses_prior"] == "true",
            prompt=row["prompt"],
            vignette=cases[row["case"]].vignette,
            options=pairs(row["options"]),
            accepted=tuple(reference["accepted"].split("|")),
            text_only_answer=reference["text_only_answer"],
        )
    return items


def _candidates() -> dict[str, Candidate]:
    said = {row["candidate"]: row["verdict"] for row in rows_of(JUDGE_FILE)}
    meaning = {"correct": True, "incorrect": False, "": None}
    return {
        row["candidate"]: Candidate(
            row["candidate"], row["item"], row["model"], row["answer"], meaning[said[row["candidate"]]]
        )
        for row in rows_of(FOLDER / "candidates.csv")
    }


def pairs(text: str) -> dict[str, str]:
    """Return `id=Text|id=Text` as a mapping."""
    return dict(option.split("=", 1) for option in text.split("|")) if text else {}


def _by_id(choices: list[dict[str, str]]) -> dict[str, str]:
    return {choice["id"]: choice["text"] for choice in choices}


ITEMS = _items()
CANDIDATES = _candidates()
PROTOCOL = yaml.safe_load((FOLDER / "protocol.yaml").read_text(encoding="utf-8"))
REASONS = _by_id(PROTOCOL["reading"]["not_assessable"])
FLAGS = _by_id(PROTOCOL["reading"]["flags"])
CONFIDENCE = _by_id(PROTOCOL["forms"]["yes_no"]["fields"][1]["options"])


def item_on_screen(prompt: str, vignette: str) -> Item:
    """Return the one item that shows this."""
    return _only(item for item in ITEMS.values() if (item.prompt, item.vignette) == (prompt, vignette))


def candidate_on_screen(prompt: str, answer: str) -> Candidate:
    """Return the one candidate that shows this."""
    return _only(
        candidate
        for candidate in CANDIDATES.values()
        if (ITEMS[candidate.item].prompt, candidate.answer) == (prompt, answer)
    )


def _only(values: Iterable[T]) -> T:
    (value,) = values
    return value
