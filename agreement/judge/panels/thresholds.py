"""Thresholds and recalibration of a judge that gives a probability or a grade: fitted on one part, shown on another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from agreement.coding import Codes, Floats, compact
from agreement.estimate import Estimate, undefined
from agreement.judge.bases import Basis, bases, main_basis, undecided_caution
from agreement.judge.coefficients import UNIT
from agreement.judge.material import Material
from agreement.judge.panels.reliability import AS_GIVEN, RECALIBRATED, rows_of_tenths
from agreement.judge.plan import Plan
from agreement.judge.rows import Panel, Row
from agreement.judge.withheld import in_words as why_withheld
from agreement.judge.withheld import too_few
from agreement.judge.wording import counted, in_brief, in_figures
from agreement.percent import share
from agreement.recalibration import Recalibration, recalibrate
from agreement.splitting import development_and_test

KEY = "thresholds"
THRESHOLD, SPECIFICITY, SENSITIVITY = "threshold", "specificity at the threshold", "sensitivity at the threshold"
BRIER, ERROR = "Brier score", "calibration error"
ON_TEST, IN_DEVELOPMENT = "test part", "development part"
HELD_BACK, FITTED, OTHER_HALVES = "half held back", "other half", ", over other halves"
"""Names of the halves when subjects are split only here: this does not make them the test subjects of a study."""
HALVES = 20
"""Figures are of one random half of the subjects: so many further halves show how much depends on which it is."""
NO_CURVE = (
    "how often its probabilities are right is not said tenth by tenth for sealed subjects: in small tenths these would "
    "be single verdicts."
)
_NONE_POSITIVE = "name what counts as correct with --positive"


@dataclass(frozen=True)
class _Part:
    """A part's labelled candidates that the judge graded: grade, outcome (1 right, 0 wrong) and cluster."""

    score: Floats
    outcome: Floats
    clusters: Codes


@dataclass(frozen=True)
class _Division:
    """The part on which curve and threshold are fitted, the part on which they are shown, and the names of both.

    `others` are other random halves of the same subjects, if these were divided only here.
    """

    fitted: _Part
    shown: _Part
    is_of_study: bool
    others: tuple[tuple[_Part, _Part], ...] = ()

    @property
    def stratum(self) -> str:
        return ON_TEST if self.is_of_study else HELD_BACK

    @property
    def origin(self) -> str:
        return IN_DEVELOPMENT if self.is_of_study else FITTED


def panel(material: Material, plan: Plan) -> Panel:
    """For each graded judge: reliability before and after recalibration, and a threshold for the desired specificity.

    The labelled candidates are split by subject (cluster, else item) into two halves. Curve and threshold are fitted on
    one; their performance is shown on the other, held-back half. Which half that is is chance: how far threshold and
    specificity range over `HALVES` further halves of whole subjects is stated beside them.

    Parameters
    ----------
    material : Material
        It must contain grades.
    plan : Plan
        Its desired specificity and the seed of the split are used.

    Returns
    -------
    Panel
    """
    return _each(material, plan, lambda judge: _halves(_graded(material, plan, judge), plan))


def panel_of_parts(development: Material, test: Material, plan: Plan) -> Panel:
    """The same for subjects that were split beforehand: fitted on all of development, shown on all of test.

    Parameters
    ----------
    development, test : Material
        They have no subject in common.
    plan : Plan
        Sets the desired specificity, and the number of test candidates below which a figure is withheld.

    Returns
    -------
    Panel
        For the judges of test.
    """

    def parts(judge: str) -> _Division:
        on_test = _graded(test, plan, judge)
        if on_test.score.size < plan.fewest_shown:
            raise ValueError(f"what the test part says is {why_withheld(plan.fewest_shown)}")
        fitted = _graded(development, plan, judge)
        # Each material numbers its clusters on its own.
        apart = replace(on_test, clusters=on_test.clusters + 1 + int(fitted.clusters.max(initial=-1)))
        return _Division(fitted, apart, is_of_study=True)

    return _each(test, plan, parts)


def has_grades(material: Material) -> bool:
    """Whether any of the judges gives a probability or a grade, whether its meaning is known or not.

    Parameters
    ----------
    material : Material

    Returns
    -------
    bool
    """
    return any(judge in material.grades or judge in material.ungraded for judge in material.judges)


def _each(material: Material, plan: Plan, parts: Callable[[str], _Division]) -> Panel:
    usual, basis = main_basis(material, plan), right_or_wrong_basis(material, plan)
    ungraded = {judge: why for judge, why in material.ungraded.items() if judge in material.judges}
    graded = [judge for judge in material.judges if judge in material.grades]
    refused = [f"{judge}: {why}" for judge, why in ungraded.items()]
    if not graded and not ungraded:
        reason = "No probability or grade is given: name the judge's column of it with --score."
        return Panel(KEY, ("The judge gives verdicts without a probability.",), refused=(reason,))
    if not basis.right_or_wrong(material.scale):
        of_scale = "numbers are neither" if material.scale.kind == "number" else _NONE_POSITIVE
        reason = f"Thresholds need verdicts right or wrong: {of_scale}."
        return Panel(KEY, ("A threshold is not defined here.",), refused=(reason,))
    refused += undecided_caution(material, basis, plan)
    rows: list[Row] = []
    sentences = [] if basis.name == usual.name else [_instead(usual, basis)]
    sentences += [f"The meaning of {judge}'s probabilities is not known." for judge in ungraded]
    for judge in graded:
        try:
            division = parts(judge)
        except ValueError as error:
            refused.append(f"{judge}: {error}.")
            sentences.append(f"The probabilities of {judge} cannot be divided into a part to fit and one held back.")
            continue
        fitted, held_back = division.fitted, division.shown
        result = recalibrate(
            fitted.score, fitted.outcome, held_back.score, held_back.outcome,
            clusters=(fitted.clusters, held_back.clusters), unit=UNIT, **plan.bootstrap,
        )  # fmt: skip
        of_judge = [*_reliability(result, judge, division.stratum, basis.in_words)]
        if plan.fewest_shown > 1:
            refused.append(f"{judge}: {NO_CURVE}")
        else:
            of_judge += _curves(result, held_back, judge, division.stratum, basis.in_words, plan)
        of_judge += _at_threshold(division, judge, basis.in_words, plan)
        rows += of_judge
        sentences.append(_sentence(judge, result, of_judge, division, plan))
        if judge in material.grades_say:
            sentences.append(material.grades_say[judge])
    return Panel(KEY, tuple(sentences), tuple(rows), tuple(refused))


def right_or_wrong_basis(material: Material, plan: Plan) -> Basis:
    """The basis of this panel: the main one if its verdicts are right or wrong, else the first whose verdicts are.

    The mean of two humans who differ is neither right nor wrong, and with two humans corrections are based on it.

    Parameters
    ----------
    material : Material
    plan : Plan
        May name the basis.

    Returns
    -------
    Basis
        The main one if no basis has verdicts that are right or wrong.
    """
    usual = main_basis(material, plan)
    every = [usual, *bases(material)]
    return next((basis for basis in every if basis.right_or_wrong(material.scale)), usual)


def _instead(usual: Basis, basis: Basis) -> str:
    text = (
        f"Thresholds need verdicts right or wrong, which {usual.name} is not: they rest on {basis.name}, of "
        f"{basis.n} labelled candidates."
    )
    if not basis.left_out:
        return text
    return f"{text} {basis.left_out} have none, mostly those on which people differ: leaving them out flatters a judge."


def _graded(material: Material, plan: Plan, judge: str) -> _Part:
    basis, labelled = right_or_wrong_basis(material, plan), material.labelled
    grades = labelled.grades[judge]
    known = ~np.isnan(basis.scores) & ~np.isnan(grades)
    return _Part(grades[known], basis.scores[known], _subjects(labelled)[known])


def _halves(part: _Part, plan: Plan) -> _Division:
    split = development_and_test(part.clusters, part.outcome.astype(int), seed=plan.seed)
    first, second = (np.array(places, dtype=np.intp) for places in (split.development, split.test))
    others = tuple(_at_random(part, np.random.default_rng((plan.seed, number))) for number in range(HALVES))
    return _Division(_among(part, first), _among(part, second), is_of_study=False, others=others)


def _at_random(part: _Part, random: np.random.Generator) -> tuple[_Part, _Part]:
    """Two halves of the subjects. Unlike the one that is shown, they are not balanced, which takes seconds."""
    subjects, count = compact(part.clusters)
    is_first = random.permutation(count) < count / 2
    return _among(part, np.flatnonzero(is_first[subjects])), _among(part, np.flatnonzero(~is_first[subjects]))


def _among(part: _Part, places: Codes) -> _Part:
    return _Part(part.score[places], part.outcome[places], part.clusters[places])


def _subjects(labelled: Material) -> Codes:
    """The units that the parts must not share: clusters, else items, else the candidates themselves."""
    for codes in (labelled.clusters, labelled.items):
        if codes is not None:
            return compact(codes)[0]
    return np.arange(labelled.n)


def _reliability(result: Recalibration, judge: str, stratum: str, words: str) -> Iterator[Row]:
    for when, reliability in ((AS_GIVEN, result.before), (RECALIBRATED, result.after)):
        yield Row(f"{BRIER}, {when}", (judge,), reliability.brier, stratum, words)
        yield Row(f"{ERROR}, {when}", (judge,), reliability.calibration_error, stratum, words)
    yield Row("change of the Brier score", (judge,), result.change, stratum, words, result.because)


def _curves(result: Recalibration, shown: _Part, judge: str, stratum: str, words: str, plan: Plan) -> Iterator[Row]:
    """The reliability curve of the probabilities as given and recalibrated, if they are probabilities and there are."""
    recalibrated = np.array([np.nan if p is None else p for p in result.probabilities])
    for when, probability, reliability in (
        (AS_GIVEN, shown.score, result.before),
        (RECALIBRATED, recalibrated, result.after),
    ):
        if not np.isnan(reliability.brier.value):
            yield from rows_of_tenths(probability, shown.outcome, shown.clusters, judge, when, stratum, words, plan)


def _at_threshold(division: _Division, judge: str, words: str, plan: Plan) -> Iterator[Row]:
    development, test = division.fitted, division.shown
    threshold = least_threshold(development.score, development.outcome, plan.specificity)
    wanted = f"specificity of at least {in_figures(plan.specificity)} on the {division.origin}"
    n = int((development.outcome == 0.0).sum())
    reason = "a choice has no interval" if threshold == threshold else "no negatives to choose by"
    chosen = undefined("threshold", n, UNIT, wanted, reason, value=threshold)
    yield Row(THRESHOLD, (judge,), chosen, division.origin, words)
    if threshold != threshold:
        return
    said = test.score >= threshold
    numbers = {SPECIFICITY: int((test.outcome == 0.0).sum()), SENSITIVITY: int((test.outcome == 1.0).sum())}
    withheld = too_few(numbers, plan.fewest_shown)
    for name, truth, agreed in ((SPECIFICITY, 0.0, ~said), (SENSITIVITY, 1.0, said)):
        among = test.outcome == truth
        if name in withheld:
            estimate = undefined(name, 0, UNIT, "share", why_withheld(plan.fewest_shown), confidence=plan.confidence)
        else:
            clusters = compact(test.clusters[among])[0]
            estimate = share(agreed[among], clusters, name=name, unit=UNIT, confidence=plan.confidence)
        yield Row(name, (judge,), estimate, division.stratum, words)
    yield from _over_halves(division, judge, words, plan)


def _over_halves(division: _Division, judge: str, words: str, plan: Plan) -> Iterator[Row]:
    """The median and the range of threshold, specificity and sensitivity over other random halves."""
    of_halves: dict[str, list[float]] = {THRESHOLD: [], SPECIFICITY: [], SENSITIVITY: []}
    for fitted, held_back in division.others:
        threshold = least_threshold(fitted.score, fitted.outcome, plan.specificity)
        said = held_back.score >= threshold
        right, wrong = (held_back.outcome == truth for truth in (1.0, 0.0))
        if threshold == threshold and right.any() and wrong.any():
            for name, value in (
                (THRESHOLD, threshold), (SPECIFICITY, float((~said[wrong]).mean())),
                (SENSITIVITY, float(said[right].mean())),
            ):  # fmt: skip
                of_halves[name].append(value)
    for name, values in of_halves.items():
        if values:
            low, high = (in_figures(round(edge, 2)) for edge in (min(values), max(values)))
            estimate = undefined(
                name, division.fitted.score.size, UNIT, f"median over {len(values)} other halves of whole subjects",
                "a range over halves is no interval", value=float(np.median(values)),
            )  # fmt: skip
            where = division.origin if name == THRESHOLD else division.stratum
            yield Row(f"{name}{OTHER_HALVES}", (judge,), estimate, where, words, f"from {low} to {high}")


def least_threshold(score: Floats, outcome: Floats, specificity: float) -> float:
    """The lowest score at which calling a candidate right reaches the desired specificity on these same candidates.

    Parameters
    ----------
    score, outcome : ndarray of float, shape (n,)
        The higher the score, the surer; the outcome is 1 or 0.
    specificity : float

    Returns
    -------
    float
        Just above the highest score if no observed score suffices; nan if there are no negatives.

    Examples
    --------
    >>> least_threshold(np.array([0.1, 0.2, 0.3, 0.4, 0.9]), np.array([0, 0, 0, 0, 1.0]), 0.75)
    0.4
    """
    negatives = score[outcome == 0.0]
    if negatives.size == 0:
        return float("nan")
    candidates = np.append(np.unique(score), np.nextafter(score.max(), np.inf))
    below = np.searchsorted(np.sort(negatives), candidates, side="left") / negatives.size
    return float(candidates[np.flatnonzero(below >= specificity - 1e-12)[0]])


def _sentence(judge: str, result: Recalibration, rows: list[Row], division: _Division, plan: Plan) -> str:
    of = {row.statistic: row.estimate for row in rows}
    many = counted(result.before.brier.n, UNIT)
    where = "" if division.is_of_study else " of the half held back"
    text = f"On {many}{where}, the Brier score of {judge} is {in_brief(result.before.brier)}"
    if result.kind is None:
        text += f"; no curve was fitted ({result.because})"
    else:
        text += f", after {result.kind} recalibration {in_brief(result.after.brier)}"
    if SPECIFICITY in of:
        text += f"; from {in_figures(of[THRESHOLD].value)} on, chosen for a specificity of "
        text += f"{in_figures(plan.specificity)} on the {division.origin}, specificity is "
        text += f"{_with_n(of[SPECIFICITY])} and sensitivity {_with_n(of[SENSITIVITY])}"
    return f"{text}.{_on_one_half(rows, division)}"


def _on_one_half(rows: list[Row], division: _Division) -> str:
    if division.is_of_study:
        return ""
    text = " All this is of one random half of the subjects"
    ranges = {
        row.statistic.removesuffix(OTHER_HALVES): row.sentence for row in rows if row.statistic.endswith(OTHER_HALVES)
    }
    if not ranges:
        return f"{text}."
    return (
        f"{text}: over {len(division.others)} others the threshold lies {ranges[THRESHOLD]}, and specificity there "
        f"{ranges[SPECIFICITY]}."
    )


def _with_n(estimate: Estimate) -> str:
    return f"{in_brief(estimate)} (n = {estimate.n})" if estimate.n else in_brief(estimate)
