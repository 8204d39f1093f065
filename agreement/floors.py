"""What can be achieved without looking at the images: chance floor, text-only floor, Shortcut Score."""

from __future__ import annotations

import math
import sys

import numpy as np
import numpy.typing as npt

from agreement.arguments import LARGEST, check_resamples, shown, yes_or_no
from agreement.codebook import is_missing
from agreement.coding import Floats, Ratings, as_values, compact, encode_clusters, same_length
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.interval_kinds import BOOTSTRAPS, Interval, chosen_interval
from agreement.methods import bootstrap_of, leaving_out
from agreement.percent import mean
from agreement.resampling import Seed, bootstrap_of_sums, sums_by_cluster
from agreement.words import Words


def chance_floor(
    options: Ratings, *, right: Ratings | None = None, given_above: bool = False, unit: str = "item"
) -> Estimate:
    """Expected accuracy of guessing on these items, ``mean(right / options)``.

    If an answer consists of several options, every possible set of them counts as an option. Open items have no options
    to guess from, so they are left out and counted in the method. The floor is a property of the items, not an estimate
    from a sample, so it has no interval. Undefined if no item has options.

    Parameters
    ----------
    options : sequence, shape (items,)
        Number of options of each item, 2 for yes/no; None, NaN or 0 for an open item.
    right : sequence, shape (items,), optional
        How many of the options of each item are right; 1 by default. Ignored for open items.
    given_above : bool
        Whether these are the options left given the right answer to a parent question; there may then be just one.
    unit : str
        What one entry is.

    Returns
    -------
    Estimate
        A proportion; limits are nan, with the reason.

    Raises
    ------
    ValueError
        When a number of options is negative, fractional, or 1 without `given_above`; when there are more right ones
        than options, or lengths differ.

    References
    ----------
    .. [1] NeuroQA, 4.3: chance level of the closed items.

    Examples
    --------
    The 73 yes/no and 17 four-option items of the NeuroQA clinician reads: (73/2 + 17/4) / 90 = 45.3 %.

    >>> floor = chance_floor([2] * 73 + [4] * 17 + [None] * 10)
    >>> round(floor.value, 3), floor.n
    (0.453, 90)
    """
    counts: list[int] = []
    rights: list[int] = []
    n_open, least = 0, 1 if yes_or_no(given_above, "given_above") else 2
    values = as_values(options, "options")
    right_of = [1] * len(values) if right is None else as_values(right, "right")
    same_length(values, right_of, "options", "right")
    for position, (value, own) in enumerate(zip(values, right_of, strict=True)):
        number = isinstance(value, int | float | np.number)
        if is_missing(value) or (number and value == 0):
            n_open += 1
        elif not number or not least <= value < LARGEST or not float(value).is_integer():
            raise ValueError(
                f"options holds {shown(value)} at position {position}; expected {least} or more, or None for open items"
            )
        elif (
            is_missing(own)
            or not isinstance(own, int | float | np.number)
            or not 0 <= own <= value
            or not float(own).is_integer()
        ):
            raise ValueError(f"right holds {shown(own)} at position {position}; expected a number of its options")
        else:
            counts.append(int(value))
            rights.append(int(own))
    ratio = "1 / number of options" if set(rights) <= {1} else "number of right options / number of options"
    method = Words(f"mean of {ratio}" + (" left by the right answer above" if given_above else ""))
    method += leaving_out(n_open, "open without options")
    if not counts:
        return undefined("chance floor", 0, unit, method, "no item has options to guess from")
    value = math.fsum(own / count for own, count in zip(rights, counts, strict=True)) / len(counts)
    reason = "a property of these items, known without sampling error"
    return undefined("chance floor", len(counts), unit, method, reason, value=value)


def text_only_floor(
    correct: Ratings,
    *,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Accuracy of a text-only baseline on the same items, from its answers or its expected accuracy per item.

    Parameters
    ----------
    correct : sequence, shape (items,)
        For each item 1 or 0 (its answer was right or wrong), or the probability that it is right; None if the baseline
        has no answer, in which case the item is left out and counted.
    clusters, resamples, seed, interval, confidence, unit
        As in `percent_agreement`; without clusters the items are resampled.

    Returns
    -------
    Estimate
        A proportion.

    Raises
    ------
    ValueError
        When a value lies outside 0 to 1.

    References
    ----------
    .. [1] NeuroQA, 4.2: text-only baseline, there the majority answer per template.

    Examples
    --------
    >>> text_only_floor([1, 0, 0.5, None]).value
    0.5
    """
    confidence = check_confidence(confidence)
    check_resamples(resamples)
    interval = chosen_interval(interval, *BOOTSTRAPS)
    values, known = _probabilities(correct, "correct")
    groups = encode_clusters(clusters, known.size)[known] if clusters is not None else None
    note = leaving_out(int((~known).sum()), "without a baseline answer")
    return mean(
        values[known],
        groups,
        name="text-only floor",
        unit=unit,
        note=note,
        resamples=resamples,
        seed=seed,
        interval=interval,
        confidence=confidence,
    )


def shortcut_score(acc: float, floor: float, oracle: float = 100.0) -> Estimate:
    """Shortcut Score of two accuracies in percent, ``(oracle - acc) / (oracle - floor)``.

    Above 1, the reader is worse than the floor; 0 equals the oracle. For proportions, pass ``oracle=1``. For an
    interval, see `paired_shortcut_score`.

    Parameters
    ----------
    acc : float
        Accuracy of the reader, in percent.
    floor : float
        Accuracy of the text-only baseline on the same items, in percent.
    oracle : float
        Accuracy of a perfect reader.

    Returns
    -------
    Estimate
        No limits, since these need the items themselves. Undefined if the floor equals the oracle, so that there is
        nothing to gain, or if an accuracy is nan.

    Raises
    ------
    ValueError
        When an accuracy is not a finite number, above the oracle, or negative, or if both look like proportions.

    References
    ----------
    .. [1] NeuroQA, 4.2.

    Examples
    --------
    NeuroQA: 43.7 with a floor of 49.4.

    >>> round(shortcut_score(43.7, 49.4).value, 2)
    1.11
    """
    for argument, value in (("oracle", oracle), ("acc", acc), ("floor", floor)):
        if not isinstance(value, int | float | np.number) or value < 0 or value > oracle or value > sys.float_info.max:
            raise ValueError(
                f"{argument} is {shown(value)}; expected between 0 and the oracle, {shown(oracle)}, in the same scale"
            )
    name, method = "Shortcut Score", Words("of two accuracies as printed", ", no interval")
    if math.isnan(acc + floor + oracle):
        return undefined(name, 2, "accuracy", method, "one of the accuracies is undefined")
    if oracle == 100.0 and 0.0 < max(acc, floor) <= 1.0:
        raise ValueError(
            f"acc and floor are {shown(acc)} and {shown(floor)}, both at most 1; expected percent, such as 43.7: "
            "for proportions pass oracle=1"
        )
    if floor == oracle:
        reason = "the floor is right on all: there is nothing to gain"
        return undefined(name, 2, "accuracy", method, reason)
    reason = "two accuracies alone have no interval; see paired_shortcut_score"
    return undefined(name, 2, "accuracy", method, reason, value=float((oracle - acc) / (oracle - floor)))


def paired_shortcut_score(
    correct: Ratings,
    floor_correct: Ratings,
    *,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Shortcut Score over items that reader and text-only baseline both answered, with a paired bootstrap interval.

    ``sum(1 - reader) / sum(1 - floor)``: reader and floor are resampled together, item by item or cluster by cluster.
    Undefined for no items, or if the baseline is right on all of them.

    Parameters
    ----------
    correct : sequence, shape (items,)
        1 or 0 for the reader (or a probability); None if there is no answer to count.
    floor_correct : sequence, shape (items,)
        The same for the text-only baseline, over the same items.
    clusters, resamples, seed, interval, confidence, unit
        As in `percent_agreement`.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        When lengths differ or a value lies outside 0 to 1.

    References
    ----------
    .. [1] NeuroQA, 4.2.

    Examples
    --------
    The reader is wrong on 2 of 4, the baseline on 1 of 4: 2.

    >>> paired_shortcut_score([1, 1, 0, 0], [1, 1, 1, 0], resamples=200).value
    2.0
    """
    confidence = check_confidence(confidence)
    check_resamples(resamples)
    interval = chosen_interval(interval, *BOOTSTRAPS)
    reader, known_reader = _probabilities(correct, "correct")
    floor, known_floor = _probabilities(floor_correct, "floor_correct")
    same_length(reader, floor, "correct", "floor_correct")
    known = known_reader & known_floor
    groups, n_clusters = _groups(clusters, known)
    note = leaving_out(int((~known).sum()), "not answered by both")
    errors = np.stack([1.0 - reader[known], 1.0 - floor[known]], axis=1)
    n, name = len(errors), "Shortcut Score"
    text = bootstrap_of(clusters is not None, paired=True) + note
    if n == 0 or not errors[:, 1].any():
        reason = f"no {unit} answered by both" if n == 0 else "the floor is right on all: there is nothing to gain"
        return undefined(name, n, unit, text, reason, confidence=confidence, n_clusters=n_clusters)
    spread = bootstrap_of_sums(
        _error_ratio,
        sums_by_cluster(errors, groups),
        resamples=resamples,
        seed=seed,
        interval=interval,
        confidence=confidence,
        clustered=groups is not None,
    )
    value = float(_error_ratio(errors.sum(axis=0)))
    return spread.estimate(
        name, value, n, unit, confidence=confidence, n_clusters=n_clusters, note=", reader and floor paired" + note
    )


def _error_ratio(totals: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(totals[..., 1] > 0, totals[..., 0] / totals[..., 1], np.nan)


def _groups(clusters: Ratings | None, known: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.intp] | None, int | None]:
    if clusters is None:
        return None, None
    return compact(encode_clusters(clusters, known.size)[known])


def _probabilities(values: Ratings, argument: str) -> tuple[Floats, npt.NDArray[np.bool_]]:
    plain = as_values(values, argument)
    known = np.array([not is_missing(value) for value in plain], dtype=bool)
    numbers = np.zeros(len(plain))
    for position, value in enumerate(plain):
        if not known[position]:
            continue
        if not isinstance(value, bool | np.bool_ | int | float | np.number) or not 0 <= value <= 1:
            raise ValueError(
                f"{argument} holds {shown(value)} at position {position}; expected a number from 0 to 1, or None"
            )
        numbers[position] = float(value)
    return numbers, known
