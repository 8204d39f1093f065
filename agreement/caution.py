"""Cautions about an estimate, one at a time; `agreement.cautions` holds the rules for issuing them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from agreement.arguments import shown
from agreement.words import Part, parts_of

Kind = Literal[
    "few_clusters",
    "few_labelled_clusters",
    "few_other_clusters",
    "few_clusters_of_test",
    "uneven_clusters_of_test",
    "few_resampled",
    "few_for_normal",
    "few_raters",
    "few_items",
    "rare_category",
    "gathered_disagreements",
    "uneven_clusters",
    "gathered_events",
    "unseen_clusters",
    "rare_outcome",
    "nearly_constant",
    "hardly_overlapping",
    "other",
]


@dataclass(frozen=True)
class Caution:
    """One caution about an estimate.

    Parameters
    ----------
    kind : str
        The rule that issued it; ``"other"`` if it was written elsewhere.
    text : str
        Its wording; `Words` if it contains a number that differs between estimates.
    fewest : int
        The count below which it applies; 0 if it is not about a count.
    """

    kind: Kind
    text: str
    fewest: int = 0

    @property
    def made(self) -> tuple[Part, ...]:
        """The parts of the text."""
        return parts_of(self.text)


def several(*cautions: Caution | None) -> tuple[Caution, ...]:
    """Collect the cautions of several rules, dropping None.

    Parameters
    ----------
    *cautions : Caution or None
        The result of each rule; the order is kept.

    Returns
    -------
    tuple of Caution
    """
    return tuple(caution for caution in cautions if caution is not None)


def without_repeats(cautions: Iterable[Caution]) -> tuple[Caution, ...]:
    """Drop each caution whose text repeats an earlier one.

    Parameters
    ----------
    cautions : iterable of Caution

    Returns
    -------
    tuple of Caution
    """
    once: dict[str, Caution] = {}
    for caution in cautions:
        once.setdefault(caution.text, caution)
    return tuple(once.values())


def written(text: str | None) -> Iterator[Caution]:
    """Split the text of a warning into cautions, one for each sentence.

    Parameters
    ----------
    text : str or None
        Sentences separated by a semicolon, as `in_words` joins them.

    Yields
    ------
    Caution

    Raises
    ------
    ValueError
        When it is not text.

    Examples
    --------
    >>> [caution.text for caution in written("one; two")], list(written(None))
    (['one', 'two'], [])
    """
    if not (text is None or isinstance(text, str)):
        raise ValueError(f"warning is {shown(text)}; expected what to print beside the estimate, or None")
    yield from (Caution("other", sentence) for sentence in (text.split("; ") if text else ()))


def in_words(cautions: Iterable[Caution]) -> str | None:
    """Join cautions into one text.

    Parameters
    ----------
    cautions : iterable of Caution

    Returns
    -------
    str or None
        None if there are none.

    Examples
    --------
    >>> in_words([Caution("other", "one"), Caution("other", "two")])
    'one; two'
    """
    return "; ".join(caution.text for caution in cautions) or None
