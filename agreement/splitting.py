"""Split a labelled sample into a development and a test part: whole subjects, with the same mix of outcomes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.arguments import number_in
from agreement.coding import Codes, Ratings, as_values, encode, encode_clusters
from agreement.resampling import Seed, random_generator, shown_seed
from agreement.result import Result

FEWEST_SUBJECTS, FEWEST_LABELLED = 20, 30
"""Minimum size of each part: fewer allow no conclusion about other subjects, or about the curve."""

_PARTS = ("development", "test")

MOST_FOLDS = 20
"""The most folds of equal size into which the sample is divided: a share is rounded to whole folds."""

NEAR_ENOUGH = 0.02
"""How far the share that whole folds give may be from the one that is wanted before single subjects are moved."""


@dataclass(frozen=True)
class Split(Result):
    """The items for development and those for test.

    Attributes
    ----------
    development, test : tuple of int
        Positions of the items, in ascending order.
    subjects : tuple of (int, int)
        Number of subjects in each part.
    labelled : tuple of (int, int)
        Number of labelled items in each part.
    counts : dict
        For each stratum, the number of items in each part; the key None stands for items without a label.
    method : str
        How the split was made, with the seed and these numbers.
    """

    development: tuple[int, ...]
    test: tuple[int, ...]
    subjects: tuple[int, int]
    labelled: tuple[int, int]
    counts: dict[Any, tuple[int, int]]
    method: str


def development_and_test(
    subjects: Ratings, strata: Ratings, *, share: float = 0.5, seed: Seed, items: str = "labelled items"
) -> Split:
    """Split a sample into a development and a test part, by whole subjects.

    All items of a subject are in the same part, so that development sees nothing of the test part, and the parts have
    the same mix of strata, as far as whole subjects allow [1]_ [2]_. Subjects are drawn into folds of equal size, of
    which the development part gets its share. Where folds are of few subjects, that may be off by more than 2 points:
    single subjects are then moved, one by one, from the part that has too many items, such that the strata are nearest
    to the share.

    Parameters
    ----------
    subjects : sequence, shape (items,)
        Subject of each item.
    strata : sequence, shape (items,)
        The stratification variable: the label of each item, or label and tier as a tuple. None or NaN is an item
        without a label, which follows its subject.
    share : float
        Share of the items for development, between 0 and 1; the folds are of the nearest fraction with a denominator
        up to 20.
    seed : int, sequence of int or SeedSequence
        Seed of the draw.
    items : str
        The name for items with a label in `method` and in error messages.

    Returns
    -------
    Split

    Raises
    ------
    ValueError
        When lengths differ, a subject is missing, `share` is not between 0 and 1, or a part would have fewer than 20
        subjects or 30 labelled items.

    References
    ----------
    .. [1] Kaufman, Rosset, Perlich and Stitelman (2012). Leakage in data mining: formulation, detection, and
       avoidance. ACM Trans Knowl Discov Data 6, 15.
    .. [2] Sechidis, Tsoumakas and Vlahavas (2011). On the stratification of multi-label data. ECML PKDD.

    Examples
    --------
    >>> subjects = [number // 2 for number in range(120)]
    >>> split = development_and_test(subjects, ["correct", "correct", "incorrect"] * 40, seed=1)
    >>> split.subjects, split.labelled, split.counts["incorrect"]
    ((30, 30), (60, 60), (20, 20))
    """
    fraction = _fraction(share)
    labels = as_values(strata, "strata")
    groups = encode_clusters(subjects, len(labels), "subjects")
    codes, levels = encode(labels, None, "strata")
    is_labelled = codes >= 0
    n_subjects = int(np.unique(groups).size)
    if n_subjects < 2 * FEWEST_SUBJECTS or is_labelled.sum() < 2 * FEWEST_LABELLED:
        raise ValueError(
            f"the sample has {n_subjects} subjects and {int(is_labelled.sum())} {items}; expected "
            f"{2 * FEWEST_SUBJECTS} and {2 * FEWEST_LABELLED} or more, to be divided"
        )
    is_development = _development(groups, codes, fraction, seed)
    moved = _move_nearer(is_development, groups, codes, share)
    is_test = ~is_development
    parts = [np.flatnonzero(~is_test), np.flatnonzero(is_test)]
    of_subjects = [int(np.unique(groups[part]).size) for part in parts]
    of_labelled = [int(is_labelled[part].sum()) for part in parts]
    for name, many, labelled in zip(_PARTS, of_subjects, of_labelled, strict=True):
        if many < FEWEST_SUBJECTS or labelled < FEWEST_LABELLED:
            raise ValueError(
                f"the {name} part has {many} subjects and {labelled} {items}; expected {FEWEST_SUBJECTS} and "
                f"{FEWEST_LABELLED} or more: take more of them, or a share nearer to .5"
            )
    strata_of = dict(enumerate(levels)) | ({} if is_labelled.all() else {-1: None})
    counts = {name: tuple(int((codes[part] == code).sum()) for part in parts) for code, name in strata_of.items()}
    numbers = zip(of_subjects, of_labelled, strict=True)
    shown = ", ".join(
        f"{many} subjects with {known} {items} for {part}" for (many, known), part in zip(numbers, _PARTS, strict=True)
    )
    folds = f"{fraction.numerator} of {fraction.denominator} folds for development"
    nearer = f" ({moved} {'subject' if moved == 1 else 'subjects'} moved nearer to {share:g})" if moved else ""
    return Split(
        development=tuple(parts[0].tolist()),
        test=tuple(parts[1].tolist()),
        subjects=(of_subjects[0], of_subjects[1]),
        labelled=(of_labelled[0], of_labelled[1]),
        counts={name: (first, second) for name, (first, second) in counts.items()},
        method=f"whole subjects, stratified, {folds}{nearer}, seed {shown_seed(seed)}: {shown}",
    )


def _fraction(share: float) -> Fraction:
    number = number_in(share, "share", "a number between 0 and 1, such as 0.5", lambda part: 0.0 < part < 1.0)
    fraction = Fraction(number).limit_denominator(MOST_FOLDS)
    if not 0 < fraction < 1:
        raise ValueError(f"share is {share!r}; expected a number from {1 / MOST_FOLDS:g} to {1 - 1 / MOST_FOLDS:g}")
    return fraction


def _development(groups: Codes, strata: Codes, fraction: Fraction, seed: Seed) -> npt.NDArray[np.bool_]:
    """Which items are in the first folds, as many as the fraction requires."""
    from sklearn.model_selection import StratifiedGroupKFold  # slow to import

    most = int(np.bincount(strata + 1).max())
    if most < fraction.denominator:
        raise ValueError(
            f"strata: none has more than {most} items; expected {fraction.denominator} or more of one at least, for a "
            f"share of {fraction}: join strata, or take a share such as 0.5"
        )
    state = int(random_generator(seed).integers(2**32))
    folds = StratifiedGroupKFold(fraction.denominator, shuffle=True, random_state=state)
    is_chosen = np.zeros(groups.size, dtype=bool)
    with warnings.catch_warnings():
        # it warns about a stratum with fewer items than folds, which cannot occur in every fold
        warnings.simplefilter("ignore", UserWarning)
        drawn = folds.split(groups, strata, groups)
        for _, (_, within) in zip(range(fraction.numerator), drawn, strict=False):
            is_chosen[within] = True
    return is_chosen


def _move_nearer(is_development: npt.NDArray[np.bool_], groups: Codes, strata: Codes, share: float) -> int:
    """Move subjects until no move brings the share of labelled items nearer; return how many, 0 if it is near enough.

    Each time it is the subject that leaves the strata nearest to the share, and of several the first.
    """
    places = np.unique(groups, return_inverse=True)[1]
    items = np.zeros((int(places.max()) + 1, int(strata.max()) + 1))
    np.add.at(items, (places[strata >= 0], strata[strata >= 0]), 1.0)
    chosen = np.zeros(len(items), dtype=np.bool_)
    chosen[places[is_development]] = True
    excess, sizes, moved = items[chosen].sum(axis=0) - share * items.sum(axis=0), items.sum(axis=1), 0
    if abs(excess.sum()) <= NEAR_ENOUGH * sizes.sum():
        return 0
    while True:
        sign = np.sign(excess.sum())
        can_move = (chosen == (sign > 0)) & (np.abs(excess.sum() - sign * sizes) < abs(excess.sum()))
        if not can_move.any():
            break
        off = np.where(can_move, np.abs(excess - sign * items).sum(axis=1), np.inf)
        best = int(off.argmin())
        chosen[best] = not chosen[best]
        excess, moved = excess - sign * items[best], moved + 1
    is_development[:] = chosen[places]
    return moved
