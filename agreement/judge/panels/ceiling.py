"""Against the ceiling: whether the judge agrees with humans as well as they agree with each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from agreement.estimate import Estimate
from agreement.judge.bases import Basis, adjudication_caution, bases, main_basis, undecided_caution
from agreement.judge.coefficients import alpha_of_all, ceiling_of, coefficients, headline
from agreement.judge.material import Material, Verdicts
from agreement.judge.plan import Plan
from agreement.judge.rows import EVERYTHING, Panel, Row
from agreement.judge.scale import Scale, State
from agreement.judge.wording import called, counted, in_brief, in_figures, listed
from agreement.leave_one_out import FEWEST_RATERS

KEY = "ceiling"
GAP = "judge minus human"
CEILING = "humans with each other"
OF_JUDGE = "judge with the same humans"
MOST_COMPARED = 40
"""The most humans who are compared in pairs (780 pairs); nobody reads a longer table."""


def panel(material: Material, plan: Plan) -> Panel:
    """Humans with humans, judges with humans and judges with judges, all by the same coefficients.

    Parameters
    ----------
    material : Material
    plan : Plan

    Returns
    -------
    Panel
        Rows for every two parties, each judge with every basis, the ceiling, and the parts of the labelled candidates.
    """
    labelled = material.labelled
    rows = [*_pairs(labelled, plan), *_with_bases(labelled, material, plan)]
    for judge in labelled.judges:
        rows += _ceiling(labelled, judge, plan)
    rows += _parts(material, plan)
    refused = []
    if len(material.humans) == 1:
        refused.append("One human gave verdicts: there is no agreement between humans to hold the judge against.")
    refused += [said for judge in material.judges if (said := adjudication_caution(material, judge))]
    refused += undecided_caution(material, main_basis(material, plan), plan)
    if len(material.humans) == 2:
        refused.append("Two humans: compared pairwise only, as leaving one out leaves no agreement of others.")
    if len(material.humans) > MOST_COMPARED:
        n = len(material.humans)
        refused.append(
            f"{n} humans: the {n * (n - 1) // 2:,} pairs of them are not compared one by one (up to {MOST_COMPARED} "
            "humans are); the alpha of all, and each human with the others, are of all of them."
        )
    whole = Panel(KEY, (), tuple(rows), tuple(refused))
    return Panel(KEY, _sentences(whole, material, plan), whole.rows, whole.refused)


def _options(material: Material, plan: Plan) -> dict[str, Any]:
    return {**plan.bootstrap, "clusters": material.clusters, "unit": material.unit}


def _pairs(labelled: Material, plan: Plan) -> Iterator[Row]:
    humans, judges = labelled.humans, labelled.judges
    of_humans = combinations(humans, 2) if len(humans) <= MOST_COMPARED else ()
    pairs = [*of_humans, *((judge, human) for judge in judges for human in humans)]
    everybody = {**humans, **judges}
    for first, second in [*pairs, *combinations(judges, 2)]:
        for key, statistic in coefficients(labelled.scale, plan).items():
            estimate = statistic(everybody[first].codes, everybody[second].codes, **_options(labelled, plan))
            yield Row(key, (first, second), estimate)
        yield from _with_excluded(labelled, first, second, everybody, plan)
    if len(humans) > 1:
        yield Row(
            "alpha of all humans",
            tuple(humans),
            alpha_of_all(labelled.scale, labelled.human_table(), plan, **_options(labelled, plan)),
        )


def _with_excluded(
    labelled: Material, first: str, second: str, everybody: dict[str, Verdicts], plan: Plan
) -> Iterator[Row]:
    """Agreement with *excluded* as an answer like any other, for categories that contain it."""
    both = (everybody[first], everybody[second])
    if labelled.scale.kind in ("binary", "nominal") and any((v.states == State.EXCLUDED).any() for v in both):
        codes = [np.where(v.states == State.EXCLUDED, len(labelled.scale.levels), v.codes) for v in both]
        scale = Scale("nominal", (*labelled.scale.levels, "excluded"))
        for key in ("agreement", "kappa"):
            estimate = coefficients(scale, plan)[key](*codes, **_options(labelled, plan))
            yield Row(f"{key} with excluded", (first, second), estimate)


def _with_bases(labelled: Material, material: Material, plan: Plan) -> Iterator[Row]:
    for basis in bases(material):
        if basis.name in material.humans or not basis.has_levels:
            continue
        for judge, verdicts in labelled.judges.items():
            for key, statistic in coefficients(labelled.scale, plan).items():
                estimate = statistic(verdicts.codes, basis.codes, **_options(labelled, plan))
                yield Row(key, (judge, basis.name), estimate, basis=basis.in_words)


def _ceiling(labelled: Material, judge: str, plan: Plan, stratum: str = EVERYTHING, factor: str = "") -> Iterator[Row]:
    of_judge = labelled.judges[judge].codes
    ceiling = ceiling_of(labelled.scale, labelled.human_table(), of_judge, labelled.clusters, plan, labelled.unit)
    if ceiling is None or ceiling.judge is None or ceiling.difference is None:
        return
    humans = tuple(labelled.humans)
    for human, estimate in zip(humans, ceiling.raters, strict=False):
        yield Row("human with the others", (human,), estimate, stratum, factor=factor, judge=judge)
    yield Row(CEILING, humans, ceiling.mean, stratum, f"where {judge} has a verdict", factor=factor, judge=judge)
    yield Row(OF_JUDGE, (judge, *humans), ceiling.judge, stratum, factor=factor)
    said = _as_close(ceiling.difference, plan)
    gap = ceiling.difference
    alone = [human for human, estimate in zip(humans, ceiling.raters, strict=False) if not estimate.n]
    if np.isnan(gap.value) and alone:
        # The library knows raters by their columns only.
        why = f"{alone[0]} has answered no {labelled.unit} of which the others have a consensus"
        gap = replace(gap, undefined_because=why)
    yield Row(GAP, (judge, *humans), gap, stratum, sentence=said, factor=factor)


def _as_close(gap: Estimate, plan: Plan) -> str:
    if gap.low > plan.criteria.agreement_bound:
        return f"not worse than a human by {in_figures(-plan.criteria.agreement_bound)} or more"
    return "worse than a human" if gap.high < 0.0 else "undecided"


def _parts(material: Material, plan: Plan) -> Iterator[Row]:
    """The judge with the humans, and against the ceiling, in each part of the labelled candidates."""
    labelled, against = material.labelled, _against(material, plan)
    keys = ("agreement", headline(material.scale)) if material.scale.kind != "number" else ("ccc",)
    for name, factor in labelled.attributes.items():
        for level, among in factor.levels():
            part, stratum = labelled.part(among), f"{name} {level}"
            for judge, verdicts in part.judges.items():
                for basis in (whole.part(among) for whole in against):
                    for key in keys:
                        estimate = coefficients(part.scale, plan)[key](
                            verdicts.codes, basis.codes, **_options(part, plan)
                        )
                        yield Row(key, (judge, basis.name), estimate, stratum, basis.in_words, factor=name)
                yield from _ceiling(part, judge, plan, stratum, name)


def _against(material: Material, plan: Plan) -> list[Basis]:
    """The main basis; if it is a mean score, to which no coefficient for levels applies, each human alone."""
    basis = main_basis(material, plan)
    return [basis] if basis.has_levels else [basis for basis in bases(material) if basis.name in material.humans]


def _sentences(panel: Panel, material: Material, plan: Plan) -> tuple[str, ...]:
    against, key = _against(material, plan), headline(material.scale)
    sentences = []
    for judge in material.judges:
        each = [panel.of(key, stratum=EVERYTHING, parties=(judge, basis.name))[0].estimate for basis in against]
        said = [f"{basis.name} {in_brief(estimate)}" for basis, estimate in zip(against, each, strict=True)]
        n, most = min(estimate.n for estimate in each), max(estimate.n for estimate in each)
        on = counted(n, material.unit) if n == most else f"{n:,} to {counted(most, material.unit)}"
        text = f"{judge} agrees, by {called(key)}, with {listed(said)}, on {on}"
        text += "".join(basis.omitted for basis in against)
        humans = (judge, *material.humans)
        for gap in panel.of(GAP, stratum=EVERYTHING, parties=humans):
            (ceiling,) = panel.of(CEILING, stratum=EVERYTHING, judge=judge)
            (own,) = panel.of(OF_JUDGE, stratum=EVERYTHING, parties=humans)
            others = "the others" if len(material.humans) >= FEWEST_RATERS else "each other"
            measure = "concordance" if material.scale.kind in ("ordinal", "number") else "agreement"
            if np.isnan(gap.estimate.value):
                text += f"; humans with {others}, and the judge with the same, are not comparable: "
                text += str(gap.estimate.undefined_because)
                continue
            text += (
                f"; humans with {others}: {measure} {in_brief(ceiling.estimate)}, the judge with the same "
                f"{in_brief(own.estimate)}, difference {in_brief(gap.estimate)} ({gap.sentence})"
            )
            if {gap.estimate.n} != {n, most}:
                text += f", on {counted(gap.estimate.n, material.unit)}"
        if len(material.humans) == 1:
            text += "; with one human there is no ceiling to compare it with"
        sentences.append(f"{text}.")
    return tuple(sentences)
