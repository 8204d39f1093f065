"""The result type of this package: a number with its n, interval, unit and method."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, fields, replace
from numbers import Real
from typing import Any

from agreement.arguments import number_in, shown
from agreement.caution import Caution, in_words, without_repeats, written
from agreement.cautions import few_clusters
from agreement.interval_kinds import Interval
from agreement.words import Part, Words, parts_of

_FIELDS_IN_WORDS = ("cautions", "interval")  # stated as text by other fields
_LEVEL = 0.05
_MOST_DECIMALS = 12
_ROUNDING, _LONG = 1e-12, 1e9  # below, a number prints as 0; above, it would print with too many digits


@dataclass(frozen=True)
class Estimate:
    """A point estimate with its interval, or the reason why there is none.

    Parameters
    ----------
    name : str
        What was estimated, for example ``"Cohen's kappa"``.
    value : float
        The point estimate; ``nan`` if undefined.
    low, high : float
        The limits of the interval; ``nan`` if undefined. An interval never has width 0.
    n : int
        Number of units that the value is based on, excluding missing ones.
    unit : str
        What is counted in `n`, for example ``"item"``.
    method : str
        How the interval was computed and what was left out, with resamples and seed if any; `Words` if its parts matter
        to others.
    undefined_because : str, optional
        Why the value or its limits are ``nan``. Required whenever one of them is.
    se : float, optional
        Standard error, if the method has one.
    p : float, optional
        Two-sided P value, if the method has one.
    confidence : float
        Nominal coverage of the interval.
    n_clusters : int, optional
        Number of clusters, for intervals that allow for clustering.
    warning : str, optional
        A warning to print with the estimate: that it is based on few clusters (set automatically), few raters or a rare
        category.
    cautions : tuple of Caution, optional
        The warnings one by one, each with its kind. `warning` joins them into one text; text given only there becomes a
        further caution.
    interval : Interval, optional
        The kind of interval, if it is one with two items added (also described in `method`); None for any other
        interval.

    Raises
    ------
    ValueError
        When a value or limit is ``nan`` without a reason, or the interval has no width; a name, unit or warning is not
        text, or a value or limit is not a number.

    Examples
    --------
    >>> Estimate("accuracy", 0.5, 0.2, 0.8, 8, "item", "Wilson").as_dict()["high"]
    0.8
    >>> print(Estimate("accuracy", 0.5, 0.2, 0.8, 8, "item", "Wilson"))
    .50 [.20, .80], n = 8 items, accuracy
    """

    name: str
    value: float
    low: float
    high: float
    n: int
    unit: str
    method: str
    undefined_because: str | None = None
    se: float | None = None
    p: float | None = None
    confidence: float = 0.95
    n_clusters: int | None = None
    warning: str | None = None
    cautions: tuple[Caution, ...] = field(default=(), repr=False, compare=False)
    interval: Interval | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ValueError(f"name is {shown(self.name)}; expected what is estimated, such as 'accuracy'")
        if not isinstance(self.unit, str) or not self.unit.strip():
            raise ValueError(f"unit is {shown(self.unit)}; expected what is counted, such as 'item'")
        for name, number in (("value", self.value), ("low", self.low), ("high", self.high)):
            if not isinstance(number, float | Real):  # of a float, the first is known at once
                raise ValueError(f"{name} is {shown(number)}; expected a number, or nan with a reason")
        incomplete = math.isnan(self.value) or math.isnan(self.low) or math.isnan(self.high)
        if incomplete and not self.undefined_because:
            raise ValueError(f"{self.name}: a value or limit is nan but undefined_because gives no reason")
        if self.low >= self.high:
            raise ValueError(
                f"{self.name}: interval [{self.low}, {self.high}] has no width; expected low < high or nan"
            )
        few = few_clusters(self.n_clusters)
        if few is None and self.cautions == () and self.warning is None:
            return
        cautions = (*self.cautions, *written(self.warning))
        if few is not None:
            # It is about the interval and comes first; an estimate without an interval does not need it.
            others = (caution for caution in cautions if caution.text != few.text)
            cautions = tuple(others) if incomplete else (few, *others)
        object.__setattr__(self, "cautions", without_repeats(cautions))
        object.__setattr__(self, "warning", in_words(self.cautions))

    @property
    def made(self) -> tuple[Part, ...]:
        """The parts of the method, the kind of interval first; plain text is returned as a single part."""
        return parts_of(self.method) or (Part(""),)

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        """The line for a paper: value and interval, n, clusters, P, name and warning."""
        if math.isnan(self.value):
            figure = f"undefined ({self.undefined_because})"
        elif math.isnan(self.low) or math.isnan(self.high):
            figure = f"{_short(self.value)}, no interval ({self.undefined_because})"
        else:
            figure = f"{_short(self.value)} [{_short(self.low)}, {_short(self.high)}]"
            figure += "" if self.confidence == 0.95 else f" at {100 * self.confidence:g} %"
        parts = [figure, f"n = {self.n} {_counted(self.unit, self.n)}"]
        if self.n_clusters is not None:
            parts.append(f"{self.n_clusters} {_counted('cluster', self.n_clusters)}")
        if self.p is not None:
            parts.append("P < .001" if self.p < 0.001 else f"P = {_short(self.p, decimals_of_p(self.p, 2))}")
        line = ", ".join([*parts, self.name])
        return f"{line}; {self.warning}" if self.warning else line

    def warned(self, *warnings: Caution | str | None) -> Estimate:
        """The estimate with further warnings; the same one if there are none.

        Parameters
        ----------
        *warnings : Caution, str or None
            As returned by the rules in `agreement.cautions`, or as text.

        Returns
        -------
        Estimate

        Examples
        --------
        >>> Estimate("accuracy", 0.5, 0.2, 0.8, 8, "item", "cluster bootstrap", n_clusters=4).warned("rough").warning
        'only 4 clusters: an interval from fewer than 10 clusters is likely to be too narrow; rough'
        """
        given = [
            caution
            for warning in warnings
            for caution in ([warning] if isinstance(warning, Caution) else written(warning))
        ]
        return replace(self, cautions=(*self.cautions, *given)) if given else self

    def as_dict(self) -> dict[str, Any]:
        """Every field by name, ready for JSON: ``nan`` and infinities become ``None``.

        Returns
        -------
        dict
            Plain Python numbers and strings only; the warning as text.

        Examples
        --------
        >>> undefined("kappa", 0, "item", "normal", "no items").as_dict()["value"] is None
        True
        """
        row: dict[str, Any] = {}
        for name in (each.name for each in fields(self) if each.name not in _FIELDS_IN_WORDS):
            value = getattr(self, name)
            if isinstance(value, float):
                value = float(value) if math.isfinite(value) else None
            row[name] = str(value) if isinstance(value, Words) else value
        return row


def decimals_of_p(p: float, usual: int) -> int:
    """How many decimals show on which side of .05 a P value lies.

    Parameters
    ----------
    p : float
    usual : int
        Decimals that are enough elsewhere.

    Returns
    -------
    int

    Examples
    --------
    >>> decimals_of_p(0.0496, 2), decimals_of_p(0.0504, 2), decimals_of_p(0.05, 2), decimals_of_p(0.06, 2)
    (4, 4, 2, 2)
    """
    if p == _LEVEL:
        return usual
    return next((decimals for decimals in range(usual, _MOST_DECIMALS) if round(p, decimals) != _LEVEL), _MOST_DECIMALS)


def _short(number: float, decimals: int = 2) -> str:
    """Two decimals, or as many as asked, or two significant digits if these would be 0, without the leading zero."""
    if abs(number) < _ROUNDING:
        number = 0.0
    elif abs(number) >= _LONG:
        return f"{number:.2e}"
    if number != 0.0 and abs(number) < 0.01:
        decimals = 1 - math.floor(math.log10(abs(number)))
    return re.sub(r"^(-?)0\.", r"\1.", f"{number:z.{decimals}f}")


def _counted(unit: str, n: int) -> str:
    if n == 1:
        return unit
    return f"{unit[:-1]}ies" if unit.endswith("cy") else f"{unit}s"


def undefined(
    name: str,
    n: int,
    unit: str,
    method: str,
    reason: str,
    *,
    value: float = math.nan,
    se: float | None = None,
    p: float | None = None,
    confidence: float = 0.95,
    n_clusters: int | None = None,
) -> Estimate:
    """An estimate without an interval, and, unless `value` is given, without a value.

    Parameters
    ----------
    name, n, unit, method, se, p, confidence, n_clusters
        As in `Estimate`.
    reason : str
        Why it is undefined.
    value : float
        The point estimate, if only the interval is undefined.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> undefined("kappa", 1, "item", "normal", "one item").undefined_because
    'one item'
    """
    return Estimate(
        name=name,
        value=value,
        low=math.nan,
        high=math.nan,
        n=n,
        unit=unit,
        method=method,
        undefined_because=reason,
        se=se,
        p=p,
        confidence=confidence,
        n_clusters=n_clusters,
    )


LEAST_CONFIDENCE = 1e-9
"""Below this, the two limits of an interval are the same number in double precision."""


def check_confidence(confidence: float, argument: str = "confidence") -> float:
    """The confidence as a float, if it is strictly between 0 and 1 and not so near 0 that limits equal the value.

    Parameters
    ----------
    confidence : float
        Nominal coverage.
    argument : str
        Name to use in the error.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        When it is outside [1e-9, 1).
    """
    return number_in(
        confidence,
        argument,
        f"a number from {LEAST_CONFIDENCE:g} to less than 1, such as 0.95",
        lambda share: LEAST_CONFIDENCE <= share < 1.0,
    )
