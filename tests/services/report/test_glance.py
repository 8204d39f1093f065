"""Of how many candidates of each model a judge has no verdict, at a glance."""

from __future__ import annotations

import numpy as np

from agreement.judge.factors import Factor
from agreement.judge.material import Material, Verdicts
from agreement.judge.scale import BINARY, Scale, State
from services.report.calibration.glance import without_verdict


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
