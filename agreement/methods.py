"""Shared wording of `Estimate.method`: kinds of interval, degrees of freedom, items left out."""

from __future__ import annotations

from agreement.words import Part, Term, Words

FIXED = Words(Part("these raters (fixed)", terms=("fixed",)))
RANDOM = Words(Part("raters sampled (random)", terms=("random",)))
OF_RATERS = {1: Words(Part("other raters for each item (random)", terms=("random",))), 2: RANDOM, 3: FIXED}
"""Description of the raters of an intraclass correlation, by model."""

WILSON = Words(Part("Wilson score interval", terms=("Wilson",)))
ITEMS_ADDED = Words(Part("large-sample standard error with two items added", terms=("two items added",)))
FLEISS_COHEN_EVERITT = Words("Fleiss-Cohen-Everitt standard error", ", normal interval, assumes independent items")
EFFECTIVE_ITEMS = Words(", on the ", Part("effective number of independent items", terms=("effective number",)))
_FREEDOM: tuple[Term, ...] = ("degrees of freedom",)
T_ON_ALL = Words(Part("t with n - 1 degrees of freedom", terms=_FREEDOM))


def bootstrap_of(
    clustered: bool, *, paired: bool = False, stratified: bool = False, over_raters: bool = False
) -> Words:
    """The name of a kind of bootstrap.

    Parameters
    ----------
    clustered, paired, stratified, over_raters : bool
        Whether clusters are drawn; both sides of each item together; within strata; raters as well as items.

    Returns
    -------
    Words
        One part.

    Examples
    --------
    >>> bootstrap_of(True, paired=True)
    'paired cluster bootstrap'
    """
    said = ("two-way", over_raters), ("paired", paired), ("cluster", clustered), ("bootstrap", True)
    drawn = " ".join(word for word, holds in (*said, ("within strata", stratified)) if holds)
    return Words(Part(drawn, terms=("bootstrap",)))


def wilson_on_effective(of: str) -> Words:
    """The name of Wilson's interval of a share on an effective sample size.

    Parameters
    ----------
    of : str
        What is counted, in the plural, such as ``"independent items"``.

    Returns
    -------
    Words
        One part.

    Examples
    --------
    >>> wilson_on_effective("units")
    'Wilson score interval on the effective number of units'
    """
    text = f"Wilson score interval on the effective number of {of}"
    return Words(Part(text, terms=("Wilson", "effective number")))


def t_with(freedom: int | str, preposition: str = "with") -> Words:
    """A note that the t distribution is used.

    Parameters
    ----------
    freedom : int or str
        Degrees of freedom, as printed; estimates that differ only in these share a note.
    preposition : str
        Word before the degrees of freedom.

    Returns
    -------
    Words

    Examples
    --------
    >>> t_with(7), t_with("12.5", "on"), t_with(1)
    ('t with 7 degrees of freedom', 't on 12.5 degrees of freedom', 't with 1 degree of freedom')
    """
    return Words(f"t {preposition} ", Part(f"{freedom}", is_number=True), Part(f" {_degrees(freedom)}", terms=_FREEDOM))


def of_effective_number(effective: float, n: int, freedom: int, way: str = "") -> Words:
    """A note on the effective sample size and the t distribution, to follow the name of what is effective.

    A note shared by several estimates omits both numbers, since each line has its own n.

    Parameters
    ----------
    effective : float
        The effective number.
    n : int
        Number of items.
    freedom : int
        Degrees of freedom.
    way : str
        How the effective sample size was obtained, if there is more than one way.

    Returns
    -------
    Words

    Examples
    --------
    >>> said = of_effective_number(12.34, 40, 7)
    >>> said, "".join(part.text if part.together is None else part.together for part in said.parts)
    (' (12.3 of 40), t with 7 degrees of freedom', ', by the t distribution')
    """
    behind = f"; {way}" if way else ""
    return Words(
        Part(f" ({effective:.1f} of {n}{behind})", together=f", {way}" if way else ""),
        Part(f", t with {freedom} {_degrees(freedom)}", together=", by the t distribution", terms=_FREEDOM),
    )


def leaving_out(count: int, which: str) -> Words:
    """A note on how many items were left out and why, to append to a method.

    Parameters
    ----------
    count : int
        Number left out; omitted from a note shared by several estimates.
    which : str
        What they have in common, such as ``"without both verdicts"``.

    Returns
    -------
    Words
        Empty if none were left out.

    Examples
    --------
    >>> leaving_out(3, "without both verdicts"), leaving_out(0, "without both verdicts")
    ('; 3 without both verdicts left out', '')
    """
    return Words("; ", Part(f"{count} ", together="those "), f"{which} left out") if count else Words()


def of_lambda(said: str) -> Words:
    """A note on the weight lambda of the judge, to append to a method; omitted from a note shared by several estimates.

    Parameters
    ----------
    said : str
        The text with its separator, such as ``"; lambda 0.853"``.

    Returns
    -------
    Words
        One part.
    """
    return Words(Part(said, together=""))


def score_test(degrees: int, among: str, *, clustered: bool = False) -> Words:
    """The name of the score test of equal differences at all levels of a factor.

    Parameters
    ----------
    degrees : int
        Its degrees of freedom.
    among : str
        What P is adjusted over, in the plural.
    clustered : bool
        Whether it allows for clusters.

    Returns
    -------
    Words

    Examples
    --------
    >>> score_test(2, "factors")
    'score test of equal differences, 2 degrees of freedom, P by Holm over the factors'
    >>> score_test(1, "factors", clustered=True)
    'score test of equal differences, allowing for clusters, 1 degree of freedom, P by Holm over the factors'
    """
    of = Part(f"{degrees} {_degrees(degrees)}", terms=_FREEDOM)
    allowing = ", allowing for clusters" if clustered else ""
    return Words("score test of equal differences", f"{allowing}, ", of, f", P by Holm over the {among}")


def _degrees(number: int | str) -> str:
    return "degree of freedom" if str(number) == "1" else "degrees of freedom"
