"""The criteria that a plan declares for a judge beside humans: the available statistics, and their estimates."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from agreement.coding import Floats
from agreement.estimate import Estimate, undefined
from agreement.judge.bases import Basis, bases, counted, main_basis
from agreement.judge.coefficients import Coefficient, alpha_of_all, coefficients, weighted_kappa
from agreement.judge.diagnostic import diagnostic_accuracy
from agreement.judge.factors import Chosen
from agreement.judge.material import Material
from agreement.judge.plan import Declared, Plan
from agreement.judge.rows import EVERYTHING
from agreement.judge.scale import Scale
from agreement.judge.signed import signed_difference
from agreement.judge.withheld import in_words as why_withheld
from agreement.judge.withheld import parts_of, too_few

# An attribute and one of its levels.
_Place = tuple[str, str]
_EVERYTHING = ("", EVERYTHING)

# Their names in a plan, by the key of the scale's coefficients.
_NAMES = {
    "agreement": "percent_agreement",
    "kappa": "cohen_kappa",
    "ac1": "gwet_ac1",
    "alpha": "krippendorff_alpha",
    "weighted kappa": "quadratic_kappa",
    "icc": "icc",
    "spearman": "spearman",
    "pearson": "pearson",
    "ccc": "lin_ccc",
}


def statistics(scale: Scale, plan: Plan) -> dict[str, Coefficient]:
    """The statistics of a scale by their name in a plan; each takes the codes of human and judge.

    Parameters
    ----------
    scale : Scale
    plan : Plan
        Names the interval of weighted kappas and alpha.

    Returns
    -------
    dict of str to callable

    Examples
    --------
    >>> sorted(statistics(Scale("number"), Plan()))
    ['icc', 'lin_ccc', 'pearson', 'signed_difference']
    """
    known = {_NAMES[key]: each for key, each in coefficients(scale, plan).items() if key in _NAMES}
    if scale.kind == "ordinal":
        known["linear_kappa"] = weighted_kappa(scale, "linear", plan)
        known["krippendorff_alpha"] = partial(_alpha, scale, plan)
    if scale.shares:
        known["sensitivity"] = partial(_rate, scale, "sensitivity")
        known["specificity"] = partial(_rate, scale, "specificity")
    if scale.scored:
        known["signed_difference"] = partial(_signed, scale)
    return known


def _alpha(scale: Scale, plan: Plan, human: Floats, judge: Floats, **options: Any) -> Estimate:
    return alpha_of_all(scale, np.column_stack([human, judge]), plan, **options)


def _rate(scale: Scale, name: str, human: Floats, judge: Floats, **options: Any) -> Estimate:
    accuracy = diagnostic_accuracy(scale.scores(judge), scale.scores(human), 1.0, categories=(0.0, 1.0), **options)
    estimate: Estimate = getattr(accuracy, name)
    return estimate


def _signed(scale: Scale, human: Floats, judge: Floats, *, clusters: Any, **options: Any) -> Estimate:
    return signed_difference(scale.scores(human), scale.scores(judge), clusters, shares=scale.shares, **options)


def estimates(declared: Declared, material: Material, judge: str, plan: Plan) -> Iterator[tuple[str, Basis, Estimate]]:
    """The estimates for a declared criterion: part, human verdicts, and the statistic of judge and human.

    Parameters
    ----------
    declared : Declared
    material : Material
    judge : str
    plan : Plan

    Returns
    -------
    iterator of (str, Basis, Estimate)
        Undefined, with the reason, if the scale has no such statistic, the material has no such factor, or the
        criterion asks for something that cannot be decided here.
    """
    labelled, unit = material.labelled, material.unit
    against = _against(declared, material, plan)
    statistic = statistics(material.scale, plan).get(declared.statistic)
    lacking = [name for name in declared.by if not any(_levels(labelled, name))]
    reason = declared.unknown
    if statistic is None:
        reason = f"verdicts on this scale have no {declared.statistic.replace('_', ' ')}"
    elif lacking:
        reason = (
            f"no labelled {unit} has a {lacking[0]}"
            if lacking[0] in labelled.attributes
            else f"the {unit}s have no {lacking[0]} with several levels"
        )
    if reason or statistic is None:
        for basis in against:
            none = undefined(declared.statistic.replace("_", " "), basis.n, unit, "as declared", reason)
            yield EVERYTHING, basis, none
        return
    own = labelled.judges[judge].codes
    of_bases = [_withheld(material, judge, basis, plan) for basis in against]
    for place, among in _parts(declared, labelled):
        stratum = f"{place[0]} {place[1]}".strip()
        clusters = labelled.clusters[among] if labelled.clusters is not None else None
        for basis, withheld in zip(against, of_bases, strict=True):
            if place in withheld:
                why = why_withheld(plan.fewest_shown, unit)
                # Of two people, a majority is given where they agree: its number in this part is not said either.
                yield stratum, basis, undefined(declared.statistic.replace("_", " "), 0, unit, "as declared", why)
                continue
            part, options = basis.part(among), {**plan.bootstrap, "clusters": clusters, "unit": unit}
            yield stratum, part, statistic(part.codes, own[among], **options)


def _against(declared: Declared, material: Material, plan: Plan) -> list[Basis]:
    """The basis to compare with: each human, or the certificate's. A mean score is not a level: then the next basis."""
    every = bases(material)
    if declared.each_human:
        return [basis for basis in every if basis.name in material.humans]
    main = main_basis(material, plan)
    return [main if main.has_levels else next(basis for basis in every if basis.has_levels)]


def _withheld(material: Material, judge: str, basis: Basis, plan: Plan) -> set[_Place]:
    """The parts whose figure would disclose what a single human said; all candidates together are one of them."""
    if plan.fewest_shown <= 1:
        return set()
    on = counted(material, judge, basis)
    withheld = parts_of(material.attributes, on).withheld(plan.fewest_shown, of_verdicts=True)
    everything = {_EVERYTHING} if too_few({"": [int(among.sum()) for among in on]}, plan.fewest_shown) else set()
    return withheld | everything


def _parts(declared: Declared, labelled: Material) -> Iterator[tuple[_Place, Chosen]]:
    if not declared.by:
        yield _EVERYTHING, np.ones(labelled.n, dtype=np.bool_)
    for name in declared.by:
        for level, among in _levels(labelled, name):
            yield (name, level), among


def _levels(labelled: Material, name: str) -> Iterator[tuple[str, Chosen]]:
    """Each level that occurs among the labelled candidates; none if the material has no such factor."""
    if name in labelled.attributes:
        yield from labelled.attributes[name].levels()
