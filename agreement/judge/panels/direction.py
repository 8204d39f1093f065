"""Direction: whether a judge is stricter or more lenient than humans, and how many labels would decide it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from agreement.clustered_tests import mcnemar_in_clusters
from agreement.coding import Codes, Floats
from agreement.estimate import Estimate
from agreement.judge.all_excluded import all_excluded
from agreement.judge.bases import Basis, bases, how_adjudicated, main_basis, only_what_differed, undecided_caution
from agreement.judge.coefficients import UNIT
from agreement.judge.direction import by_interval, judge_direction, stands_for
from agreement.judge.material import Material
from agreement.judge.panels import of_pairs
from agreement.judge.passing import design_effect, labels_to_pass
from agreement.judge.plan import Plan
from agreement.judge.rows import Panel, Row
from agreement.judge.signed import labels_for_margin, labels_for_mean, margin_of, signed_difference
from agreement.judge.wording import counted, in_figures, in_points, margin_in_words, p_in_words
from agreement.measurements import bland_altman
from agreement.percent import share

KEY = "direction"
DIFFERENCE = "signed difference"
LABELS, LABELS_TO_PASS = "labels needed", "labels to pass"
"""To notice a difference of the margin, and to show that there is none of it, as the criterion of direction asks."""
EXACT, IN_CLUSTERS = "mcnemar exact", "mcnemar in clusters"
_OF_DIRECTION = "the criterion of direction alone; agreement and the other criteria may take more"
_INDEPENDENT = "as if candidates were independent; with clusters read the test in clusters"


def panel(material: Material, plan: Plan) -> Panel:
    """The signed difference between each judge and every basis, its test, and the labels that would decide it.

    Parameters
    ----------
    material : Material
    plan : Plan

    Returns
    -------
    Panel
    """
    if material.compared is not None:
        return of_pairs.position(KEY, material, material.compared, plan)
    excluded = all_excluded(material, plan)
    if excluded:
        return Panel(KEY, ("No direction is known.",), refused=(excluded,))
    if not material.scale.scored:
        reason = "Verdicts are categories without an order: name what counts as correct with --positive."
        return Panel(KEY, ("A direction is not defined on this scale.",), refused=(reason,))
    labelled, margin = material.labelled, margin_of(material.scale, plan)
    to_pass = margin_to_pass(material, plan)
    main = main_basis(material, plan)
    usual = main.name
    rows = [
        row
        for judge, verdicts in labelled.judges.items()
        for basis in bases(material)
        if only_what_differed(material, judge, basis) is None
        for row in _against(
            labelled, judge, verdicts.codes, basis, (margin, to_pass) if basis.name == usual else (None, None), plan
        )
    ]
    refused: tuple[str, ...] = ()
    if margin is None:
        refused = ("No margin is declared for numbers, so the number of labels needed is not computed.",)
    differed = (only_what_differed(material, judge, basis) for judge in labelled.judges for basis in bases(material))
    refused += tuple(f"{reason} They do not show a direction." for reason in differed if reason)
    refused += tuple(undecided_caution(material, main, plan))
    whole = Panel(KEY, (), tuple(rows), refused)
    return Panel(KEY, _sentences(whole, material, margin, plan), whole.rows, refused)


def margin_to_pass(material: Material, plan: Plan) -> float | None:
    """The margin within which the criterion of direction wants both limits; None for numbers without a declared one.

    Parameters
    ----------
    material : Material
    plan : Plan

    Returns
    -------
    float or None
    """
    return plan.criteria.direction_margin or margin_of(material.scale, plan)


def _against(
    labelled: Material,
    judge: str,
    codes: Floats,
    basis: Basis,
    margins: tuple[float | None, float | None],
    plan: Plan,
) -> Iterator[Row]:
    """All rows on a judge and a basis; `margins` are those to notice and to pass, None where labels are not asked."""
    margin, to_pass = margins
    scale, parties, words = labelled.scale, (judge, basis.name), basis.in_words
    human, own, shares = basis.scores, scale.scores(codes), basis.right_or_wrong(scale)
    in_clusters = mcnemar_of_clusters(labelled, human, own, plan) if shares else None
    # its P allows for clusters, as does the interval
    estimate = signed_difference(
        human, own, labelled.clusters, shares=shares, test_in_clusters=in_clusters, **plan.bootstrap
    )
    yield Row(DIFFERENCE, parties, estimate, basis=words, sentence=stands_for(estimate))
    if shares:
        yield from _of_shares(human, own, labelled.clusters, in_clusters, parties, words, plan)
    elif not scale.shares:
        limits = bland_altman(human, own, clusters=labelled.clusters, unit=UNIT, **plan.bootstrap)
        yield Row("lower limit of agreement", parties, limits.lower, basis=words)
        yield Row("upper limit of agreement", parties, limits.upper, basis=words)
    if margin is not None:
        effect = design_effect(estimate, human - own)
        if shares:
            labels = labels_for_margin(human, own, margin, plan.power, effect, plan.confidence)
        else:
            labels = labels_for_mean(human - own, margin, plan.power, effect, plan.confidence)
        yield Row(LABELS, parties, labels, basis=words)
    if to_pass is not None:
        effect = design_effect(estimate, human - own)
        passing = labels_to_pass(human - own, to_pass, plan.power, effect, plan.confidence, shares=shares)
        yield Row(LABELS_TO_PASS, parties, passing, basis=words, sentence=_OF_DIRECTION)


def _of_shares(
    human: Floats,
    own: Floats,
    clusters: Codes | None,
    in_clusters: Estimate | None,
    parties: tuple[str, str],
    words: str,
    plan: Plan,
) -> Iterator[Row]:
    result = judge_direction(human, own, confidence=plan.confidence)
    known = ~(np.isnan(human) | np.isnan(own))
    groups = clusters[known] if clusters is not None else None
    for name, differs in (("strict", human > own), ("lenient", human < own)):
        among = differs[known]
        judged = share(among, groups, name=f"share judged too {name}ly", unit=UNIT, confidence=plan.confidence)
        yield Row(name, parties, judged, basis=words, sentence=f"{int(among.sum())} of {result.n}")
    beside = "" if in_clusters is None else _INDEPENDENT
    yield Row(EXACT, parties, result.mcnemar_exact, basis=words, sentence=beside)
    if in_clusters is not None:
        yield Row(IN_CLUSTERS, parties, in_clusters, basis=words)


def mcnemar_of_clusters(labelled: Material, human: Floats, own: Floats, plan: Plan) -> Estimate | None:
    """McNemar's test for clustered candidates (Obuchowski 1998); None without clusters.

    Parameters
    ----------
    labelled : Material
        The labelled candidates.
    human, own : ndarray of float, shape (n,)
        The verdicts of humans and of the judge: 1 for right, 0 for wrong.
    plan : Plan

    Returns
    -------
    Estimate or None
    """
    if labelled.clusters is None:
        return None
    return mcnemar_in_clusters(human, own, clusters=labelled.clusters, method="obuchowski", unit=UNIT, **plan.bootstrap)


def _sentences(panel: Panel, material: Material, margin: float | None, plan: Plan) -> tuple[str, ...]:
    basis, shares = main_basis(material, plan), material.scale.shares
    sentences = []
    for judge in material.judges:
        parties = (judge, basis.name)
        if only_what_differed(material, judge, basis) is not None:
            sentences.append(
                f"Whether {judge} is stricter or more lenient is not estimable: "
                f"{how_adjudicated(material, judge).how_far} disagreements were adjudicated."
            )
            continue
        (row,) = panel.of(DIFFERENCE, parties=parties)
        estimate = row.estimate
        if row.sentence == "undecided":
            text = f"Whether {judge} is stricter or more lenient than {basis.name} is undecided at n = {estimate.n:,}"
            text += f": human minus judge {in_points(estimate, shares)}"
            if is_within(estimate, margin):
                text += f", within the margin of {margin_in_words(margin or 0.0, shares)}"
        else:
            size = f"{in_points(_size(estimate), shares)}, n = {estimate.n:,}"
            text = f"{judge} is {row.sentence} than {basis.name}, by {size}"
        if basis.right_or_wrong(material.scale):
            text += f", {_test(panel, parties)}{_which_alone(estimate)}"
        if margin is not None:
            (needed,) = panel.of(LABELS, parties=parties)
            text += f"; {_labels(needed.estimate, margin_in_words(margin, shares), plan)}"
        for row in panel.of(LABELS_TO_PASS, parties=parties):
            text += f"; {in_words_to_pass(row.estimate, margin_to_pass(material, plan) or 0.0, shares, plan)}"
        sentences.append(f"{text}{basis.omitted}.")
    return tuple(sentences)


def is_within(estimate: Estimate, margin: float | None) -> bool:
    """Whether the whole interval of a difference lies within the margin: then it is small, whatever its sign.

    Parameters
    ----------
    estimate : Estimate
    margin : float or None

    Returns
    -------
    bool
    """
    return margin is not None and -margin < estimate.low and estimate.high < margin


def _size(estimate: Estimate) -> Estimate:
    """The absolute difference, for a sentence that states its direction in words."""
    if estimate.value >= 0.0:
        return estimate
    return replace(estimate, value=-estimate.value, low=-estimate.high, high=-estimate.low)


def _test(panel: Panel, parties: tuple[str, str]) -> str:
    clustered = panel.of(IN_CLUSTERS, parties=parties)
    (exact,) = panel.of(EXACT, parties=parties)
    if clustered:
        p = clustered[0].estimate.p
        return "no P of a single cluster" if p is None else f"McNemar in clusters {p_in_words(p)}"
    return f"exact McNemar {p_in_words(exact.estimate.p)}"


def _which_alone(estimate: Estimate) -> str:
    """Which of interval and P would decide the direction without the other; empty if they agree."""
    if stands_for(estimate) != by_interval(estimate):
        return ", so that the interval alone would decide it"
    alone = estimate.p is not None and estimate.p <= 1.0 - estimate.confidence
    if alone and by_interval(estimate) == "undecided":
        return ", so that the test alone would decide it"
    return ""


def _labels(labels: Estimate, margin: str, plan: Plan) -> str:
    if np.isnan(labels.value):
        return f"how many labels would show a difference of {margin} is not known ({labels.undefined_because})"
    return f"a difference of {margin} is noticed with power {in_figures(plan.power)} by {_how_many(labels)}"


def in_words_to_pass(labels: Estimate, margin: float, shares: bool, plan: Plan) -> str:
    """How many labels show that a judge without a direction lies within the margin.

    Parameters
    ----------
    labels : Estimate
        As by `labels_to_pass`.
    margin : float
    shares : bool
        Whether differences are in points.
    plan : Plan

    Returns
    -------
    str
    """
    what = f"that a judge without a direction lies within {margin_in_words(margin, shares)}"
    if np.isnan(labels.value):
        return f"how many labels would show {what} is not known ({labels.undefined_because})"
    return f"{what} is shown with power {in_figures(plan.power)} by {_how_many(labels)}"


def _how_many(labels: Estimate) -> str:
    limits = "" if np.isnan(labels.low) else f" ({labels.low:,.0f} to {labels.high:,.0f})"
    return f"{counted(int(labels.value), 'label')}{limits}"
