"""A judge's confidences in a study: as probabilities of the positive verdict in panel 6, and behind the seal."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agreement.judge.panels import calibrate, reliability, thresholds
from agreement.judge.rows import Panel
from agreement.judge.scale import BINARY, Scale
from db import Database, JudgeRun
from db.engine import make_engine
from exchange.foreign.layout import Asked
from services.errors import Conflict
from services.judging import import_runs, sealed_split, sources
from services.progress import data_lock
from services.report import calibration
from services.report.calibration import looks
from services.report.calibration.grades import _why_not, confidence_of
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import imported_listed
from tests.sealed_study import with_many_items
from tests.situations import Situation, answers
from tests.stored_answers import store_all

N = 240
KEY = "graded"
rng = random.Random(4)
# How probable it is that an answer is right, what people say of it, and how sure the judge is of its verdict.
CHANCES = [rng.random() for _ in range(N)]
RIGHT = [rng.random() < chance for chance in CHANCES]
SURE = [round(0.5 + abs(chance - 0.5), 3) for chance in CHANCES]


def says(number: int) -> str:
    return "correct" if CHANCES[number] > 0.5 else "incorrect"


def bring_in(situation: Situation, name: str, content: str, asked: Asked | None = None) -> None:
    import_runs.import_judge_verdicts(
        situation.database, situation.admin, KEY, name=name, judge=name, content=content.encode(),
        file_name=f"{name}.csv", asked=asked or sources.asked_of(),
    )  # fmt: skip


def study(migrated: Path, folder: Path, *, divided: bool) -> Situation:
    database = Database(make_engine(copy_of_sqlite_file(migrated, folder / "data" / "b.db")), folder / "data")
    opened = imported_listed(database, with_many_items(folder / "study", items=N), raters=1, key=KEY)
    freezing.freeze_study(database, opened.admin, KEY)
    if divided:
        sealed_split.make_split(database, opened.admin, KEY, 0.5)
    own = [f"i{n},k{n},{says(n)},{'' if n == 0 else SURE[n]}" for n in range(N)]
    bring_in(opened, "Own", "\n".join(["item,candidate,verdict,confidence", *own]))

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        return answers(verdict="correct" if RIGHT[int(payload["candidate"].split()[1])] else "incorrect", note=None)

    store_all(opened, answer)
    return opened


@pytest.fixture(scope="module")
def closed(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Situation]:
    opened = study(migrated_sqlite, tmp_path_factory.mktemp("graded"), divided=False)
    lines = [f"i{n},k{n},{says(n)},{CHANCES[n]:.3f}" for n in range(N)]
    content = "\n".join(["item,candidate,said,sure", *lines])
    columns = ["item=item", "candidate=candidate", "verdict=said", "confidence=sure"]
    bring_in(opened, "Mapped", content, sources.asked_of(columns=columns))
    bring_in(opened, "Declared", content, sources.asked_of(columns=columns, confidence_of="positive"))
    bring_in(opened, "Bare", "\n".join(["item,candidate,verdict", *(f"i{n},k{n},{says(n)}" for n in range(N))]))
    data_lock.close_study(opened.database, opened.admin, KEY)
    yield opened
    opened.database.engine.dispose()


@pytest.fixture(scope="module")
def divided(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Situation]:
    opened = study(migrated_sqlite, tmp_path_factory.mktemp("divided"), divided=True)
    data_lock.close_study(opened.database, opened.admin, KEY)
    yield opened
    opened.database.engine.dispose()


def computed(situation: Situation, *runs: str) -> calibration.Calibration:
    return calibration.calibration_of(situation.database, situation.admin, KEY, runs=runs)


def values(panel: Panel) -> dict[str, Any]:
    return {row.statistic: row.estimate for row in panel.rows}


def test_the_probability_is_the_confidence_or_one_less_it_where_the_verdict_is_incorrect(closed: Situation) -> None:
    material = computed(closed, "Own").material

    by_hand = [math.nan] + [SURE[n] if CHANCES[n] > 0.5 else 1 - SURE[n] for n in range(1, N)]
    assert np.allclose(material.grades["Own"], by_hand, equal_nan=True)


def test_thresholds_of_a_study_are_those_of_the_same_numbers_from_a_file(closed: Situation) -> None:
    shown = computed(closed, "Own")
    panel = shown.panels["thresholds"]

    from_file = thresholds.panel(replace(shown.material, grades_say={}), shown.plan)
    assert values(panel) == values(from_file)
    assert values(panel)[f"{thresholds.BRIER}, {reliability.AS_GIVEN}"].n > 100
    assert panel.sentences[-1] == (
        "The probability of correct is the confidence of Own where it says correct, and one minus it where it says "
        "incorrect: its confidences are of the verdict given."
    )
    assert "one minus it where it says incorrect" in calibration.in_words(shown)
    assert {figure.key for figure in calibration.figures_of(panel, shown.material.scale)} == {
        "panel-thresholds",
        "panel-thresholds-reliability",
        "panel-thresholds-curve",
    }


def test_a_confidence_of_which_nobody_said_what_it_is_of_is_not_guessed_at(closed: Situation) -> None:
    panel = computed(closed, "Mapped").panels["thresholds"]

    assert panel.rows == ()
    assert (
        "nothing says whether the confidences of run 'Mapped' are of the verdict given or of correct"
        in (panel.refused[0])
    )
    assert "What its confidences are of" in panel.refused[0]
    # Beside the first import it would look like a second run of the prompt that repeats every verdict.
    assert "choose that run in place of this one" in panel.refused[0]


def test_a_confidence_that_is_declared_of_the_positive_verdict_is_its_probability(closed: Situation) -> None:
    shown = computed(closed, "Declared")

    assert np.allclose(shown.material.grades["Declared"], np.round(CHANCES, 3))
    assert "that correct is right, as its import says" in shown.panels["thresholds"].sentence


def test_a_run_without_confidences_has_no_thresholds_and_says_what_is_lacking(closed: Situation) -> None:
    panel = computed(closed, "Bare").panels["thresholds"]

    assert panel.refused == (
        "No run has confidences: they are imported beside the verdicts, in the column confidence.",
    )


def test_confidences_change_no_other_panel_and_no_hash_of_what_was_looked_at(closed: Situation) -> None:
    shown = computed(closed, "Own")
    without = replace(shown.material, grades={}, grades_say={})

    assert looks.fingerprint(without, "Own") == looks.fingerprint(shown.material, "Own")
    plain, own = calibrate(without, shown.plan), calibrate(shown.material, shown.plan)
    assert [key for key in plain if str(plain[key]) != str(own[key])] == ["thresholds"]


def test_a_curve_is_fitted_on_development_and_shown_on_test_after_the_act_alone(divided: Situation) -> None:
    sealed = computed(divided)
    on_development = sealed.panels["thresholds"]
    assert {row.basis.rpartition(", ")[2] for row in on_development.rows} == {"development subjects"}
    n = sealed.material.n
    assert values(on_development)[f"{thresholds.BRIER}, {reliability.AS_GIVEN}"].n < n

    sealed_split.open_test(divided.database, divided.admin, KEY, "Own", "The prompt is final.")
    opened = computed(divided)
    panel = opened.panels["thresholds"]

    of_test = opened.of_judges["Own"].material
    assert of_test.n + opened.material.n == N
    known = int((~np.isnan(of_test.grades["Own"])).sum())
    assert values(panel)[f"{thresholds.BRIER}, {reliability.AS_GIVEN}"].n == known
    marked = {row.stratum: row.basis.rpartition(", ")[2] for row in panel.rows}
    assert marked == {thresholds.ON_TEST: "test subjects", thresholds.IN_DEVELOPMENT: "development subjects"}
    # Beside it nothing is said of development subjects, on whom no judge is left.
    assert panel.sentences[0] == "On test subjects:" and panel.sentence.count("On test subjects") == 1
    assert panel.refused == (f"Own: {thresholds.NO_CURVE}",)
    grades = opened.material.grades["Own"]
    (right,) = opened.material.humans.values()
    used = ~np.isnan(grades)
    by_hand = thresholds.least_threshold(grades[used], right.codes[used], opened.plan.specificity)
    assert values(panel)[thresholds.THRESHOLD].value == by_hand


@pytest.mark.parametrize("of", ["verdict", "positive"])
def test_on_few_sealed_answers_nothing_of_them_is_given(closed: Situation, of: str) -> None:
    shown = computed(closed, "Own")
    first, few = shown.material.part(np.arange(100, N)), shown.material.part(np.arange(1, 5 if of == "verdict" else 9))
    panel = thresholds.panel_of_parts(first, few, replace(shown.plan, fewest_shown=5))

    if of == "verdict":
        assert panel.rows == () and "withheld" in panel.refused[0]
    else:
        why = [values(panel)[name].undefined_because or "" for name in (thresholds.SPECIFICITY, thresholds.SENSITIVITY)]
        assert any("withheld" in reason for reason in why)


@pytest.mark.parametrize(
    ("parameters", "of"),
    [
        ({"file": "a.csv"}, "verdict"),
        ({"layout": "neurovlm-bench"}, "verdict"),
        ({"layout": "array"}, "verdict"),
        ({"layout": "mapped", "columns": {"confidence": "p"}}, ""),
        ({"layout": "neurovlm-bench", "columns": {"confidence": "p"}}, ""),
        ({"layout": "mapped", "columns": {"confidence": "p"}, "confidence_of": "positive"}, "positive"),
    ],
)
def test_what_confidences_are_of_is_what_the_import_or_the_format_says(parameters: dict[str, Any], of: str) -> None:
    assert confidence_of(JudgeRun(study_id=1, name="r", judge="j", source_sha256="0" * 64, parameters=parameters)) == of


def test_of_three_verdicts_a_confidence_of_the_one_given_says_nothing_of_the_positive_one() -> None:
    three = Scale("ordinal", ("incorrect", "partial", "correct"), ("correct",))

    assert "one of 3" in _why_not("verdict", three, "r")
    assert _why_not("positive", three, "r") == ""
    assert "no positive verdict" in _why_not("verdict", Scale("nominal", BINARY), "r")


def test_a_slip_in_what_confidences_are_of_is_refused() -> None:
    with pytest.raises(Conflict, match="'verdicts', expected verdict or positive"):
        sources.asked_of(confidence_of="verdicts")
