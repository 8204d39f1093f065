"""A study with one field of every type that is drawn in a way of its own, read by scripted raters, and its report."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from sqlalchemy import text

from db import Database
from services.progress import data_lock
from services.report import Report, build_report
from services.studies.freeze import freezing
from tests.listed_study import imported_listed, work_through
from tests.situations import answers, write_table

PROTOCOL = """
blindread: 2
name: gallery
title: One figure of each kind
phases:
  - key: read
    title: Reads
    rates: items
    shows: [prompt]
    form:
      diagnosis: {type: choice, label: Diagnosis, options: {g: Glioma, m: Metastasis, a: Abscess, n: Normal}}
      sure: {type: confidence, label: Confidence, range: [0, 1]}
      size: {type: number, label: Diameter, unit: mm, range: [0, 100]}
      differential: {type: ranked, label: Differential, at_most: 5}
      place: {type: point, label: Place}
  - key: rate
    title: Ratings
    rates: candidates
    from: {sample: {size: 30}}
    shows: [prompt, candidate]
    form:
      quality: {type: ordinal, label: Quality, options: {'1': Poor, '2': Fair, '3': Good, '4': Very good, '5': Perfect}}
      error: {type: choice, label: Error, options: {none: None, miss: Missed finding, invent: Invented finding,
              side: Wrong side, size: Wrong size, logic: Faulty reasoning}}
  - key: prefer
    title: Preferences
    rates: pairs
    from: {sample: {size: 30}}
    shows: [prompt, candidate]
    form: {better: {type: preference, label: Better}}
analysis:
  primary: {estimate: accuracy, of: read.diagnosis}
  resamples: 400
"""
ITEMS, MODELS, OPTIONS = 24, ("A", "B", "C"), ("g", "m", "a", "n")
# How good each model is, from 0 to 1, and each rater.
SKILL = {"A": 0.8, "B": 0.55, "C": 0.35}
RATERS = (0.9, 0.65, 0.75)
# Every draw follows from a study's secret, which is another one for each import: here it is a given one.
_SECRET = "ab" * 32
_WORDS = ("glioma", "lymphoma", "abscess", "infarct", "gliosis", "meningioma")
_ERRORS = ("miss", "invent", "side", "size", "logic")


def gallery_report(database: Database, folder: Path) -> Report:
    """Answer the study to its end and return its report; the same on each machine."""
    folder.mkdir(parents=True)
    (folder / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    items = [(f"q{n}", "open", f"Item {n}?") for n in range(ITEMS)]
    write_table(folder / "items.csv", "item,format,prompt", items)
    write_table(
        folder / "references.csv", "item,field,accepted,low,high,radius,text_only_answer,provenance",
        [
            row
            for n in range(ITEMS)
            for row in (
                (f"q{n}", "diagnosis", OPTIONS[n % 4], "", "", "", OPTIONS[n // 2 % 4], ""),
                (f"q{n}", "differential", _WORDS[n % 6], "", "", "", "", ""),
                (f"q{n}", "place", f"{n} 0 0", "", "", 6, "", ""),
            )
        ],
    )  # fmt: skip
    texts = [(f"{model[-1]}{n}", f"q{n}", model, f"{model} on {n}") for n in range(ITEMS) for model in MODELS]
    write_table(folder / "candidates.csv", "candidate,item,model,answer", texts)
    situation = imported_listed(database, folder, raters=len(RATERS))
    with database.engine.begin() as connection:
        connection.execute(text("UPDATE study SET salt = :secret").bindparams(secret=_SECRET))
    freezing.freeze_study(database, situation.admin, situation.study_key)
    times: dict[str, int] = {}

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        unit = f"{payload['prompt']}{payload.get('candidate')}{sorted(payload.get('sides') or [])}"
        times[unit] = rater = times.get(unit, -1) + 1
        asked = {field["key"] for field in payload["form"]["fields"]}
        own = random.Random(f"{unit}{rater}")
        if "diagnosis" in asked:
            return answers(**_read(int(payload["prompt"].split()[1][:-1]), RATERS[rater], own))
        if "quality" in asked:
            model = payload["candidate"].split(" on ")[0]
            fine = own.random() < SKILL[model]
            return answers(quality=str(_grade(model, own)), error="none" if fine else own.choice(_ERRORS))
        first, second = (SKILL[text.split(" on ")[0]] + own.gauss(0, 0.4) for text in payload["sides"])
        return answers(better="tie" if abs(first - second) < 0.1 else "a" if first > second else "b")

    work_through(situation, answer)
    data_lock.close_study(database, situation.admin, situation.study_key)
    return build_report(database, situation.admin, situation.study_key)


def _grade(model: str, drawn: random.Random) -> int:
    return min(5, max(1, round(1 + 4 * SKILL[model] + drawn.gauss(0, 0.9))))


def _read(number: int, skill: float, drawn: random.Random) -> dict[str, Any]:
    sure = drawn.uniform(0.3, 1.0)
    right = drawn.random() < skill * (0.4 + 0.6 * sure)
    lines = drawn.sample(_WORDS, 5)
    if right and _WORDS[number % 6] in lines:
        lines.remove(_WORDS[number % 6])
        lines.insert(0, _WORDS[number % 6])
    return {
        "diagnosis": OPTIONS[number % 4] if right else drawn.choice(OPTIONS),
        "sure": round(sure, 2),
        "size": round(12 + number * 0.7 + drawn.gauss(6 * (1 - skill), 2.5), 1),
        "differential": lines[:5],
        "place": [float(number), round(drawn.expovariate(skill / 6), 1), round(drawn.expovariate(skill / 6), 1)],
    }
