"""Places in mm: distances to the reference, hits within a radius or a mask, and distances between raters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.arguments import listed, number_in, read_once, shown
from agreement.codebook import is_missing
from agreement.coding import Floats, Ratings, numbers_or_nan, same_length
from agreement.estimate import Estimate
from agreement.given_numbers import as_floats
from agreement.interval_kinds import Interval
from agreement.magnitude import in_range
from agreement.pairwise import item_means, mean_of_items, same_of_items, share_of_items
from agreement.ratings import rows_of
from agreement.resampling import Seed
from agreement.result import Result

Place = Sequence[Any] | npt.NDArray[Any] | None
"""x, y and z in mm, and a pane's name if the coordinates belong to a world of that pane's own."""


@dataclass(frozen=True)
class Localisation(Result):
    """How close a rater's places are to the reference.

    Attributes
    ----------
    distance : Estimate
        Mean distance in mm, with a bootstrap interval.
    hits : Estimate
        Share of the places within the radius; Wilson's interval, or a cluster bootstrap.
    quartiles : tuple of float
        The three quartiles of the distances in mm; nan if there are no distances, with the reason in
        `undefined_because`. Unlike the mean, they are robust to a few distant misses.
    n_missing : int
        Items without a distance.
    undefined_because : str or None
        Why the quartiles are undefined.
    """

    distance: Estimate
    hits: Estimate
    quartiles: tuple[float, float, float]
    n_missing: int
    undefined_because: str | None = None


@dataclass(frozen=True)
class PlaceAgreement(Result):
    """How close raters' places are to each other.

    Attributes
    ----------
    distance : Estimate
        Mean distance between two raters in mm.
    within : Estimate or None
        Mean share of the pairs of raters whose distance is at most the radius.
    """

    distance: Estimate
    within: Estimate | None


def distances_to_reference(places: Sequence[Place] | Floats, reference: Sequence[Any] | Floats) -> Floats:
    """Distance of each place to the nearest accepted place, in mm.

    ``min over accepted of sqrt(dx^2 + dy^2 + dz^2)`` [1]_. A place that names its pane is in that pane's own world,
    which does not contain the reference: it has no distance.

    Parameters
    ----------
    places : sequence of places, shape (items, 3)
        x, y and z in mm, with an optional fourth entry that names a pane; None or nan is missing.
    reference : sequence, shape (items,)
        For each item one place, a list of accepted places, or None.

    Returns
    -------
    ndarray, shape (items,)
        nan if the place or the reference is missing, or the place names its pane.

    Raises
    ------
    ValueError
        When lengths differ or a place is not made of three finite numbers.

    References
    ----------
    .. [1] Euclid's distance; hits within a radius of it: Chakraborty and Berbaum (2004). Observer studies involving
       detection and localization. Medical Physics 31, 2313-2330 (there: the acceptance radius).

    Examples
    --------
    >>> distances_to_reference([[0, 0, 0], [1, 1, 1], None], [[3, 4, 0], [[9, 9, 9], [1, 1, 3]], [0, 0, 0]]).tolist()
    [5.0, 2.0, nan]
    """
    given = listed(places, "places", "one place for each item")
    answers = listed(reference, "reference", "one place, or several, for each item")
    same_length(given, answers, "places", "reference")
    distances = np.full(len(given), math.nan)
    for item, (place, accepted) in enumerate(zip(given, answers, strict=True)):
        own = place_of(place, "places")
        targets = _accepted(accepted)
        if own is not None and own[1] is None and targets:
            distances[item] = min(math.dist(own[0], target) for target in targets)
    return distances


def distance_to_mask(place: Place, mask: npt.NDArray[Any], affine: npt.ArrayLike) -> float:
    """Distance of a place to a mask in mm: 0 inside, otherwise to the centre of the nearest voxel of the mask.

    The place belongs to the voxel whose centre is nearest in voxel coordinates, ``round(A^-1 (x, y, z, 1))`` [1]_; a
    place outside the volume is outside the mask.

    Parameters
    ----------
    place : sequence of three numbers, or None
        x, y, z in mm.
    mask : ndarray, shape (i, j, k)
        Nonzero voxels belong to the mask.
    affine : array_like, shape (4, 4)
        From voxel indices to mm, as in a NIfTI header.

    Returns
    -------
    float
        In mm; nan for a missing place, a place that names its pane, or an empty mask: `localisation` treats it as
        missing.

    Raises
    ------
    ValueError
        When the mask is not three-dimensional, or the affine is not an invertible 4 x 4 matrix.

    References
    ----------
    .. [1] NIfTI-1 (2003), orientation by the sform: voxel indices count voxel centres.

    Examples
    --------
    Voxels of 2 mm; one is in the mask, with its centre at (2, 2, 2).

    >>> mask = np.zeros((3, 3, 3)); mask[1, 1, 1] = 1
    >>> [distance_to_mask(place, mask, np.diag([2, 2, 2, 1])) for place in ([2.9, 2, 2], [2, 2, 6])]
    [0.0, 4.0]
    """
    try:
        volume = np.asarray(mask)
    except ValueError:
        raise ValueError(f"mask is {shown(mask)}; expected an array of three dimensions") from None
    try:
        matrix = as_floats(affine)
    except (TypeError, ValueError):
        raise ValueError(f"affine is {shown(affine)}; expected an invertible matrix of shape (4, 4)") from None
    if volume.ndim != 3:
        raise ValueError(f"mask has shape {volume.shape}; expected three dimensions")
    if matrix.shape != (4, 4) or not np.isfinite(matrix).all() or abs(np.linalg.det(matrix)) < 1e-300:
        raise ValueError(f"affine is {shown(matrix.tolist())}; expected an invertible matrix of shape (4, 4)")
    own = place_of(place, "place")
    inside = np.argwhere(volume != 0)
    if own is None or own[1] is not None or not inside.size:
        return math.nan
    at = np.rint(np.linalg.solve(matrix, np.array([*own[0], 1.0]))[:3])
    if (at >= 0).all() and (at < volume.shape).all() and volume[tuple(at.astype(np.intp))] != 0:
        return 0.0
    (gaps,), exponent = in_range(inside @ matrix[:3, :3].T + matrix[:3, 3] - np.array(own[0]))
    return math.ldexp(float(np.sqrt((gaps**2).sum(axis=1)).min()), exponent)


def localisation(
    distances: Ratings,
    radius: float | Ratings,
    *,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> Localisation:
    """Mean distance to the reference, and the share of places within a radius of it.

    A place is a hit if ``distance <= radius`` [1]_. With `distance_to_mask`, a radius of 0 means inside the mask and a
    larger one allows a margin around it. Items without a distance are left out and counted. Undefined without items;
    the mean has no limits if all distances are equal.

    Parameters
    ----------
    distances : sequence of numbers, shape (items,)
        mm, from `distances_to_reference` or `distance_to_mask`; None or nan is missing.
    radius : float, or sequence, shape (items,)
        mm, at least 0.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject.
    interval : {"percentile", "bca"}, optional
        Bootstrap for all estimates. By default Wilson's interval for shares, percentiles for means, in clusters at the
        tails of t.
    resamples, seed
        For the bootstrap, see `bootstrap`.
    confidence : float
        Nominal coverage.
    unit : str
        What one entry is.

    Returns
    -------
    Localisation

    Raises
    ------
    ValueError
        When lengths differ, or a distance or radius is negative or not a finite number.

    References
    ----------
    .. [1] Chakraborty and Berbaum (2004). Observer studies involving detection and localization. Medical Physics 31,
       2313-2330.

    Examples
    --------
    >>> close = localisation([1.0, 4.0, 10.0, None], 5.0, resamples=200)
    >>> close.distance.value, round(close.hits.value, 3), close.n_missing
    (5.0, 0.667, 1)
    """
    mm = _lengths(distances, "distances")
    limit = _lengths([radius] * mm.size if isinstance(radius, int | float | np.number) else radius, "radius")
    same_length(mm, limit, "distances", "radius")
    if np.isnan(limit).any():
        raise ValueError("radius has no value for an item; expected mm, at least 0")
    known = ~np.isnan(mm)
    hit = np.where(known, (mm <= limit).astype(np.float64), math.nan)
    of = partial(_estimate, read_once(clusters), resamples, seed, interval, confidence, unit, "without a distance")
    quartiles = np.quantile(mm[known], [0.25, 0.5, 0.75]) if known.any() else np.full(3, math.nan)
    first, median, third = (float(value) for value in quartiles)
    return Localisation(
        distance=of(mm, "mean distance in mm"),
        hits=of(hit, "places within the radius", proportion=True),
        quartiles=(first, median, third),
        n_missing=int((~known).sum()),
        undefined_because=None if known.any() else f"no {unit} has a distance",
    )


def place_agreement(
    ratings: Sequence[Sequence[Place]] | npt.NDArray[Any],
    radius: float | None = None,
    *,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> PlaceAgreement:
    """Mean distance between two raters' places, and share of the pairs of raters within a radius.

    Both are means over items of the mean over pairs of raters, as in `mean_over_pairs` [1]_. Two places that name
    different panes, or only one of which names a pane, are in different worlds and are not compared.

    Parameters
    ----------
    ratings : sequence, shape (items, raters) of places, or ndarray, shape (items, raters, 3)
        x, y and z in mm, with an optional fourth entry that names a pane; None or nan is missing.
    radius : float, optional
        mm, at least 0.
    clusters, resamples, seed, interval, confidence, unit
        As in `localisation`.

    Returns
    -------
    PlaceAgreement
        In mm, and a proportion. Not corrected for chance: no volume is defined in which a guess would fall.

    Raises
    ------
    ValueError
        When the table is not (items, raters), a place is not made of three finite numbers, or the radius is negative.

    References
    ----------
    .. [1] Fleiss (1971). Measuring nominal scale agreement among many raters. Psychological Bulletin 76, 378-382.

    Examples
    --------
    >>> near = place_agreement([[[0, 0, 0], [0, 3, 4]], [[1, 1, 1], [1, 1, 2]]], radius=2, resamples=100)
    >>> near.distance.value, near.within.value
    (3.0, 0.5)
    """
    if radius is not None:
        number_in(radius, "radius", "mm, at least 0", lambda mm: 0.0 <= mm < math.inf)
    table = ratings.tolist() if isinstance(ratings, np.ndarray) else ratings
    rows = [[place_of(cell, "ratings") for cell in row] for row in rows_of(table)]

    def apart(first: tuple[Any, Any], second: tuple[Any, Any]) -> float:
        return math.dist(first[0], second[0]) if first[1] == second[1] else math.nan

    def near(first: tuple[Any, Any], second: tuple[Any, Any]) -> float:
        distance = apart(first, second)
        return distance if math.isnan(distance) or radius is None else float(distance <= radius)

    settings: dict[str, Any] = {
        "clusters": read_once(clusters), "unit": unit, "note": "without a comparable pair of raters",
        "resamples": resamples, "seed": seed, "interval": interval, "confidence": confidence,
    }  # fmt: skip
    named = "pairs of raters within the radius"
    within = same_of_items(rows, near, name=named, **settings) if radius is not None else None
    distance = mean_of_items(item_means(rows, apart), name="mean distance between raters in mm", **settings)
    return PlaceAgreement(distance, within)


def place_of(place: Any, argument: str) -> tuple[tuple[float, float, float], str | None] | None:
    """A place as three numbers and the name of its pane.

    Parameters
    ----------
    place : sequence of three numbers and possibly a text, or None
        None and nan are missing, and so is a place with a missing coordinate.
    argument : str
        Name to use in the error.

    Returns
    -------
    tuple or None

    Raises
    ------
    ValueError
        When it is anything else.

    Examples
    --------
    >>> place_of([1, 2, 3, "Prior"], "places")
    ((1.0, 2.0, 3.0), 'Prior')
    """
    plain = place.tolist() if isinstance(place, np.ndarray) else place
    if not isinstance(plain, list | tuple):
        if is_missing(plain):
            return None
        raise ValueError(f"{argument} holds {shown(plain)}; expected x, y and z in mm, or None")
    if len(plain) not in (3, 4) or (len(plain) == 4 and not isinstance(plain[3], str)):
        raise ValueError(f"{argument} holds {shown(plain)}; expected x, y and z in mm, and possibly the name of a pane")
    if any(is_missing(value) for value in plain[:3]):
        return None
    try:
        x, y, z = (float(value) for value in plain[:3])
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{argument} holds {shown(plain)}; expected x, y and z in mm") from None
    if not all(math.isfinite(value) for value in (x, y, z)):
        raise ValueError(f"{argument} holds {plain!r}; expected finite numbers")
    return (x, y, z), plain[3] if len(plain) == 4 else None


def _accepted(entry: Any) -> list[tuple[float, float, float]]:
    """The accepted places of an item, whose entry is one place, several, or missing."""
    plain = entry.tolist() if isinstance(entry, np.ndarray) else entry
    several = isinstance(plain, list | tuple) and all(isinstance(part, list | tuple | np.ndarray) for part in plain)
    places = [place_of(part, "reference") for part in (plain if several else [plain])]
    return [place[0] for place in places if place is not None]


def _lengths(values: Ratings, argument: str) -> Floats:
    mm = numbers_or_nan(values, argument)
    if (mm < 0).any():
        raise ValueError(f"{argument} holds a negative value; expected mm, at least 0")
    return mm


def _estimate(
    clusters: Ratings | None,
    resamples: int,
    seed: Seed,
    interval: Interval | None,
    confidence: float,
    unit: str,
    note: str,
    values: Floats,
    name: str,
    *,
    proportion: bool = False,
) -> Estimate:
    return (share_of_items if proportion else mean_of_items)(
        values, clusters, name=name, unit=unit, note=note, resamples=resamples, seed=seed, interval=interval,
        confidence=confidence,
    )  # fmt: skip
