"""Scores of all of a model's candidates, estimated from human verdicts on a sample and the judge's on the rest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from agreement.both_samples import Contributions, contributions_of, of_both_samples
from agreement.caution import Caution
from agreement.coding import Codes, Floats, compact
from agreement.comparisons import paired_difference
from agreement.corrected_mean import by_weights, over_strata
from agreement.estimate import Estimate, undefined
from agreement.interval_kinds import Interval
from agreement.judge.bases import Basis, excluded_by
from agreement.judge.coefficients import UNIT
from agreement.judge.factors import Chosen, labelled_evenly, matched, means_by_code
from agreement.judge.material import Material
from agreement.judge.plan import Plan
from agreement.judge.raw_scores import raw_score
from agreement.model_comparisons import prediction_powered_difference
from agreement.p_in_clusters import few_for_normal, two_sided
from agreement.percent import mean, share
from agreement.prevalence import prediction_powered_mean
from agreement.quantiles import upper_normal, upper_t
from agreement.recovered_limits import limits_of_difference
from agreement.words import Part, Words

DESIGNS = {
    "random": "a simple random part",
    "stratified": "a random part of each stratum",
    "probability": "a part with known probabilities",
}

FEWEST_PAIRED = 10
"""The smallest number of items labelled for both models for which their difference is computed item by item."""

LEAST_SHARED = 0.5
"""The smallest share of each model's labels on items labelled for both, for the same."""

ROUNDING = 1e-9
_INDEPENDENT = ", taken as independent"


@dataclass(frozen=True)
class Pool:
    """All candidates, with the judge's scores and, for the labelled ones, the humans'.

    Attributes
    ----------
    material : Material
    human, judge : ndarray of float, shape (n,)
        Scores; nan if there is none.
    plan : Plan
    excluded : ndarray of bool, shape (n,), optional
        What the humans labelled as neither right nor wrong.
    """

    material: Material
    human: Floats
    judge: Floats
    plan: Plan
    excluded: Chosen | None = None

    def in_frame(self) -> Pool:
        """The pool restricted to the candidates from which the labelled ones were drawn."""
        frame = self.material.frame
        if frame is None:
            return self
        return self.part(replace(self.material.part(frame.among), frame=None), frame.among)

    def part(self, material: Material, among: Chosen | Codes) -> Pool:
        """The pool restricted to some of the candidates, whose material is given."""
        excluded = None if self.excluded is None else self.excluded[among]
        return Pool(material, self.human[among], self.judge[among], self.plan, excluded)

    @cached_property
    def models(self) -> dict[str, Chosen]:
        """The candidates of each model; all candidates together if no model is named."""
        if self.material.models is None:
            return {"all answers": np.ones(self.judge.size, dtype=np.bool_)}
        return dict(self.material.models.levels())

    def labelled_of(self, model: str) -> int:
        """Number of a model's candidates with a human score."""
        return int((~np.isnan(self.human[self.models[model]])).sum())

    def counted(self, among: Chosen) -> list[int]:
        """Of some candidates: how many there are, how many are labelled, and how many have a human score."""
        labelled = among[self.material.labelled_places]
        return [int(among.sum()), int(labelled.sum()), int((~np.isnan(self.human[among])).sum())]

    def excluded_of(self, model: str) -> int:
        """Number of a model's candidates that the humans excluded."""
        return 0 if self.excluded is None else int(self.excluded[self.models[model]].sum())

    def is_whole(self, model: str) -> bool:
        """Whether every candidate of a model is labelled: has a human score, or was excluded by the humans.

        Of such a model nothing is missing at random: the judge's verdicts stand in for nothing.
        """
        scored = self.labelled_of(model)
        return scored > 0 and scored + self.excluded_of(model) == int(self.models[model].sum())

    def unlabelled(self, model: str) -> Chosen:
        """A model's candidates for which the judge's verdicts stand in."""
        among = self.models[model] & np.isnan(self.human) & ~np.isnan(self.judge)
        return np.zeros_like(among) if self.is_whole(model) else among

    def corrects(self, model: str) -> bool:
        """Whether a model's labels give its score: they are all of its candidates, or it is known how they were drawn.

        Reasons for which nothing is corrected, such as labels of what differed only, are not looked at here.
        """
        return self.is_whole(model) or (self.plan.design != "unknown" and self.labelled_of(model) > 0)

    def raw(self, model: str) -> Estimate:
        """The judge's mean score of a model, over all candidates with its verdict."""
        among = self.models[model] & ~np.isnan(self.judge)
        return raw_score(self.judge[among], self._clusters(among), self.material.scale, self.plan)

    def _clusters(self, among: Chosen) -> Codes | None:
        return None if self.material.clusters is None else compact(self.material.clusters[among])[0]

    def corrected(self, model: str) -> Estimate:
        """A model's prediction-powered mean under the sampling design (`prediction_powered_mean`)."""
        among = self.models[model]
        labelled, rest = among & ~np.isnan(self.human), self.unlabelled(model)
        if not rest.any() and (self.drawn_alike or among.sum() == among[self.material.labelled_places].sum()):
            return self._of_humans(labelled, int(among.sum() - labelled.sum()), self.excluded_of(model))
        options: dict[str, Any] = {}
        if self.material.clusters is not None:
            options |= {
                "clusters": self.material.clusters[labelled],
                "unlabelled_clusters": self.material.clusters[rest],
            }
        if self.plan.design == "probability":
            options["probabilities"] = self._probability(labelled)
        if self.plan.design == "stratified" and self.material.strata is not None:
            codes = self.material.strata.codes
            options |= {"strata": codes[labelled], "unlabelled_strata": codes[rest]}
        return prediction_powered_mean(
            self.human[labelled],
            self.judge[labelled],
            self.judge[rest],
            interval=self._frozen_interval(self.human[labelled & ~np.isnan(self.judge)]),
            confidence=self.plan.confidence,
            name="corrected score",
            unit=UNIT,
            **options,
        )

    def _frozen_interval(self, scores: Floats) -> Interval | None:
        """The interval of a corrected mean of numbers by a plan of before; None for today's, and for shares."""
        is_share = bool(np.isin(scores, (0.0, 1.0)).all())
        return None if is_share or self.plan.p_in_clusters == "t" else "normal"

    def _of_humans(self, labelled: Chosen, others: int, excluded: int) -> Estimate:
        """The humans' own mean if the judge could stand in for nothing, and nothing has to be weighted."""
        scores, clusters = self.human[labelled], self._clusters(labelled)
        # Sealed verdicts are left out where the judge has none.
        out = "excluded" if self.plan.fewest_shown <= 1 else "excluded or without a verdict of the judge"
        said = f"every candidate is labelled{f', {excluded} of them {out}' if excluded else ''}"
        if others > excluded:
            said = f"every candidate with a verdict of the judge is labelled, {others} without left out"
        note = f"; {said}: the humans' own"
        if np.isin(scores, (0.0, 1.0)).all():
            confidence = self.plan.confidence
            return share(scores == 1.0, clusters, name="corrected score", unit=UNIT, note=note, confidence=confidence)
        by = self.plan.bootstrap_of_mean(clusters)
        return mean(scores, clusters, name="corrected score", unit=UNIT, note=note, **by)

    def _probability(self, labelled: Chosen) -> Floats:
        assert self.material.probability is not None
        return self.material.probability[labelled]

    def difference(self, first: str, second: str, corrected: dict[str, Estimate]) -> Estimate:
        """Corrected difference of two models: item by item if the design and the labels allow, else of their scores.

        Item by item (`prediction_powered_difference`), errors of human or judge that are alike on both models cancel.
        Of several answers to an item their mean counts. Items labelled for one of the two models only give the judge's
        difference, as those labelled for neither do. It needs at least half of each model's labels on items labelled
        for both: where candidates were drawn, not items, few are, and most labels would be lost. Nor may items with
        many answers be labelled more often than others, for which they would pass. The standard error of the difference
        of two corrected scores allows for the clusters, or else the items, that the models share.
        """
        if self.pairs(first, second):
            return self._by_item(first, second)
        a, b = corrected[first], corrected[second]
        name = "corrected difference"
        groups, _ = self._clusters_of(first, second)
        n_clusters = None if groups is None else np.unique(groups).size
        by_normal = n_clusters is None or self.plan.p_in_clusters == "normal"
        kind = ", normal interval" if by_normal else ", t interval by the number of clusters"
        method = Words("difference of the two corrected scores", kind)
        value, n = a.value - b.value, a.n + b.n
        reason = a.undefined_because or b.undefined_because
        if reason:
            return undefined(name, n, UNIT, method, reason, value=value, confidence=self.plan.confidence)
        correlation = self._correlation(first, second)
        shared = Part(f", correlation {correlation:.2f}", together=", correlated") if self._units is not None else None
        if not a.se or not b.se:
            method = Words("difference of the two corrected scores, limits from those of both", shared or _INDEPENDENT)
            low, high = limits_of_difference(a, b, correlation)
            if high - low <= ROUNDING * max(a.high - a.low, b.high - b.low):
                reason = "the errors of both scores are the same"
                return undefined(name, n, UNIT, method, reason, value=value, confidence=self.plan.confidence)
            return Estimate(
                name, value, low, high, n, UNIT, method, confidence=self.plan.confidence, n_clusters=n_clusters
            ).warned(self._of_both_samples(first, second))
        method = Words(method, shared or _INDEPENDENT)
        se = math.sqrt(max(0.0, a.se**2 + b.se**2 - 2.0 * correlation * a.se * b.se))
        if se <= ROUNDING * max(a.se, b.se):
            reason = "the standard error is 0"
            return undefined(name, n, UNIT, method, reason, value=value, confidence=self.plan.confidence)
        df = None if by_normal or n_clusters is None else max(1.0, n_clusters - 1.0)
        tail = (1.0 - self.plan.confidence) / 2.0
        half = se * (upper_normal(tail) if df is None else upper_t(tail, df))
        return Estimate(
            name, value, value - half, value + half, n, UNIT, method, se=se, p=two_sided(value / se, df),
            confidence=self.plan.confidence, n_clusters=n_clusters,
        ).warned(
            self._of_both_samples(first, second), few_for_normal(n_clusters, limits=True) if by_normal else None,
        )  # fmt: skip

    def _of_both_samples(self, *models: str) -> Caution | None:
        if self.material.clusters is None:
            return None
        a, b = (self._errors_in_units(model) for model in models)
        return of_both_samples(*self._clusters_of(*models), a.labelled + b.labelled, a.others + b.others)

    def _clusters_of(self, *models: str) -> tuple[Codes | None, Codes | None]:
        """The cluster of each candidate of several models that has a human score, and of each other one."""
        if self.material.clusters is None:
            return None, None
        among, labelled = np.any([self.models[model] for model in models], axis=0), ~np.isnan(self.human)
        return self.material.clusters[among & labelled], self.material.clusters[among & ~labelled]

    @cached_property
    def _labelled_items(self) -> dict[str, Codes]:
        """The items with a human score, for each model."""
        assert self.material.posed is not None
        labelled = np.flatnonzero(~np.isnan(self.human))
        return {model: self.material.posed[labelled[among[labelled]]] for model, among in self.models.items()}

    @cached_property
    def _evenly_labelled(self) -> set[str]:
        """The models whose items were equally likely to be labelled, if their candidates were."""
        assert self.material.posed is not None
        posed, known = self.material.posed, ~np.isnan(self.human)
        return {model for model, among in self.models.items() if labelled_evenly(posed[among], known[among])}

    @cached_property
    def drawn_alike(self) -> bool:
        """Whether every candidate was equally likely to be labelled."""
        probability = self.material.probability
        if self.plan.design != "probability" or probability is None:
            return self.plan.design == "random"
        known = probability[~np.isnan(self.human)]
        return bool(known.size and np.ptp(known) < 1e-9)

    def pairs(self, first: str, second: str) -> bool:
        """Whether two models are compared item by item: enough items are labelled for both, and few for one only."""
        alike = self.drawn_alike or (self.is_whole(first) and self.is_whole(second))
        if self.material.posed is None or not alike or not {first, second} <= self._evenly_labelled:
            return False
        of_two = self._labelled_items[first], self._labelled_items[second]
        of_both = np.intersect1d(*of_two)
        shared = all(np.isin(items, of_both).sum() >= LEAST_SHARED * items.size for items in of_two)
        return shared and of_both.size >= FEWEST_PAIRED and not self._tells_apart

    @cached_property
    def _tells_apart(self) -> bool:
        """Whether differences item by item would tell sealed verdicts: on items undecided for a model, or unjudged."""
        undecided = np.isnan(self.human) & ~np.isnan(self.judge)
        first, *others = [set(items.tolist()) for items in self._labelled_items.values() if items.size] or [set()]
        apart = undecided[self.material.labelled_places].any() or any(other != first for other in others)
        return self.plan.fewest_shown > 1 and bool(apart)

    @cached_property
    def _units(self) -> Codes | None:
        """What two models can share: clusters, or else items."""
        return self.material.clusters if self.material.clusters is not None else self.material.posed

    def _correlation(self, first: str, second: str) -> float:
        """Of the errors of two corrected scores, by the clusters or items that the models share; 0 without either."""
        if self._units is None:
            return 0.0
        a, b = self._errors_in_units(first).in_units, self._errors_in_units(second).in_units
        spread = math.sqrt(float((a**2).sum()) * float((b**2).sum()))
        return float((a * b).sum()) / spread if spread > 0.0 else 0.0

    def _errors_in_units(self, model: str) -> Contributions:
        """A model's errors, summed once, though every two models are compared."""
        if model not in self._errors_of_models:
            labelled = ~np.isnan(self.human)
            self._errors_of_models[model] = contributions_of(self._errors(model), labelled, *self._numbered_units)
        return self._errors_of_models[model]

    @cached_property
    def _numbered_units(self) -> tuple[Codes, int]:
        assert self._units is not None
        return compact(self._units)

    @cached_property
    def _errors_of_models(self) -> dict[str, Contributions]:
        """Filled by `_errors_in_units`."""
        return {}

    def _errors(self, model: str) -> Floats:
        """What each candidate contributes to the error of a model's corrected score, shape (n,)."""
        among, errors = self.models[model], np.zeros(self.judge.size)
        known, judged = among & ~np.isnan(self.human), ~np.isnan(self.judge)
        rest = self.unlabelled(model)
        if not rest.any():
            errors[known] = (self.human[known] - self.human[known].mean()) / known.sum()
            return errors
        known &= judged
        y, f, others = self.human[known], self.judge[known], self.judge[rest]
        if self.plan.design == "probability":
            errors[known], errors[rest] = by_weights(y, f, others, 1.0 / self._probability(known), True)[1:3]
            return errors
        strata = np.zeros(self.judge.size, dtype=np.intp)
        if self.plan.design == "stratified" and self.material.strata is not None:
            strata[known | rest] = compact(self.material.strata.codes[known | rest])[0]
        corrected = over_strata(y, f, others, strata[known], strata[rest], True)
        errors[known] = corrected.of_labelled + corrected.between[strata[known]]
        errors[rest] = corrected.of_others + corrected.between[strata[rest]]
        return errors

    def judge_by_item(self, models: Sequence[str]) -> tuple[Floats, Codes]:
        """The judge's mean score of each model's answers to each item that all of them answered, and its clusters.

        Returns
        -------
        scores : ndarray of float, shape (items, models)
            nan where the judge has no verdict.
        clusters : ndarray of int, shape (items,)
            Of the items; without clusters, their own numbers.
        """
        posed, judged = self.material.posed, ~np.isnan(self.judge)
        assert posed is not None
        items, (places, *_) = matched(posed, [self.models[model] for model in models])
        scores = [means_by_code(self.judge, posed, self.models[model] & judged)[items] for model in models]
        clusters = items if self.material.clusters is None else self.material.clusters[places]
        return np.column_stack(scores), compact(clusters)[0]

    def _by_item(self, first: str, second: str) -> Estimate:
        assert self.material.posed is not None
        items, (places, _) = matched(self.material.posed, [self.models[first], self.models[second]])
        groups = items if self.material.clusters is None else compact(self.material.clusters[places])[0]
        known, judged = ~np.isnan(self.human), ~np.isnan(self.judge)
        human, judge, of_labelled = (
            [means_by_code(scores, self.material.posed, self.models[model] & among)[items] for model in (first, second)]
            for scores, among in ((self.human, known), (self.judge, judged), (self.judge, judged & known))
        )
        labelled = ~np.isnan(human[0]) & ~np.isnan(human[1])
        if labelled.all() or (self.is_whole(first) and self.is_whole(second)):
            own, by = (scores[labelled] for scores in human), self.plan.bootstrap
            groups = groups[labelled]
            return paired_difference(*own, clusters=groups, name="corrected difference", tests_zero=True, **by)
        return prediction_powered_difference(
            (human[0][labelled], human[1][labelled]),
            (of_labelled[0][labelled], of_labelled[1][labelled]),
            (judge[0][~labelled], judge[1][~labelled]),
            clusters=groups[labelled], unlabelled_clusters=groups[~labelled], confidence=self.plan.confidence,
            interval=None if self.plan.p_in_clusters == "t" else "normal",
        ).difference  # fmt: skip


def pool_of(material: Material, judge: str, basis: Basis, plan: Plan) -> Pool:
    """The pool of a judge with a basis.

    Parameters
    ----------
    material : Material
        Its scale must have scores.
    judge : str
    basis : Basis
        Of ``material.labelled``.
    plan : Plan

    Returns
    -------
    Pool
    """
    human = np.full(material.n, np.nan)
    human[material.labelled_places] = basis.scores
    scores = material.scale.scores(material.judges[judge].codes)
    return Pool(material, human, scores, plan, excluded_by(material, basis))
