"""The panels of a calibration, in one table: each is a pure function from the material and the plan to typed rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agreement.judge.material import Material
from agreement.judge.panels import (
    ceiling,
    corrected,
    criteria,
    direction,
    repeatability,
    replacement,
    thresholds,
    uniformity,
)
from agreement.judge.plan import Plan
from agreement.judge.rows import Panel

HOW_TO = "docs/how-to/calibrate-a-judge.md"
"""The document that explains the panels, from the program's folder."""


@dataclass(frozen=True)
class PanelKind:
    """A panel's entry in the table.

    Attributes
    ----------
    number : int
        The number by which people refer to it.
    title : str
    question : str
        The question that the panel answers.
    compute : callable
        Computes the panel from the material and the plan.
    anchor : str
        Heading in `HOW_TO`.
    """

    number: int
    title: str
    question: str
    compute: Callable[[Material, Plan], Panel]
    anchor: str


PANELS: dict[str, PanelKind] = {
    ceiling.KEY: PanelKind(
        1, "Against the ceiling", "Does the judge agree with humans as they agree with each other?",
        ceiling.panel, "1-against-the-ceiling",
    ),
    direction.KEY: PanelKind(
        2, "Direction", "Is it stricter or more lenient?", direction.panel, "2-direction",
    ),
    uniformity.KEY: PanelKind(
        3, "Uniformity", "Does it err alike on every model, category and tier?", uniformity.panel, "3-uniformity",
    ),
    replacement.KEY: PanelKind(
        4, "In the place of a human", "May it replace one of the humans?",
        replacement.panel, "4-in-the-place-of-a-human",
    ),
    corrected.KEY: PanelKind(
        5, "What is true", "What is behind the judge's scores?", corrected.panel, "5-what-is-true",
    ),
    thresholds.KEY: PanelKind(
        6, "Thresholds", "Do its probabilities hold, and from which on is it sure enough?",
        thresholds.panel, "6-thresholds",
    ),
    repeatability.KEY: PanelKind(
        7, "Repeatability", "Would it say the same again?", repeatability.panel, "7-repeatability",
    ),
    criteria.KEY: PanelKind(
        8, "Certificate", "Does it clear all criteria?", criteria.panel, "8-certificate",
    ),
}  # fmt: skip
"""By key, in display order."""


def calibrate(material: Material, plan: Plan) -> dict[str, Panel]:
    """Compute all panels.

    Parameters
    ----------
    material : Material
    plan : Plan

    Returns
    -------
    dict of str to Panel

    Raises
    ------
    ValueError
        When a margin of the plan does not fit the scale.
    """
    plan.require_fits(material.scale)
    return {key: kind.compute(material, plan) for key, kind in PANELS.items()}
