"""Items that two raters both got wrong, and got wrong in the same way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agreement.accuracy import correctness
from agreement.codebook import is_missing, refuse_unlike
from agreement.coding import Ratings, as_values, encode_clusters, same_length
from agreement.estimate import Estimate
from agreement.interval_kinds import Interval
from agreement.methods import leaving_out
from agreement.percent import share
from agreement.resampling import Seed
from agreement.result import Result

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class SharedErrors(Result):
    """How often two raters make errors on the same items.

    Attributes
    ----------
    both_wrong : Estimate
        Proportion of the items answered by both on which both were wrong.
    same_wrong_answer : Estimate
        Proportion of the items answered by both on which both gave the same wrong answer.
    same_given_both_wrong : Estimate
        Proportion of the items that both got wrong on which the wrong answer was the same.
    n_both_wrong, n_same_wrong_answer : int
        The counts.
    expected_both_wrong : float or None
        Proportion expected if the two erred independently, the product of their error rates; None without items.
    n_missing : int
        Items left out because one of them did not answer.
    """

    both_wrong: Estimate
    same_wrong_answer: Estimate
    same_given_both_wrong: Estimate
    n_both_wrong: int
    n_same_wrong_answer: int
    expected_both_wrong: float | None
    n_missing: int


def shared_errors(
    answers_a: Ratings,
    answers_b: Ratings,
    correct_a: Ratings,
    correct_b: Ratings,
    *,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> SharedErrors:
    """Items that both raters got wrong, and those that they got wrong with the same answer.

    Agreement and accuracy differ: if raters agree and are wrong, a study cannot tell a hard item from a wrong
    reference.

    Parameters
    ----------
    answers_a, answers_b : sequence, shape (items,)
        The two raters' answers, in canonical form.
    correct_a, correct_b : sequence, shape (items,)
        Whether the answer was right: True, False, or None without an answer that counts.
    clusters, resamples, seed, interval, confidence, unit
        As in `percent_agreement`.

    Returns
    -------
    SharedErrors
        `same_given_both_wrong` is undefined if no item was wrong on both sides.

    Raises
    ------
    ValueError
        When lengths differ, or correctness is given without an answer.

    References
    ----------
    .. [1] NeuroQA, 4.3: errors that both clinicians share.

    Examples
    --------
    >>> result = shared_errors(["L", "R", "R", "L"], ["L", "R", "L", "L"], [1, 0, 0, 1], [1, 0, 0, 1])
    >>> result.both_wrong.value, result.n_same_wrong_answer, result.expected_both_wrong
    (0.5, 1, 0.25)
    """
    given_a, given_b = as_values(answers_a, "answers_a"), as_values(answers_b, "answers_b")
    refuse_unlike(answers_a=given_a, answers_b=given_b)
    known_a, right_a = correctness(correct_a, "correct_a")
    known_b, right_b = correctness(correct_b, "correct_b")
    sizes = (("answers_b", len(given_b)), ("correct_a", known_a.size), ("correct_b", known_b.size))
    for argument, size in sizes:
        same_length(given_a, range(size), "answers_a", argument)
    for argument, given, known in (("answers_a", given_a, known_a), ("answers_b", given_b, known_b)):
        if any(isinstance(answer, np.ndarray) for answer in given):
            raise ValueError(f"{argument} holds an array for an answer; expected texts, numbers or lists of them")
        bare = [position for position, answer in enumerate(given) if known[position] and is_missing(answer)]
        if bare:
            raise ValueError(
                f"{argument} has no answer at position {bare[0]} where correctness is given; expected both"
            )
    both = known_a & known_b
    groups = encode_clusters(clusters, both.size) if clusters is not None else None
    wrong = both & ~right_a & ~right_b
    n_missing = int((~both).sum())
    equal = np.array([known and bool(x == y) for known, x, y in zip(both, given_a, given_b, strict=True)], dtype=bool)

    def of(name: str, among: Mask, counted: Mask) -> Estimate:
        return share(
            counted[among],
            groups[among] if groups is not None else None,
            name=name,
            unit=unit,
            note=leaving_out(n_missing, "without both answers"),
            resamples=resamples,
            seed=seed,
            interval=interval,
            confidence=confidence,
        )

    n = int(both.sum())
    errors_a, errors_b = int((both & ~right_a).sum()), int((both & ~right_b).sum())
    return SharedErrors(
        both_wrong=of("both wrong", both, wrong),
        same_wrong_answer=of("same wrong answer", both, wrong & equal),
        same_given_both_wrong=of("same answer where both wrong", wrong, equal),
        n_both_wrong=int(wrong.sum()),
        n_same_wrong_answer=int((wrong & equal).sum()),
        expected_both_wrong=errors_a * errors_b / n**2 if n else None,
        n_missing=n_missing,
    )
