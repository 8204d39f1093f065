"""Of how many candidates of each model a judge has no verdict, at a glance."""

from __future__ import annotations

import numpy as np

from agreement.judge.factors import Factor
from agreement.judge.material import Material, Verdicts
from agreement.judge.panels import ceiling, criteria, direction, uniformity
from agreement.judge.plan import Plan
from agreement.judge.scale import BINARY, Scale, State
from services.report.calibration.glance import at_a_glance, without_verdict


def material_of(states: list[State]) -> Material:
    codes = np.array([1.0 if state is State.VERDICT else np.nan for state in states])
    verdicts = Verdicts(codes, np.array(states, dtype=np.int8))
    models = Factor(np.arange(len(states)) % 2, ("a", "b"))
    return Material(Scale("binary", BINARY, BINARY[1:]), {}, {"judge": verdicts}, models)


def test_candidates_without_a_verdict_stand_by_model_below_their_sum() -> None:
    table = without_verdict(
        material_of([State.VERDICT, State.ERROR, State.VERDICT, State.NO_VERDICT, State.VERDICT, State.VERDICT])
    )

    assert table is not None
    assert [row[:6] for row in table.rows] == [("judge", "all models", 6, 2, 1, 1), ("judge", "b", 3, 2, 1, 1)]
    assert "applies to all models together" in table.explanation


def test_nothing_is_printed_where_nothing_is_missing() -> None:
    assert without_verdict(material_of([State.VERDICT] * 4)) is None


def test_labels_to_pass_are_said_to_be_of_the_direction_alone() -> None:
    scale, plan = Scale("binary", BINARY, BINARY[1:]), Plan(design="random", resamples=100)
    human, judge = np.r_[np.ones(98), np.zeros(24), np.ones(13), 0.0], np.r_[np.ones(98), np.zeros(24), np.zeros(13), 1]
    states = np.full(136, State.VERDICT, dtype=np.int8)
    material = Material(scale, {"reader": Verdicts(human, states)}, {"judge": Verdicts(judge, states)})
    panels = {each.KEY: each.panel(material, plan) for each in (ceiling, criteria, direction, uniformity)}

    table = at_a_glance(material, panels, plan)

    (line,) = table.rows
    labels = next(place for place, column in enumerate(table.columns) if column.key == "labels")
    assert line[labels] == "346 to notice, 462 to pass on direction alone, if it has none"
    assert table.columns[labels].meaning.endswith("agreement and the other criteria may take more")
