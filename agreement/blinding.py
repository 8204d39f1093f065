"""Whether raters saw through the blinding: their guesses of the source of each unit, against its true source."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from agreement.arguments import check_resamples, listed, shown
from agreement.codebook import is_missing
from agreement.coding import Codes, Floats, Ratings, compact, encode_clusters, same_length, single_values
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.methods import bootstrap_of
from agreement.resampling import Seed, bootstrap_of_sums, sums_by_cluster


def bang_blinding_index(
    source: Ratings,
    guess: Ratings,
    of: Hashable,
    *,
    sources: Sequence[Hashable],
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Bang's blinding index of one source: right guesses minus wrong ones, as a share of all its units.

    ``(right - wrong) / n``, where a rater who cannot tell counts only in n [1]_. 0 is chance, 1 all guesses right, -1
    all wrong. Percentile interval over units or clusters.

    Parameters
    ----------
    source, guess : sequence, shape (units,)
        The true source of each unit, and the guess; None is missing. A guess that is not one of the sources means that
        the rater cannot tell.
    of : hashable
        The source to compute the index for.
    sources : sequence
        The two sources.
    clusters, resamples, seed, confidence, unit
        As in `percent_agreement`.

    Returns
    -------
    Estimate
        Between -1 and 1; undefined if there are no guesses for the source.

    Raises
    ------
    ValueError
        When lengths differ, there are not two sources, or `of` is not one of them.

    References
    ----------
    .. [1] Bang, Ni and Davis (2004). Assessment of blinding in clinical trials. Control Clin Trials 25, 143-156.

    Examples
    --------
    Of the 277 treated patients in [1]_, 82 guess right, 25 guess wrong and 170 cannot tell: 57/277.

    >>> guess = ["drug"] * 82 + ["placebo"] * 25 + ["?"] * 170
    >>> result = bang_blinding_index(["drug"] * 277, guess, "drug", sources=("drug", "placebo"), resamples=200)
    >>> round(result.value, 3), result.n
    (0.206, 277)
    """
    sources = _two(sources)
    if not isinstance(of, Hashable) or is_missing(of) or of not in sources:
        raise ValueError(f"of is {shown(of)}; expected one of the sources {list(sources)!r}")
    came, said = single_values(source, "source"), single_values(guess, "guess")
    same_length(came, said, "source", "guess")
    of_own = [value if not is_missing(own) and own == of else None for own, value in zip(came, said, strict=True)]
    groups, table, n_clusters = _counted(came, of_own, sources, clusters, confidence, resamples)
    right, wrong = (0, 1) if of == sources[0] else (4, 3)
    rows = np.stack([table[:, right] - table[:, wrong], np.ones(len(table))], axis=1)
    name = f"Bang's blinding index of {of}"
    if not len(table):
        return undefined(name, 0, unit, bootstrap_of(False), f"nothing was guessed of {of}", confidence=confidence)
    options: dict[str, Any] = {"resamples": resamples, "seed": seed, "confidence": confidence, "unit": unit}
    return _estimate(lambda t: t[..., 0] / t[..., 1], rows, groups, name, n_clusters, **options)


def james_blinding_index(
    source: Ratings,
    guess: Ratings,
    *,
    sources: Sequence[Hashable],
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """James' blinding index of both sources together: chance-corrected disagreement of guesses with sources.

    ``(1 + d + (1 - d) K) / 2`` with d the share who cannot tell and ``K = (o - e) / e``, where among the others o is
    the share of wrong guesses and e the share expected if guesses did not depend on the source [1]_. 1 is complete
    blinding (nobody can tell), 0.5 guessing at random, 0 complete unblinding. It is high if most cannot tell, whatever
    the others guess; Bang's index of each source shows what they guess. Percentile interval over units or clusters.

    Parameters
    ----------
    source, guess, sources, clusters, resamples, seed, confidence, unit
        As in `bang_blinding_index`.

    Returns
    -------
    Estimate
        Between 0 and 1; undefined if all units are from one source.

    Raises
    ------
    ValueError
        When lengths differ or there are not two sources.

    References
    ----------
    .. [1] James, Bloch, Lee, Kraemer and Fuller (1996). An index for assessing blindness in a multi-centre clinical
       trial. Stat Med 15, 1421-1434; in the form of Bang, Ni and Davis (2004) with weight 1/2 for a wrong guess.

    Examples
    --------
    Nobody can tell in half of the units; in the others every guess is right: (1 + .5 - .5) / 2.

    >>> source, guess = ["a", "b"] * 4, ["a", "b", "a", "b", "?", "?", "?", "?"]
    >>> james_blinding_index(source, guess, sources=("a", "b"), resamples=200).value
    0.5
    """
    groups, table, n_clusters = _counted(source, guess, sources, clusters, confidence, resamples)
    name, n = "James' blinding index", len(table)
    value = float(_james(table.sum(axis=0))) if n else math.nan
    if math.isnan(value):
        reason = "all units are of one source" if n else f"no {unit}s"
        return undefined(name, n, unit, bootstrap_of(False), reason, confidence=confidence, n_clusters=n_clusters)
    options: dict[str, Any] = {"resamples": resamples, "seed": seed, "confidence": confidence, "unit": unit}
    return _estimate(_james, table, groups, name, n_clusters, **options)


def _james(totals: Floats) -> Floats:
    """The index from six counts: for each source, the guesses of the first, of the second, and "cannot tell"."""
    counts = np.asarray(totals, dtype=np.float64)
    n = counts.sum(axis=-1)
    cannot_tell = (counts[..., 2] + counts[..., 5]) / n
    can_tell = n * (1.0 - cannot_tell)
    with np.errstate(divide="ignore", invalid="ignore"):
        wrong = (counts[..., 1] + counts[..., 3]) / can_tell
        first, second = counts[..., :2].sum(axis=-1) / can_tell, counts[..., 3:5].sum(axis=-1) / can_tell
        says_first = (counts[..., 0] + counts[..., 3]) / can_tell
        expected = first * (1.0 - says_first) + second * says_first
        beyond = np.where(can_tell > 0, np.where(expected > 0, (wrong - expected) / expected, np.nan), 0.0)
    beyond = np.where((counts[..., :3].sum(axis=-1) > 0) & (counts[..., 3:].sum(axis=-1) > 0), beyond, np.nan)
    return np.asarray((1.0 + cannot_tell + (1.0 - cannot_tell) * beyond) / 2.0)


def _two(sources: Any) -> tuple[Hashable, ...]:
    plain = listed(sources, "sources", "two")
    comparable = all(isinstance(source, Hashable) and not is_missing(source) for source in plain)
    if len(plain) != 2 or not comparable or plain[0] == plain[1]:
        raise ValueError(f"sources are {shown(plain or sources)}; expected two")
    return plain


def _counted(
    source: Ratings,
    guess: Ratings,
    sources: Sequence[Hashable],
    clusters: Ratings | None,
    confidence: float,
    resamples: int,
) -> tuple[Codes | None, Floats, int | None]:
    """Return the cluster of each unit that has a source and a guess, and which of the six cells it is in."""
    confidence = check_confidence(confidence)
    check_resamples(resamples)
    sources = _two(sources)
    came, said = single_values(source, "source"), single_values(guess, "guess")
    same_length(came, said, "source", "guess")
    strange = [value for value in came if not is_missing(value) and value not in sources]
    if strange:
        raise ValueError(f"source holds {shown(strange[0])}; expected one of {list(sources)!r}")
    used = np.array([not is_missing(a) and not is_missing(b) for a, b in zip(came, said, strict=True)], dtype=bool)
    places = {value: place for place, value in enumerate(sources)}
    known = np.flatnonzero(used)
    from_source = np.array([places[came[unit]] for unit in known], dtype=np.intp)
    guessed = np.array([places.get(said[unit], 2) for unit in known], dtype=np.intp)
    table = np.zeros((len(known), 6))
    table[np.arange(len(known)), 3 * from_source + guessed] = 1.0
    groups, n_clusters = None, None
    if clusters is not None:
        groups, n_clusters = compact(encode_clusters(clusters, used.size)[used])
    return groups, table, n_clusters


def _estimate(
    statistic: Callable[[Floats], Floats],
    rows: Floats,
    groups: Codes | None,
    name: str,
    n_clusters: int | None,
    *,
    resamples: int,
    seed: Seed,
    confidence: float,
    unit: str,
) -> Estimate:
    spread = bootstrap_of_sums(
        statistic,
        sums_by_cluster(rows, groups),
        resamples=resamples,
        seed=seed,
        confidence=confidence,
        clustered=groups is not None,
    )
    value = float(statistic(rows.sum(axis=0)))
    return spread.estimate(name, value, len(rows), unit, confidence=confidence, n_clusters=n_clusters)
