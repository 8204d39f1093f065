"""Uniformity: whether a judge errs alike over models, categories and tiers, and which orders must not be trusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np

from agreement.coding import Floats
from agreement.estimate import Estimate, undefined
from agreement.judge.all_excluded import all_excluded
from agreement.judge.bases import Basis, bases, how_adjudicated, main_basis, only_what_differed, undecided_caution
from agreement.judge.coefficients import UNIT
from agreement.judge.direction import stands_for
from agreement.judge.factors import Factor
from agreement.judge.material import Material
from agreement.judge.plan import Plan
from agreement.judge.pool import pool_of
from agreement.judge.rates import rates_by_model
from agreement.judge.rows import Panel, Row
from agreement.judge.signed import margin_of
from agreement.judge.uniform import MOST_LEVELS, Uniformity, uniformity
from agreement.judge.wording import counted, in_points, listed, margin_in_words, p_in_words, value_in_points
from agreement.methods import score_test
from agreement.p_in_clusters import few_for_test
from agreement.words import Words

KEY = "uniformity"
TEST = "test of uniformity"
LEVEL = "signed difference"
OF_LEVELS = "difference of two levels"
LARGEST, NOTICEABLE = "largest difference compatible", "smallest difference noticeable"
ORDER = "order of two models"
TRUSTED, NOT_TRUSTED = "keeps its order", "order must not be trusted"
DIFFERENTLY = "not uniform"
NO_UNIFORMITY = "Whether {judge} errs alike is not estimable: {how_far} disagreements were adjudicated."
FINDINGS = {
    DIFFERENTLY: "errs differently over",
    "undecided": "undecided over",
    "equivalent": "alike over",
    "not estimable": "not estimable over",
}
"""Findings of a test of uniformity, in words for several factors together; the most important first."""


def panel(material: Material, plan: Plan) -> Panel:
    """Score test, simultaneous intervals and equivalence over each factor, for each judge and basis.

    Parameters
    ----------
    material : Material
    plan : Plan

    Returns
    -------
    Panel
    """
    if material.compared is not None:
        reason = "Which of two answers is better has no bias towards right or wrong; panel 1 has the agreement by part."
        return Panel(KEY, ("A bias is not defined for preferences.",), refused=(reason,))
    excluded = all_excluded(material, plan)
    if excluded:
        return Panel(KEY, ("Uniformity was not tested.",), refused=(excluded,))
    if not material.scale.scored:
        reason = "Verdicts are categories without an order: name what counts as correct with --positive."
        return Panel(KEY, ("A bias is not defined on this scale.",), refused=(reason,))
    factors = material.labelled.attributes
    if not factors:
        reason = "No model and no other attribute is named: give --model, or --by with the columns to compare."
        return Panel(KEY, ("Uniformity was not tested.",), refused=(reason,))
    usual = main_basis(material, plan)
    failing: list[Row] = []
    rows: list[Row] = []
    sentences: list[str] = []
    heads: list[tuple[bool, str]] = []
    refused = [
        f"{name} has more than {MOST_LEVELS} levels: no two of them are compared."
        for name, factor in factors.items()
        if sum(1 for _ in factor.levels()) > MOST_LEVELS
    ]
    refused += undecided_caution(material, usual, plan)
    for judge in material.judges:
        for basis in bases(material):
            differed = only_what_differed(material, judge, basis)
            if differed is not None:
                refused.append(f"{differed} Nor do they tell whether it errs alike.")
                how_far = how_adjudicated(material, judge).how_far
                sentences += [NO_UNIFORMITY.format(judge=judge, how_far=how_far)] if basis.name == usual.name else []
                continue
            results = of_factors(material, judge, basis, plan)
            whole = basis.name == usual.name
            for factor, result in results.items():
                first = whole and result.finding == DIFFERENTLY
                own = _rows(judge, basis, factor, result, whole, plan)
                for row in sorted(own, key=_by_size) if first else own:
                    (failing if first and row.statistic in (TEST, LEVEL) else rows).append(row)
            if whole:
                by_finding = sorted(results.items(), key=lambda pair: pair[1].finding != DIFFERENTLY)
                sentences += [
                    _sentence(judge, factor, result, material, plan)
                    + (_beside_rates(material, judge, basis, result, plan) if factor == "model" else "")
                    for factor, result in by_finding
                ]
                orders = list(_orders(material, judge, basis, results.get("model")))
                rows += orders
                sentences += _warning(judge, orders)
                fails = any(result.finding == DIFFERENTLY for result in results.values())
                heads.append((not fails, _head(judge, results, orders, material.scale.shares)))
    said = tuple(head for _, head in sorted(heads, key=lambda head: head[0]))
    return Panel(KEY, tuple(sentences), (*failing, *rows), tuple(refused), said)


def _by_size(row: Row) -> tuple[bool, float]:
    """Sort key: the test first, then the levels by decreasing absolute difference."""
    value = row.estimate.value
    return row.statistic != TEST, 0.0 if np.isnan(value) else -abs(value)


def _head(judge: str, results: dict[str, Uniformity], orders: list[Row], shares: bool) -> str:
    """The findings for a judge in one line; first the factors over which it errs differently, and where most."""
    said = []
    for finding, words in FINDINGS.items():
        of_finding = {factor: result for factor, result in results.items() if result.finding == finding}
        if not of_finding:
            continue
        names = [
            f"{factor} ({_furthest(result, shares)})" if finding == DIFFERENTLY else factor
            for factor, result in of_finding.items()
        ]
        said.append(f"{words} {listed(names)}")
    sizes = sorted({result.n for result in results.values()})
    said.append(f"n = {sizes[0]:,}" + (f" to {sizes[-1]:,}" if len(sizes) > 1 else ""))
    doubtful = sum(row.sentence == NOT_TRUSTED for row in orders)
    if doubtful:
        said.append(f"the order of {doubtful} of {counted(len(orders), 'pair')} of models must not be trusted")
        said[-1] += _without_interval(results["model"])
    return f"{judge}: {'; '.join(said)}."


def _without_interval(models: Uniformity) -> str:
    """How many orders are not trusted for want of an interval: a judge that never differs must not look worst."""
    without = sum(bool(np.isnan(gap.low)) for gap in models.gaps.values())
    reason = "for want of an interval, as where judge and humans never differ on a model"
    return f" ({without:,} of them {reason})" if without else ""


def _furthest(result: Uniformity, shares: bool) -> str:
    """The levels with the lowest and the highest difference between judge and humans."""
    ends = sorted(result.levels.items(), key=lambda pair: pair[1].value)
    # The sentences below explain why a level has no interval.
    said = ", ".join(f"{value_in_points(estimate, shares)} on {level}" for level, estimate in (ends[0], ends[-1]))
    return f"{said}; {'above 0 is stricter' if shares else 'human minus judge'}"


def of_factors(material: Material, judge: str, basis: Basis, plan: Plan) -> dict[str, Uniformity]:
    """Uniformity of a judge over every factor, relative to a basis.

    Parameters
    ----------
    material : Material
    judge : str
    basis : Basis
    plan : Plan

    Returns
    -------
    dict of str to Uniformity
    """
    labelled, scale = material.labelled, material.scale
    return uniformity(
        basis.scores,
        scale.scores(labelled.judges[judge].codes),
        labelled.attributes,
        labelled.clusters,
        shares=basis.right_or_wrong(scale),
        margin=margin_of(scale, plan),
        plan=plan,
    )


def _rows(judge: str, basis: Basis, factor: str, result: Uniformity, whole: bool, plan: Plan) -> Iterator[Row]:
    parties, words = (judge, basis.name), basis.in_words
    method = score_test(result.df, "factors", clustered=result.n_clusters is not None)
    reason = result.because or "a test has no interval"
    test = undefined(
        "chi-square of equal differences", result.n, UNIT, method, reason, value=result.statistic,
        p=None if np.isnan(result.p_adjusted) else result.p_adjusted, confidence=plan.confidence,
        n_clusters=result.n_clusters,
    ).warned(few_for_test(result.n_clusters, result.clusters_worth))  # fmt: skip
    yield Row(TEST, parties, test, factor, words, result.finding)
    if not whole:
        return
    for level, estimate in result.levels.items():
        together = _of_levels(estimate, len(result.levels))
        yield Row(LEVEL, parties, together, f"{factor} {level}", words, stands_for(estimate), factor)
    for levels, estimate in result.gaps.items():
        yield Row(OF_LEVELS, levels, estimate, factor, words)
    for name, value in (
        (LARGEST, result.largest),
        (NOTICEABLE, result.noticeable),
    ):
        if value is not None:
            simultaneous = Words("of every two levels", ", simultaneous")
            text = simultaneous if name == LARGEST else Words(f"power {plan.power:g}", ", smallest levels")
            estimate = undefined(name, result.n, UNIT, text, "a bound has no interval", value=value)
            yield Row(name, parties, estimate, factor, words)


def _of_levels(estimate: Estimate, times: int) -> Estimate:
    """The estimate with its P Bonferroni-adjusted over the levels, as its interval is."""
    if times == 1 or estimate.p is None:
        return estimate
    method = estimate.method + f", by Bonferroni over {times} levels"
    return replace(estimate, p=min(1.0, times * estimate.p), method=method)


def _sentence(judge: str, factor: str, result: Uniformity, material: Material, plan: Plan) -> str:
    shares, margin = material.scale.shares, margin_of(material.scale, plan)

    def size(value: float) -> str:
        return f"{100 * value:.1f} points" if shares else f"{value:.2f}"

    start = f"Over {factor}, {judge} "
    if result.finding == "not estimable":
        only = f" (only {next(iter(result.levels))} was validated)" if len(result.levels) == 1 else ""
        return f"Over {factor}, whether {judge} errs alike is not estimable: {result.lacking}{only}."
    bounds = "the range of compatible differences is not known"
    if result.largest is not None:
        bounds = f"differences up to {size(result.largest)} agree with the data"
    bounds += f", and {size(result.noticeable)} could have been noticed" if result.noticeable is not None else ""
    if result.finding == "equivalent":
        assert margin is not None
        return f"{start}errs alike within {margin_in_words(margin, shares)}: {bounds}."
    ends = sorted(result.levels.items(), key=lambda pair: pair[1].value)
    if result.finding == "not uniform":
        (least, low), (most, high) = ends[0], ends[-1]
        return (
            f"{start}does not err alike ({p_in_words(result.p_adjusted)}): {in_points(low, shares)} on {least}, "
            f"{in_points(high, shares)} on {most}; {bounds}."
        )
    said = f"shows no difference ({p_in_words(result.p_adjusted)}), which does not mean that it errs alike"
    return f"{start}{said}: {bounds}."


def _beside_rates(material: Material, judge: str, basis: Basis, result: Uniformity, plan: Plan) -> str:
    """Why panel 5 can reject equal rates where this panel does not show a difference; empty if it does not."""
    if result.finding == DIFFERENTLY or not material.scale.shares or not basis.has_levels:
        return ""
    rates = rates_by_model(pool_of(material, judge, basis, plan).in_frame())
    if rates.p is None or rates.p > 1.0 - plan.confidence:
        return ""
    return f" Its {rates.name} differs by model, though (panel 5, {p_in_words(rates.p)}): errors of both kinds cancel."


def _orders(material: Material, judge: str, basis: Basis, result: Uniformity | None) -> Iterator[Row]:
    """For every two models, the judge's difference on all candidates, shifted by the difference in bias."""
    if material.models is None or result is None:
        return
    scores = material.scale.scores(material.judges[judge].codes)
    means, sizes = _means(scores, material.models)
    for first, second in combinations(means, 2):
        raw = means[first] - means[second]
        bias = result.gaps.get((first, second))
        name = "difference of two models"
        method = Words("judge's difference on all", ", shifted by the difference in bias and its limits")
        n = sizes[first] + sizes[second]
        if bias is None or np.isnan(bias.low):
            missing = [model for model in (first, second) if model not in result.levels]
            reason = f"no labels of {listed(missing)}" if missing else "the difference in bias has no interval"
            estimate = undefined(name, n, UNIT, method, reason, value=raw)
            yield Row(ORDER, (first, second), estimate, f"by {judge}", basis.in_words, NOT_TRUSTED)
            continue
        estimate = Estimate(
            name, raw + bias.value, raw + bias.low, raw + bias.high, n, UNIT, method, confidence=bias.confidence
        )
        trusted = estimate.low > 0.0 or estimate.high < 0.0
        same = trusted and (estimate.value > 0.0) == (raw > 0.0)
        yield Row(ORDER, (first, second), estimate, f"by {judge}", basis.in_words, TRUSTED if same else NOT_TRUSTED)


def _means(scores: Floats, models: Factor) -> tuple[dict[str, float], dict[str, int]]:
    """Mean score of each model, and the number of candidates behind it."""
    known = ~np.isnan(scores) & (models.codes >= 0)
    size = np.bincount(models.codes[known], minlength=len(models.names))
    total = np.bincount(models.codes[known], weights=scores[known], minlength=len(models.names))
    # in the order of levels, which also names the differences between two models
    codes = ((name, models.names.index(name)) for name, _ in models.levels())
    there = [(name, code) for name, code in codes if size[code]]
    return {name: float(total[code] / size[code]) for name, code in there}, {
        name: int(size[code]) for name, code in there
    }


def _warning(judge: str, orders: list[Row]) -> list[str]:
    doubtful = [
        f"{first} and {second}" for row in orders for first, second in [row.parties] if row.sentence == NOT_TRUSTED
    ]
    if not doubtful:
        return (
            [f"By {judge}, the order of every two models survives the bias that these labels allow."] if orders else []
        )
    return [f"The order that {judge} gives to {'; '.join(doubtful[:6])}{_more(len(doubtful) - 6)} must not be trusted."]


def _more(rest: int) -> str:
    return f"; and {counted(rest, 'more pair')}" if rest > 0 else ""
