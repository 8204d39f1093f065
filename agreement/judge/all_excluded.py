"""What is said where humans excluded everything that they labelled: no verdict is left to hold the judge against."""

from __future__ import annotations

import numpy as np

from agreement.judge.material import Material
from agreement.judge.plan import Plan
from agreement.judge.scale import State
from agreement.judge.wording import counted


def all_excluded(material: Material, plan: Plan) -> str | None:
    """The sentence, or None if a human gave a verdict, or if the verdicts are sealed and it would tell them.

    Parameters
    ----------
    material : Material
    plan : Plan

    Returns
    -------
    str or None
    """
    labelled = material.labelled
    given = [*labelled.humans.values(), *([] if labelled.adjudicated is None else [labelled.adjudicated])]
    if not labelled.n or plan.fewest_shown > 1 or material.compared is not None:
        return None
    states = np.stack([verdicts.states for verdicts in given])
    if (states == State.VERDICT).any() or not (states == State.EXCLUDED).any(axis=0).all():
        return None
    of_all = counted(labelled.n, "candidate")
    return f"Humans excluded all {of_all} that they labelled, so that there is nothing to score or to compare."
