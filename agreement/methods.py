"""What methods of several statistics say alike, in parts: kinds of interval, degrees of freedom, what was left out."""

from __future__ import annotations

from agreement.words import Part, Term, Words

FIXED = Words(Part("these raters (fixed)", terms=("fixed",)))
RANDOM = Words(Part("raters sampled (random)", terms=("random",)))
OF_RATERS = {1: Words(Part("other raters for each item (random)", terms=("random",))), 2: RANDOM, 3: FIXED}
"""Who the raters of an intraclass correlation are, by its model."""

WILSON = Words(Part("Wilson score interval", terms=("Wilson",)))
ITEMS_ADDED = Words(Part("large-sample standard error with two items added", terms=("two items added",)))
FLEISS_COHEN_EVERITT = Words("Fleiss-Cohen-Everitt standard error", ", normal interval, assumes independent items")
EFFECTIVE_ITEMS = Words(", on the ", Part("effective number of independent items", terms=("effective number",)))
_FREEDOM: tuple[Term, ...] = ("degrees of freedom",)
T_ON_ALL = Words(Part("t with n - 1 degrees of freedom", terms=_FREEDOM))


def bootstrap_of(
    clustered: bool, *, paired: bool = False, stratified: bool = False, over_raters: bool = False
) -> Words:
    """The kind of interval that resamples give.

    Parameters
    ----------
    clustered, paired, stratified, over_raters : bool
        Whether clusters are drawn, both sides of each item together, within strata, and raters as well as items.

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
    """Wilson's interval of a share on the effective number of so many, as a kind of interval.

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
    """That tails are those of t.

    Parameters
    ----------
    freedom : int or str
        Degrees of freedom, as they are printed; estimates that differ in them alone share a note.
    preposition : str
        Before them.

    Returns
    -------
    Words

    Examples
    --------
    >>> t_with(7), t_with("12.5", "on")
    ('t with 7 degrees of freedom', 't on 12.5 degrees of freedom')
    """
    return Words(f"t {preposition} ", Part(f"{freedom}", is_number=True), Part(" degrees of freedom", terms=_FREEDOM))


def of_effective_number(effective: float, n: int, freedom: int, way: str = "") -> Words:
    """How many of the items the effective number is, and that tails are those of t; to add behind what is effective.

    A note that estimates share has neither of the numbers: each line has its own n.

    Parameters
    ----------
    effective : float
        The effective number.
    n : int
        How many items there are.
    freedom : int
        Degrees of freedom.
    way : str
        By what the effective number is, where there is more than one way.

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
        Part(f", t with {freedom} degrees of freedom", together=", by the t distribution", terms=_FREEDOM),
    )


def leaving_out(count: int, which: str) -> Words:
    """How many were left out, and which, to add to a method.

    Parameters
    ----------
    count : int
        How many; a note that estimates share does not count them.
    which : str
        What they have in common, such as ``"without both verdicts"``.

    Returns
    -------
    Words
        Empty where none was.

    Examples
    --------
    >>> leaving_out(3, "without both verdicts"), leaving_out(0, "without both verdicts")
    ('; 3 without both verdicts left out', '')
    """
    return Words("; ", Part(f"{count} ", together="those "), f"{which} left out") if count else Words()


def of_lambda(said: str) -> Words:
    """How far a judge is leaned on, to add to a method; a note that estimates share does not say it.

    Parameters
    ----------
    said : str
        With what stands before it, such as ``"; lambda 0.853"``.

    Returns
    -------
    Words
        One part.
    """
    return Words(Part(said, together=""))


def score_test(degrees: int, among: str) -> Words:
    """The test of equal differences on all levels of a factor.

    Parameters
    ----------
    degrees : int
        Its degrees of freedom.
    among : str
        What P is corrected over, in the plural.

    Returns
    -------
    Words

    Examples
    --------
    >>> score_test(2, "factors")
    'score test of equal differences, 2 degrees of freedom, P by Holm over the factors'
    """
    of = Part(f"{degrees} degrees of freedom", terms=_FREEDOM)
    return Words("score test of equal differences", ", ", of, f", P by Holm over the {among}")
