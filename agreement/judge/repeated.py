"""What a new run of a judge changed on the candidates that its certificate names: in a direction, and in all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from agreement.coding import Floats
from agreement.comparisons import mcnemar_p
from agreement.intervals import wilson_limits
from agreement.judge.factors import Chosen
from agreement.judge.panels import repeatability
from agreement.judge.scale import Scale
from agreement.judge.wording import counted, listed, p_in_words
from agreement.measurements import bland_altman
from agreement.multiplicity import adjust_p_values
from agreement.quantiles import t_tail

SHIFT, SCATTER = "shift", "changed"
"""The fields named as broken by a change in a direction, and by too many changes."""
PARTS = "parts"
"""Where the figures of the shift in each model and stratum are."""

_NAMED = 6
_WITHOUT_MARGIN = "however small the change"


@dataclass(frozen=True)
class Tested:
    """The outcome of a test.

    Attributes
    ----------
    failed : bool
        Whether the run is outside.
    words : str
        The test and its counts.
    figures : dict
        The same for programs, ready for JSON.
    p : float
        Of the test; 1 if it has none.
    """

    failed: bool
    words: str
    figures: dict[str, Any]
    p: float = 1.0


def shift(first: Floats, second: Floats, scale: Scale, confidence: float) -> Tested:
    """Whether verdicts have shifted in a direction, by a test without a margin.

    Parameters
    ----------
    first, second : ndarray of float, shape (n,)
        Codes of the certified run's verdicts and of the new run's on the same candidates.
    scale : Scale
    confidence : float
        Of the certificate.

    Returns
    -------
    Tested

    Examples
    --------
    A judge of pairs that says "tie" in 8 of 100 cases where it preferred an answer before:

    >>> before = np.repeat([0.0, 1.0], 50)
    >>> now = np.where(np.arange(100) < 8, 2.0, before)
    >>> shift(before, now, Scale("nominal", ("a", "b", "tie")), 0.95).failed
    True
    """
    if not scale.scored:
        return _of_categories(first, second, scale, confidence)
    first, second = scale.scores(first), scale.scores(second)
    if scale.shares:
        return _of_shares(first, second, confidence)
    return _of_scores(first, second, confidence)


def _of_scores(first: Floats, second: Floats, confidence: float) -> Tested:
    bias = bland_altman(second, first, confidence=confidence).bias
    always = np.isnan(bias.low) and bias.value != 0.0
    words = f"the mean changed by {bias.value:.3g}"
    if not np.isnan(bias.low):
        rule = f"a shift is an interval at {100 * confidence:.4g} % without 0, {_WITHOUT_MARGIN}"
        words += f" [{bias.low:.3g}, {bias.high:.3g}] ({rule})"
    figures = {"mean": bias.value, "low": _or_none(bias.low), "high": _or_none(bias.high)}
    # if all changed by the same amount, there is no standard error, and the sign test remains
    p = 0.5 ** (first.size - 1) if always else 1.0
    if bias.se:
        p = 2.0 * t_tail(abs(bias.value) / bias.se, first.size - 1)
    return Tested(bool(always or bias.low > 0.0 or bias.high < 0.0), words, figures, p)


def in_parts(
    first: Floats, second: Floats, parts: Mapping[str, Chosen], scale: Scale, confidence: float
) -> tuple[str | None, dict[str, Any]]:
    """Whether verdicts have shifted on one model or in one stratum, where shifts of others may cancel them out.

    Parameters
    ----------
    first, second, scale, confidence
        As in `shift`.
    parts : mapping of str to ndarray of bool, shape (n,)
        Whether a candidate is of a part, such as ``model A``.

    Returns
    -------
    str or None
        The part with the smallest P and what changed there, if Holm's P over all parts shows a shift.
    dict
        The figures of each part, with P on its own and Holm's, ready for JSON.

    Examples
    --------
    A becomes right ten times and B wrong ten times:

    >>> before, now = np.repeat([0.0, 1.0], 50), np.repeat([1.0, 0.0, 1.0, 0.0], [10, 40, 40, 10])
    >>> parts = {"model A": np.arange(100) < 50, "model B": np.arange(100) >= 50}
    >>> broken, _ = in_parts(before, now, parts, Scale("binary", ("no", "yes"), ("yes",)), 0.95)
    >>> broken.split(",")[0]
    'of 50 of model A'
    """
    tests = {name: shift(first[among], second[among], scale, confidence) for name, among in parts.items()}
    if not tests:
        return None, {}
    adjusted = adjust_p_values([test.p for test in tests.values()], "holm").tolist()
    figures = {
        name: {"repeated": int(parts[name].sum()), **test.figures, "p": test.p, "p_holm": p}
        for (name, test), p in zip(tests.items(), adjusted, strict=True)
    }
    p, name = min(zip(adjusted, tests, strict=True), key=lambda pair: pair[0])
    if p > 1.0 - confidence:
        return None, figures
    also = [other for other, own in zip(tests, adjusted, strict=True) if own <= 1.0 - confidence and other != name]
    words = f"of {int(parts[name].sum()):,} of {name}, {tests[name].words}; by Holm over {counted(len(tests), 'part')} "
    words += p_in_words(p) + (f"; also {listed(also, _NAMED)}" if also else "")
    return words, figures


def _of_shares(first: Floats, second: Floats, confidence: float) -> Tested:
    stricter, more_lenient = int((first > second).sum()), int((first < second).sum())
    p, _ = mcnemar_p(stricter, more_lenient, "exact")
    words = (
        f"{stricter} became incorrect and {more_lenient} correct (exact McNemar {p_in_words(p)}; {_rule(confidence)})"
    )
    figures = {"became_incorrect": stricter, "became_correct": more_lenient, "p": p}
    return Tested(p <= 1.0 - confidence, words, figures, p)


def _rule(confidence: float) -> str:
    level = f"{1.0 - confidence:.2g}".lstrip("0")
    return f"a shift is P of at most {level}, {_WITHOUT_MARGIN}"


def _of_categories(first: Floats, second: Floats, scale: Scale, confidence: float) -> Tested:
    """Marginal homogeneity: each category against all others, exactly, as few verdicts change, with Holm's P.

    Of two categories one gains what the other loses: that is a single test.
    """
    moved = {
        level: (int(((second == code) & (first != code)).sum()), int(((first == code) & (second != code)).sum()))
        for code, level in enumerate(scale.levels)
    }
    moved = {level: both for level, both in moved.items() if any(both)}
    if not moved:
        return Tested(False, "no category became more or less frequent", {"categories": {}, "p": 1.0})
    exact = [mcnemar_p(*both, "exact")[0] for both in moved.values()]
    adjusted = exact if len(moved) == 2 else adjust_p_values(exact, "holm").tolist()
    p = min(adjusted)
    level, (came, left) = list(moved.items())[adjusted.index(p)]
    corrected = "" if len(moved) == 2 else f", Holm over {len(moved)} categories"
    words = (
        f"{came} became {level} and {left} ceased to be (exact McNemar {p_in_words(p)}{corrected}; {_rule(confidence)})"
    )
    categories = {
        name: {"came": both[0], "left": both[1], "p": own}
        for (name, both), own in zip(moved.items(), adjusted, strict=True)
    }
    return Tested(p <= 1.0 - confidence, words, {"categories": categories, "p": p}, p)


def scatter(first: Floats, second: Floats, document: Mapping[str, Any]) -> Tested:
    """Whether more verdicts changed than the certificate allows, in whatever direction.

    Allowed is the share declared in its plan. If none was declared, the share is held against what changed between
    repeated runs when the certificate was made, by the interval of the difference of the two shares [1]_. Neither is in
    a certificate of a single run: what changed is then counted only.

    Parameters
    ----------
    first, second : ndarray of float, shape (n,)
        As in `shift`.
    document : dict
        The certificate.

    Returns
    -------
    Tested

    References
    ----------
    .. [1] Zou and Donner (2008). Construction of confidence limits about effect measures: a general approach. Stat Med
       27, 1693-1702.
    """
    changed, n = int((first != second).sum()), first.size
    value = changed / n
    figures: dict[str, Any] = {"changed": changed, "of": n, "allowed": None, "by": None}
    words = f"{changed:,} of {counted(n, 'repeated verdict')} changed ({100 * value:.2g} %)"
    most = document["plan"]["criteria"].get("most_changed")
    if most is not None:
        words += f", and the certificate allows {100 * most:g} %"
        return Tested(value > most, words, {**figures, "allowed": most, "by": "declared"})
    own = max(_run_to_run(document), default=None)
    if own is None:
        return Tested(False, f"{words}, which is not tested, as the certificate has no repeated run", figures)
    share, high = own
    low = wilson_limits(changed, n, document["plan"]["confidence"])[0]
    least = value - share - math.hypot(value - low, high - share)
    words += f", and {100 * share:.2g} % from run to run when it was certified"
    words += f" (too many is a difference whose interval at {100 * document['plan']['confidence']:.4g} % is above 0)"
    return Tested(least > 0.0, words, {**figures, "allowed": share, "by": "run to run", "difference_low": least})


def in_words(document: Mapping[str, Any]) -> str:
    """What a certificate says about changes in a later run.

    Parameters
    ----------
    document : dict

    Returns
    -------
    str
    """
    most = document["plan"]["criteria"].get("most_changed")
    if most is not None:
        return f"a later run at most {100 * most:g} % of the verdicts that it repeats"
    own = max(_run_to_run(document), default=None)
    if own is None:
        others = list(_not_repeated(document))
        why = f"no repeated run ({', '.join(others)})" if others else "one run"
        return f"how many verdicts a later run may change is not said: {why}, and no --most-changed"
    return f"a later run not more verdicts than changed from run to run, {100 * own[0]:.2g} %"


def _not_repeated(document: Mapping[str, Any]) -> Iterator[str]:
    """What changed between two runs that did not see the pairs in one order, in words."""
    for panel in document.get("panels", []):
        if panel["panel"] == repeatability.KEY:
            for row in panel["rows"]:
                value = row["estimate"]["value"]
                if row["statistic"] in (repeatability.WITH_THE_ORDER, repeatability.ORDER_UNKNOWN):
                    yield f"{100 * value:.2g} % {row['statistic']}"


def _run_to_run(document: Mapping[str, Any]) -> Iterator[tuple[float, float]]:
    """Share that changed between two runs of one version, with its upper limit, as in the panel on repeatability."""
    for panel in document.get("panels", []):
        if panel["panel"] != repeatability.KEY:
            continue
        for row in panel["rows"]:
            estimate = row["estimate"]
            if row["statistic"] == repeatability.SCATTER and estimate["value"] is not None:
                yield estimate["value"], estimate["value"] if estimate["high"] is None else estimate["high"]


def _or_none(limit: float) -> float | None:
    return None if math.isnan(limit) else limit
