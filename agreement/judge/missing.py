"""How many candidates a judge may leave without a verdict, as fixed by a certificate for later runs."""

from __future__ import annotations

from typing import Any

from agreement.intervals import wilson_limits
from agreement.judge.factors import Factor
from agreement.judge.material import Verdicts
from agreement.judge.plan import Plan
from agreement.judge.scale import State
from agreement.judge.wording import counted

KEY = "without_verdict"
"""Key in a certificate, and the field named as broken if a run leaves out more."""

ALL = "all models"
"""The name under which sums over all models are listed: a certificate's limit is one for all models together."""

WHAT = "error, refusal, unreadable reply, excluded or none"
"""What counts as left out: a judge that skips hard candidates has fewer to get wrong, whatever it calls this."""


def left_out(verdicts: Verdicts) -> tuple[int, int]:
    """How many candidates have no verdict, and of how many.

    Parameters
    ----------
    verdicts : Verdicts

    Returns
    -------
    count, n : int
    """
    return int((verdicts.states != State.VERDICT).sum()), int(verdicts.states.size)


def by_model(verdicts: Verdicts, models: Factor | None) -> dict[str, dict[str, int]]:
    """How many candidates have no verdict, by the state they have instead: for each model, and for all together.

    A candidate that is absent from a run has no verdict.

    Parameters
    ----------
    verdicts : Verdicts
    models : Factor or None

    Returns
    -------
    dict of str to dict of str to int
        By model, `ALL` first: ``candidates``, ``without``, and the number in each state. Models with no missing verdict
        are left out.

    Examples
    --------
    >>> import numpy as np
    >>> states = np.array([0, 0, 2, 1], dtype=np.int8)
    >>> by_model(Verdicts(np.zeros(4), states), Factor(np.array([0, 0, 1, 1]), ("a", "b")))["b"]
    {'candidates': 2, 'without': 2, 'no verdict': 1, 'error': 1}
    """
    parts = [(ALL, verdicts)]
    parts += [] if models is None else [(name, verdicts.part(among)) for name, among in models.levels()]
    counted_by = {}
    for name, part in parts:
        count, n = left_out(part)
        if count or name == ALL:
            counted_by[name] = {"candidates": n, "without": count, **part.counts()}
    return counted_by


def as_certified(labelled: Verdicts, plan: Plan) -> dict[str, Any]:
    """What a certificate records about labelled candidates that the judge left out, and the most that a run may.

    The limit is the share declared in the plan, else the upper limit of the judge's own share (Wilson, treating
    candidates as independent): a run that leaves out more is not the judge that was certified.

    Parameters
    ----------
    labelled : Verdicts
        The judge's, on the labelled candidates.
    plan : Plan

    Returns
    -------
    dict
        ``count`` of ``n``, the limit ``most`` as a share, and ``declared``: whether it comes from the plan.

    Examples
    --------
    >>> import numpy as np
    >>> from agreement.judge.plan import Criteria
    >>> every = Verdicts(np.ones(136), np.zeros(136, dtype=np.int8))
    >>> as_certified(every, Plan())["most"], as_certified(every, Plan(criteria=Criteria(most_missing=0.1)))["most"]
    (0.0275, 0.1)
    """
    count, n = left_out(labelled)
    declared = plan.criteria.most_missing
    most = most_of(count, n, plan.confidence) if declared is None else declared
    return {"count": count, "n": n, "most": most, "declared": declared is not None}


def most_of(count: int, n: int, confidence: float) -> float:
    """The upper limit of the share left out (Wilson), to four decimal places.

    Parameters
    ----------
    count, n : int
    confidence : float

    Returns
    -------
    float
        A share; 0 if n is 0.
    """
    return round(wilson_limits(count, n, confidence)[1], 4) if n else 0.0


def too_many(run: Verdicts, certified: dict[str, Any], unit: str = "candidate") -> str | None:
    """Why a run leaves out too much; None if it does not.

    Parameters
    ----------
    run : Verdicts
    certified : dict
        As returned by `as_certified`.
    unit : str
        What is counted.

    Returns
    -------
    str or None
        The rest of a sentence.
    """
    count, n = left_out(run)
    if not n or count / n <= certified["most"]:
        return None
    return (
        f"{count:,} of {counted(n, unit)} ({100 * count / n:.2g} %) have no verdict ({WHAT}), and the "
        f"certificate allows {in_words(certified)}"
    )


def most_in_one(run: Verdicts, models: Factor | None, unit: str = "candidate") -> str:
    """The sentence on how many of a run have no verdict, and in which model most often: the limit is for all models.

    Parameters
    ----------
    run : Verdicts
    models : Factor or None
    unit : str
        What is counted.

    Returns
    -------
    str
        A sentence that starts with a space; empty if all have a verdict, or the models are unknown.
    """
    count, n = left_out(run)
    if not count or models is None:
        return ""
    parts = [(name, *left_out(run.part(among))) for name, among in models.levels()]
    name, many, of = max(parts, key=lambda part: part[1] / part[2] if part[2] else 0.0)
    return (
        f" Without a verdict are {count:,} of {counted(n, unit)}, most often of {name}: {many:,} of {of:,} "
        f"({100 * many / of:.2g} %); the limit is one for all models."
    )


def in_words(certified: dict[str, Any]) -> str:
    """The most that may be left out, and where that limit comes from.

    Parameters
    ----------
    certified : dict
        As returned by `as_certified`.

    Returns
    -------
    str

    Examples
    --------
    >>> in_words({"count": 0, "n": 136, "most": 0.0275, "declared": False})
    '2.75 %, the upper limit of the 0 of 136 that were left out when it was made'
    """
    most = f"{100 * certified['most']:g} %"
    if certified["declared"]:
        return f"{most}, as declared"
    of = f"{certified['count']:,} of {certified['n']:,}"
    return f"{most}, the upper limit of the {of} that were left out when it was made"


def is_one(value: Any) -> bool:
    """Whether an entry read from a certificate has the structure that `as_certified` returns.

    Parameters
    ----------
    value : object

    Returns
    -------
    bool
    """
    if not isinstance(value, dict) or set(value) != {"count", "n", "most", "declared"}:
        return False
    counts = [value["count"], value["n"]]
    most = value["most"]
    return (
        all(isinstance(number, int) and not isinstance(number, bool) and number >= 0 for number in counts)
        and isinstance(most, int | float)
        and not isinstance(most, bool)
        and 0.0 <= most <= 1.0
        and isinstance(value["declared"], bool)
    )
