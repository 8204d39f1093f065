"""Accuracy against the reference; items not assessable, missing or without a reference are counted separately."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.arguments import shown, unmasked
from agreement.codebook import is_missing, refuse_unlike
from agreement.coding import Codes, Ratings, as_values, encode_clusters, same_length
from agreement.estimate import Estimate
from agreement.interval_kinds import Interval
from agreement.intervals import wilson_interval
from agreement.percent import share
from agreement.resampling import Seed
from agreement.result import Result


@dataclass(frozen=True)
class Accuracy(Result):
    """Accuracy of one rater, one judge or one baseline.

    Attributes
    ----------
    primary : Estimate
        Correct / (correct + incorrect). Wilson's interval, on the effective sample size when clusters are given.
    wilson : Estimate
        The same value with Wilson's interval, which assumes independent items.
    worst_case, best_case : Estimate
        With the excluded items counted as wrong, and as right; missing ones stay out. Same kind of interval as
        `primary`.
    n_correct, n_incorrect : int
        The two counts behind the primary value.
    n_excluded : int
        Items said to be not assessable, or "Excluded" by a judge: a verdict, but no answer.
    n_missing : int
        Items without a verdict.
    n_without_reference : int
        Items with a verdict but no reference to compare it with.
    """

    primary: Estimate
    wilson: Estimate
    worst_case: Estimate
    best_case: Estimate
    n_correct: int
    n_incorrect: int
    n_excluded: int
    n_missing: int
    n_without_reference: int


def accuracy(
    verdicts: Ratings,
    reference: Ratings | Hashable,
    *,
    excluded: Collection[Hashable] = (),
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> Accuracy:
    """Accuracy of verdicts against the reference.

    ``correct / (correct + incorrect)``. Excluded verdicts (not assessable) and missing ones are left out of both
    numerator and denominator, and are counted. The worst and best cases count the excluded verdicts as wrong and as
    right. Undefined for no items.

    Parameters
    ----------
    verdicts : sequence or ndarray, shape (items,)
        What was answered; None or NaN is missing.
    reference : sequence or ndarray, shape (items,), or one value for all items
        The accepted answer. An entry that is a list, tuple, set, frozenset or array holds several accepted answers.
        None, or several that are all missing, means an item without a reference.
    excluded : collection, or one text
        Verdicts that mean not assessable, for example ``{"Excluded"}``.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject.
    resamples, seed, interval
        As in `percent_agreement`.
    confidence : float
        Nominal coverage.
    unit : str
        What one entry is.

    Returns
    -------
    Accuracy

    Raises
    ------
    ValueError
        When lengths differ, a verdict cannot be compared, or a cluster is missing.

    References
    ----------
    .. [1] Interval of clustered proportions: Franco, Little, Louis and Slud (2019). Comparative study of confidence
       intervals for proportions in complex sample surveys. J Survey Stat Methodol 7, 334-364; of their bootstrap: Field
       and Welsh (2007). Bootstrapping clustered data. JRSS B 69, 369-390.

    Examples
    --------
    >>> result = accuracy(["L", "R", "L", "n/a", None], ["L", "L", "L", "L", "L"], excluded={"n/a"})
    >>> round(result.primary.value, 3), result.worst_case.value, result.best_case.value, result.n_missing
    (0.667, 0.5, 0.75, 1)
    """
    given = as_values(verdicts, "verdicts")
    if isinstance(reference, str | bytes) or not hasattr(reference, "__iter__"):
        accepted: list[Any] = [reference] * len(given)
    else:
        accepted = as_values(reference, "reference")  # type: ignore[arg-type]
        same_length(given, accepted, "verdicts", "reference")
    left_out = values_of(excluded, "excluded")
    refuse_unlike(
        verdicts=(verdict for verdict in given if not _is_among(verdict, left_out)),
        reference=(answer for answers in accepted for answer in (answers if _several(answers) else (answers,))),
    )
    correct: list[bool | None] = []
    was_excluded: list[bool] = []
    unknown: list[bool] = []
    for verdict, answer in zip(given, accepted, strict=True):
        missing, apart = is_missing(verdict), _is_among(verdict, left_out)
        several = _several(answer)
        right = [value for value in answer if not is_missing(value)] if several else answer
        known = bool(right) if several else not is_missing(answer)
        was_excluded.append(apart and known)
        unknown.append(not known and not missing)
        if apart or not known or missing:
            correct.append(None)
        else:
            correct.append(verdict in right if several else bool(verdict == answer))
    return accuracy_of_correctness(
        correct,
        excluded=was_excluded,
        without_reference=unknown,
        clusters=clusters,
        resamples=resamples,
        seed=seed,
        interval=interval,
        confidence=confidence,
        unit=unit,
    )


def accuracy_of_correctness(
    correct: Ratings,
    *,
    excluded: Ratings | None = None,
    without_reference: Ratings | None = None,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> Accuracy:
    """Accuracy when correctness has been decided elsewhere, for example by token F1 or by a scorer.

    Parameters
    ----------
    correct : sequence, shape (items,)
        True or 1, False or 0; None or NaN if there is no answer to count.
    excluded : sequence of bool, shape (items,), optional
        Which of the entries without an answer were not assessable; the others are missing.
    without_reference : sequence of bool, shape (items,), optional
        Which of the entries without an answer had no reference.
    clusters, resamples, seed, interval, confidence, unit
        As in `accuracy`.

    Returns
    -------
    Accuracy

    Raises
    ------
    ValueError
        When lengths differ, `correct` holds a value other than True, False and None, or an entry is excluded yet also
        correct or incorrect.

    References
    ----------
    .. [1] MARCUS, evaluation of multiple-choice answers: Excluded answers are left out of both denominators.

    Examples
    --------
    >>> result = accuracy_of_correctness([True, False, None, None], excluded=[False, False, True, False])
    >>> result.primary.value, result.n_excluded, result.n_missing
    (0.5, 1, 1)
    """
    answered, right = correctness(correct, "correct")
    items = answered.size
    apart = _mask(excluded, items, "excluded")
    unknown = _mask(without_reference, items, "without_reference")
    twice = (answered & (apart | unknown)) | (apart & unknown)
    if twice.any():
        first = int(np.flatnonzero(twice)[0])
        raise ValueError(f"position {first} is two of answered, excluded and without_reference; expected one at most")
    groups = encode_clusters(clusters, items) if clusters is not None else None

    def case(name: str, counted: npt.NDArray[np.bool_], outcome: npt.NDArray[np.bool_]) -> Estimate:
        own: Codes | None = groups[counted] if groups is not None else None
        return share(
            outcome[counted],
            own,
            name=name,
            unit=unit,
            resamples=resamples,
            seed=seed,
            interval=interval,
            confidence=confidence,
        )

    with_excluded = answered | apart
    primary = case("accuracy", answered, right)
    worst, best = "accuracy, excluded counted wrong", "accuracy, excluded counted right"
    return Accuracy(
        primary=primary,
        wilson=wilson_interval(
            int(right.sum()), int(answered.sum()), confidence=confidence, name="accuracy", unit=unit
        ),
        worst_case=case(worst, with_excluded, right) if apart.any() else replace(primary, name=worst),
        best_case=case(best, with_excluded, right | apart) if apart.any() else replace(primary, name=best),
        n_correct=int(right.sum()),
        n_incorrect=int((answered & ~right).sum()),
        n_excluded=int(apart.sum()),
        n_missing=int((~answered & ~apart & ~unknown).sum()),
        n_without_reference=int(unknown.sum()),
    )


def correctness(values: Ratings, argument: str) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Which entries are known (True or False), and which are True.

    Parameters
    ----------
    values : sequence, shape (items,)
        True, False, 1, 0; None or NaN.
    argument : str
        Name to use in errors.

    Returns
    -------
    known, true : ndarray of bool, shape (items,)

    Raises
    ------
    ValueError
        When any other value occurs.

    Examples
    --------
    >>> known, true = correctness([1, 0, None], "correct")
    >>> known.tolist(), true.tolist()
    ([True, True, False], [True, False, False])
    """
    values = unmasked(values)
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf" and values.ndim == 1:
        there = values == values
        strange = there & (values != 0) & (values != 1)
        if strange.any():
            position = int(np.flatnonzero(strange)[0])
            raise ValueError(f"{argument} holds {values[position]!r} at position {position}; expected 0, 1 or nan")
        return there, there & (values == 1)
    plain = as_values(values, argument)
    if {type(value) for value in plain} <= {bool, type(None)}:  # the most common input
        known = np.array([value is not None for value in plain], dtype=bool)
        return known, np.array([value is True for value in plain], dtype=bool)
    known = np.array([not is_missing(value) for value in plain], dtype=bool)
    for position, value in enumerate(plain):
        if known[position] and not (isinstance(value, bool | np.bool_ | int | float | np.number) and value in (0, 1)):
            raise ValueError(
                f"{argument} holds {shown(value)} at position {position}; expected True, False, 1, 0 or None"
            )
    return known, np.array([bool(there) and bool(value) for there, value in zip(known, plain, strict=True)], dtype=bool)


def values_of(values: Collection[Hashable], argument: str) -> set[Hashable]:
    """The verdicts with a special meaning as a set; a single string becomes a set of one.

    Parameters
    ----------
    values : collection, or str
        For example the verdicts that mean not assessable.
    argument : str
        Name to use in the error.

    Returns
    -------
    set

    Raises
    ------
    ValueError
        When it is not a collection of comparable values.

    Examples
    --------
    >>> values_of("Excluded", "excluded")
    {'Excluded'}
    """
    try:
        return {values} if isinstance(values, str) else set(values)
    except TypeError:
        raise ValueError(f"{argument} is {shown(values)}; expected a collection of verdicts") from None


def _several(answer: Any) -> bool:
    return isinstance(answer, list | tuple | set | frozenset) or (isinstance(answer, np.ndarray) and answer.ndim > 0)


def _is_among(verdict: Any, left_out: set[Hashable]) -> bool:
    try:
        return not is_missing(verdict) and verdict in left_out
    except TypeError:
        raise ValueError(f"verdicts holds {verdict!r}, which cannot be compared; expected text or numbers") from None


def _mask(values: Ratings | None, items: int, argument: str) -> npt.NDArray[np.bool_]:
    if values is None:
        return np.zeros(items, dtype=bool)
    known, true = correctness(values, argument)
    if known.size != items or not known.all():
        raise ValueError(f"{argument} has shape ({known.size},); expected ({items},) of True and False")
    return true
