"""Figures as printed in sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from agreement.estimate import Estimate, decimals_of_p

_LEAST_P = 0.001  # smaller P values are printed as below it
_WRITTEN_OUT = {
    "ccc": "Lin's concordance",
    "icc": "ICC",
    "ac1": "Gwet's AC1",
    "pearson": "Pearson's r",
    "spearman": "Spearman's rho",
}


def in_brief(estimate: Estimate) -> str:
    """Value and interval, or why it has none.

    Parameters
    ----------
    estimate : Estimate

    Returns
    -------
    str

    Examples
    --------
    >>> in_brief(Estimate("kappa", 0.771, 0.65, 0.8849, 136, "candidate", "normal"))
    '.77 [.65, .88]'
    """
    return _with_interval(estimate, 1.0, 2)


def on_how_many(estimate: Estimate) -> str:
    """Value, interval and n, for use in a list.

    Parameters
    ----------
    estimate : Estimate

    Returns
    -------
    str

    Examples
    --------
    >>> on_how_many(Estimate("kappa", 0.771, 0.65, 0.8849, 1360, "candidate", "normal"))
    '.77 [.65, .88] (n = 1,360)'
    """
    return f"{in_brief(estimate)} (n = {estimate.n:,})"


def in_points(estimate: Estimate, shares: bool = True) -> str:
    """A difference of shares in percentage points, of other scores in their own unit.

    Parameters
    ----------
    estimate : Estimate
    shares : bool
        Whether scores are shares.

    Returns
    -------
    str

    Examples
    --------
    >>> in_points(Estimate("difference", 0.0882, 0.037, 0.14, 136, "candidate", "Newcombe"))
    '8.8 points [3.7, 14.0]'
    """
    if not shares:
        return _with_interval(estimate, 1.0, 2)
    return _with_interval(estimate, 100.0, 1, " points")


def in_percent(estimate: Estimate) -> str:
    """A share in percent.

    Parameters
    ----------
    estimate : Estimate

    Returns
    -------
    str

    Examples
    --------
    >>> in_percent(Estimate("changed", 0.0882, 0.037, 0.14, 136, "candidate", "Wilson"))
    '8.8 % [3.7, 14.0]'
    """
    return _with_interval(estimate, 100.0, 1, " %")


def value_in_points(estimate: Estimate, shares: bool = True) -> str:
    """As `in_points`, but silent about a missing interval.

    Parameters
    ----------
    estimate : Estimate
        Its value is defined.
    shares : bool
        Whether scores are shares.

    Returns
    -------
    str

    Examples
    --------
    >>> from agreement.estimate import undefined
    >>> value_in_points(undefined("difference", 1, "candidate", "Newcombe", "one candidate", value=0.5))
    '50.0 points'
    """
    value, limits = value_and_limits(estimate, 100.0, 1, " points") if shares else value_and_limits(estimate, 1.0, 2)
    return f"{value} {limits}" if limits else value


def margin_in_words(margin: float, shares: bool) -> str:
    """A margin as declared: in points, or in steps of the scale.

    Examples
    --------
    >>> margin_in_words(0.05, True), margin_in_words(0.2, False)
    ('5 points', '0.2 on the scale')
    """
    return f"{100 * margin:g} points" if shares else f"{margin:g} on the scale"


def called(statistic: str) -> str:
    """A statistic's name for the reader, with abbreviations and bare names written out.

    Examples
    --------
    >>> called("ccc"), called("weighted kappa"), called("winning_rate")
    ("Lin's concordance", 'weighted kappa', 'winning rate')
    """
    return _WRITTEN_OUT.get(statistic, statistic.replace("_", " "))


def in_figures(number: float) -> str:
    """A declared or chosen number, such as a bound, in the same format as the values and intervals beside it.

    Parameters
    ----------
    number : float

    Returns
    -------
    str

    Examples
    --------
    >>> in_figures(0.2), in_figures(-0.1), in_figures(4.0), in_figures(0.3649), in_figures(-0.0)
    ('.2', '-.1', '4', '.365', '0')
    """
    return re.sub(r"^(-?)0\.", r"\1.", f"{number:z.3g}")


def p_in_words(p: float | None) -> str:
    """A P value as printed in a paper.

    Examples
    --------
    >>> p_in_words(0.00183), p_in_words(0.00002), p_in_words(None)
    ('P = .0018', 'P < .001', 'no P')
    """
    if p is None or math.isnan(p):
        return "no P"
    return f"P {p_in_figures(p)}" if p < _LEAST_P else f"P = {p_in_figures(p)}"


def p_in_figures(p: float) -> str:
    """A P value for a column headed P.

    Examples
    --------
    >>> p_in_figures(0.00183), p_in_figures(0.00002)
    ('.0018', '< .001')

    On which side of .05 it lies can be read:

    >>> p_in_figures(0.0496), p_in_figures(0.0504), p_in_figures(0.05)
    ('.0496', '.0504', '.05')
    """
    if p < _LEAST_P:
        return "< .001"
    return f"{p:.{decimals_of_p(p, 4 if p < 0.01 else 2)}f}".replace("0.", ".", 1)


def listed(names: Sequence[str], most: int = 6) -> str:
    """Names in a list; beyond the first few, only their number.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], 2)
    ('a, b and c', 'a, b and 1 more')
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def said_of_judges(reasons: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Why something was not computed, with the judges to which the reason applies.

    Examples
    --------
    >>> said_of_judges({"one run only.": ["a", "b"]})
    ('a and b: one run only.',)
    """
    return tuple(f"{listed(judges, len(judges))}: {reason}" for reason, judges in reasons.items())


def counted(n: int, what: str) -> str:
    """A count with its noun.

    Examples
    --------
    >>> counted(1, "candidate"), counted(1200, "candidate")
    ('1 candidate', '1,200 candidates')
    """
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def value_and_limits(estimate: Estimate, factor: float, decimals: int, unit: str = "") -> tuple[str, str]:
    """A defined value with its unit, and its limits in brackets.

    Parameters
    ----------
    estimate : Estimate
    factor : float
        Multiplier: 100 for points and percent.
    decimals : int
    unit : str

    Returns
    -------
    value, limits : str
        The limits are empty if there are none.

    Examples
    --------
    >>> value_and_limits(Estimate("difference", 0.0882, 0.037, 0.14, 136, "candidate", "Newcombe"), 100, 1, " points")
    ('8.8 points', '[3.7, 14.0]')
    """

    def short(number: float) -> str:
        return re.sub(r"^(-?)0\.", r"\1." if factor == 1.0 else r"\g<0>", f"{factor * number:z,.{decimals}f}")

    has_limits = not math.isnan(estimate.low) and not math.isnan(estimate.high)
    return f"{short(estimate.value)}{unit}", f"[{short(estimate.low)}, {short(estimate.high)}]" if has_limits else ""


def _with_interval(estimate: Estimate, factor: float, decimals: int, unit: str = "") -> str:
    if math.isnan(estimate.value):
        return f"undefined ({estimate.undefined_because})"
    value, limits = value_and_limits(estimate, factor, decimals, unit)
    return f"{value} {limits}" if limits else f"{value}, no interval ({estimate.undefined_because})"
