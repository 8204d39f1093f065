"""The plan's criteria, which decide whether a judge is certified for exactly this model and prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from agreement.estimate import Estimate, undefined
from agreement.judge.bases import counted, how_adjudicated, main_basis, only_what_differed, undecided_caution
from agreement.judge.coefficients import ceiling_of
from agreement.judge.declared import estimates
from agreement.judge.factors import Chosen, Factor
from agreement.judge.material import Material
from agreement.judge.missing import left_out
from agreement.judge.panels.direction import in_words_to_pass, margin_to_pass, mcnemar_of_clusters
from agreement.judge.passing import design_effect, labels_to_pass
from agreement.judge.plan import Declared, Plan
from agreement.judge.rows import COUNTED, Panel, Row
from agreement.judge.signed import signed_difference
from agreement.judge.withheld import in_words as why_withheld
from agreement.judge.withheld import parts_of
from agreement.judge.wording import in_figures, in_points, listed, margin_in_words
from agreement.leave_one_out import FEWEST_RATERS

KEY = "certificate"
PASSED, FAILED, NOT_ESTIMABLE = "passed", "failed", "not estimable"
AGREEMENT, DIRECTION, STRATUM, HUMANS = "agreement", "direction", "labels in the stratum", "number of humans"
MISSING = "candidates without a verdict"


def panel(material: Material, plan: Plan) -> Panel:
    """Each criterion for each judge; a judge passes only if all are passed.

    Parameters
    ----------
    material : Material
    plan : Plan
        Its criteria are used.

    Returns
    -------
    Panel
        The sentence of each row is "passed", "failed" or "not estimable".
    """
    rows: list[Row] = []
    sentences = []
    for judge in material.judges:
        of_judge = [row for criterion in criteria_of(plan).values() for row in criterion(material, judge, plan)]
        rows += of_judge
        sentences.append(_sentence(judge, of_judge, material, plan))
    caution = undecided_caution(material, main_basis(material, plan), plan)
    return Panel(KEY, tuple(sentences), tuple(rows), tuple(caution))


def passes(panel: Panel, judge: str) -> bool:
    """Whether a judge passes all criteria.

    Parameters
    ----------
    panel : Panel
        As returned by `panel`.
    judge : str

    Returns
    -------
    bool
    """
    return all(row.sentence == PASSED for row in panel.rows if row.parties[0] == judge)


def _agreement(material: Material, judge: str, plan: Plan) -> Iterator[Row]:
    labelled, bound, unit = material.labelled, plan.criteria.agreement_bound, material.unit
    own, table = labelled.judges[judge].codes, labelled.human_table()
    parties = (judge, *labelled.humans)
    people = (~np.isnan(table)).sum(axis=1)
    # Everybody is compared with the others' majority, or two with each other.
    few = _are_few(material, judge, people >= min(FEWEST_RATERS, table.shape[1]), plan)
    ceiling = None if few else ceiling_of(labelled.scale, table, own, labelled.clusters, plan, unit)
    gap = None if ceiling is None else ceiling.difference
    if gap is None or 0 < gap.n < plan.fewest_shown:
        withheld = few or gap is not None
        n = 0 if withheld else int((~np.isnan(own) & (people > 0)).sum())
        alone = "one human: no agreement between humans to compare with"
        reason = why_withheld(plan.fewest_shown, unit) if withheld else alone
        none = undefined("judge minus human", n, unit, "leave one out", reason)
        yield Row(AGREEMENT, parties, none, sentence=NOT_ESTIMABLE)
        return
    yield Row(AGREEMENT, parties, gap, sentence=_decided(gap, gap.low > bound), bounds=(bound,))


def _are_few(material: Material, judge: str, given: Chosen, plan: Plan) -> bool:
    """Whether a figure on sealed verdicts would rest on so few labelled candidates that it tells single ones.

    Parameters
    ----------
    given : ndarray of bool, shape (labelled,)
        The labelled candidates on which it is computed, if the judge has a verdict.
    """
    judged = ~np.isnan(material.labelled.judges[judge].codes)
    return any(0 < n < plan.fewest_shown for n in (int(judged.sum()), int((judged & given).sum())))


def _decided(estimate: Estimate, clear: bool) -> str:
    if np.isnan(estimate.low):
        return NOT_ESTIMABLE
    return PASSED if clear else FAILED


def _direction(material: Material, judge: str, plan: Plan) -> Iterator[Row]:
    labelled, scale, basis = material.labelled, material.scale, main_basis(material, plan)
    unit = material.unit
    margin = margin_to_pass(material, plan)
    parties = (judge, basis.name)
    if not scale.scored or margin is None:
        reason = "no margin is declared" if scale.scored else "categories without an order have no direction"
        none = undefined("signed difference", basis.n, unit, "human minus judge", reason)
        yield Row(DIRECTION, parties, none, basis=basis.in_words, sentence=NOT_ESTIMABLE)
        return
    if only_what_differed(material, judge, basis) is not None:
        how_far = how_adjudicated(material, judge).how_far
        reason = f"adjudicated were {how_far} {unit}s on which the judge differs from a human"
        none = undefined("signed difference", basis.n, unit, "human minus judge", reason)
        yield Row(DIRECTION, parties, none, basis=basis.in_words, sentence=NOT_ESTIMABLE)
        return
    own, shares = scale.scores(labelled.judges[judge].codes), basis.right_or_wrong(scale)
    if _are_few(material, judge, basis.given, plan):
        none = undefined("signed difference", 0, unit, "human minus judge", why_withheld(plan.fewest_shown, unit))
        yield Row(DIRECTION, parties, none, basis=basis.in_words, sentence=NOT_ESTIMABLE)
        return
    # The same difference as in the panel of the direction has the same P.
    test = mcnemar_of_clusters(labelled, basis.scores, own, plan) if shares else None
    estimate = signed_difference(
        basis.scores, own, labelled.clusters, shares=shares, test_in_clusters=test, **plan.bootstrap
    )
    within = -margin < estimate.low and estimate.high < margin
    decided, bounds = _decided(estimate, within), (-margin, margin)
    yield Row(DIRECTION, parties, estimate, basis=basis.in_words, sentence=decided, bounds=bounds)


def _strata(material: Material, judge: str, plan: Plan) -> Iterator[Row]:
    """Labels in every level that occurs among the candidates, labelled or not.

    Of sealed candidates, where numbers of labels would tell on which of a few people agree, they are withheld.
    """
    basis, least, unit = main_basis(material, plan), plan.criteria.fewest_in_stratum, material.unit
    undivided = {"": Factor(np.zeros(material.n, dtype=np.intp), ("all",))}
    parts = parts_of(material.attributes or undivided, counted(material, judge, basis))
    withheld = parts.withheld(plan.fewest_shown, of_verdicts=False)
    known = parts.known(withheld) if withheld else []
    for name, levels in parts.levels.items():
        for level, groups in levels.items():
            stratum = f"{name} {level}".strip()
            n = int(parts.counts[-1][groups].sum())
            if (name, level) in withheld:
                none = undefined("labels", 0, unit, f"at least {least}", why_withheld(plan.fewest_shown, unit))
                outcome = PASSED if parts.at_least(groups, known, plan.fewest_shown) >= least else NOT_ESTIMABLE
                judged = int(parts.counts[2][groups].sum())
                if min(judged, parts.at_most(groups, known, plan.fewest_shown)) < least:
                    outcome = FAILED
                yield Row(STRATUM, (judge, basis.name), none, stratum, basis.in_words, outcome)
                continue
            labels = undefined("labels", n, unit, f"at least {least}", COUNTED, value=float(n))
            sentence = PASSED if n >= least else FAILED
            yield Row(STRATUM, (judge, basis.name), labels, stratum, basis.in_words, sentence)


def _humans(material: Material, judge: str, plan: Plan) -> Iterator[Row]:
    n, least = len(material.humans), plan.criteria.fewest_humans
    count = undefined("humans", n, "human", f"at least {least}", COUNTED, value=float(n))
    yield Row(HUMANS, (judge, *material.humans), count, sentence=PASSED if n >= least else FAILED)


def _missing(material: Material, judge: str, plan: Plan) -> Iterator[Row]:
    """Missing verdicts among the labelled candidates; used only if the plan sets a limit."""
    count, n = left_out(material.labelled.judges[judge])
    least = plan.criteria.most_missing
    method = f"at most {least:g} of the labelled"
    estimate = undefined(
        MISSING, n, material.unit, method, "held against its limit as it is", value=count / n if n else np.nan
    )
    outcome = NOT_ESTIMABLE if not n else PASSED if count / n <= (least or 0.0) else FAILED
    yield Row(MISSING, (judge,), estimate, sentence=outcome)


def _declared(declared: Declared, material: Material, judge: str, plan: Plan) -> Iterator[Row]:
    """A declared criterion, in each part and against every basis that it names."""
    too_few = len(material.humans) < declared.fewest_humans
    for stratum, basis, estimate in estimates(declared, material, judge, plan):
        outcome = _decided(
            estimate,
            (declared.above is None or estimate.low > declared.above)
            and (declared.below is None or estimate.high < declared.below),
        )
        if too_few or estimate.n < declared.fewest_candidates:
            outcome = NOT_ESTIMABLE
        yield Row(declared.key, (judge, basis.name), estimate, stratum, basis.in_words, outcome, is_declared=True)


Criterion = Callable[[Material, str, Plan], Iterator[Row]]
SHIPPED: dict[str, Criterion] = {AGREEMENT: _agreement, DIRECTION: _direction}
ALWAYS: dict[str, Criterion] = {STRATUM: _strata, HUMANS: _humans}


def criteria_of(plan: Plan) -> dict[str, Criterion]:
    """The criteria that apply, in the order in which a card lists them.

    Parameters
    ----------
    plan : Plan

    Returns
    -------
    dict of str to callable
        The criteria declared in the plan, otherwise agreement and direction; then labels and humans, and the limit on
        missing verdicts if the plan sets one.
    """
    declared = {each.key: partial(_declared, each) for each in plan.criteria.declared}
    limited: dict[str, Criterion] = {} if plan.criteria.most_missing is None else {MISSING: _missing}
    return {**(declared or SHIPPED), **ALWAYS, **limited}


def criteria_in_words(material: Material, plan: Plan) -> dict[str, str]:
    """Each criterion in words, as declared.

    Parameters
    ----------
    material : Material
    plan : Plan

    Returns
    -------
    dict of str to str
    """
    margin = margin_to_pass(material, plan)
    within = "a margin, which is not declared" if margin is None else margin_in_words(margin, material.scale.shares)
    shipped = {
        AGREEMENT: f"judge minus left-out human: lower limit above {in_figures(plan.criteria.agreement_bound)}",
        DIRECTION: f"human minus judge: both limits within {within}",
    }
    most = plan.criteria.most_missing
    limited = {} if most is None else {MISSING: f"at most {100 * most:g} % of the labelled, and of a later run"}
    return {
        **({each.key: each.in_words(material.unit) for each in plan.criteria.declared} or shipped),
        STRATUM: f"at least {plan.criteria.fewest_in_stratum} labels in every declared stratum",
        HUMANS: f"at least {plan.criteria.fewest_humans} human{'' if plan.criteria.fewest_humans == 1 else 's'}",
        **limited,
    }


def origin_in_words(declared: Sequence[object]) -> str:
    """The sentence on where the criteria come from: the plan, or the defaults if it declares none.

    Parameters
    ----------
    declared : sequence
        The criteria that the plan declares for judges.

    Returns
    -------
    str

    Examples
    --------
    >>> origin_in_words(())
    'Criteria that are shipped, as the plan declares none of judges'
    """
    return "Criteria of the plan" if declared else "Criteria that are shipped, as the plan declares none of judges"


def _brief(estimate: Estimate, shares: bool) -> str:
    words = str(estimate.undefined_because) if np.isnan(estimate.value) else in_points(estimate, shares)
    return f"{words}, n = {estimate.n:,}"


def _labels(estimate: Estimate) -> str:
    return "withheld" if np.isnan(estimate.value) else str(estimate.n)


def _labels_for_width(row: Row, judge: str, material: Material, plan: Plan) -> str:
    """How many labels would pass a judge that has no direction as far as is known, and whose interval is too wide.

    Not of one whose interval excludes 0: it has a direction, and needs more labels than one without.
    """
    margin = margin_to_pass(material, plan)
    has_direction = row.estimate.low > 0.0 or row.estimate.high < 0.0
    if row.sentence != FAILED or margin is None or has_direction or abs(row.estimate.value) >= margin:
        return ""
    if plan.fewest_shown > 1:
        # How often people and judge differ at all is not among the figures on sealed verdicts.
        return "; too wide: panel 2 says how many labels that takes"
    shares, basis = material.scale.shares, main_basis(material, plan)
    differences = basis.scores - material.scale.scores(material.labelled.judges[judge].codes)
    labels = labels_to_pass(
        differences, margin, plan.power, design_effect(row.estimate, differences), plan.confidence,
        shares=basis.right_or_wrong(material.scale),
    )  # fmt: skip
    return f"; too wide: {in_words_to_pass(labels, margin, shares, plan)}"


def _sentence(judge: str, rows: list[Row], material: Material, plan: Plan) -> str:
    said = []
    declared = {each.key for each in plan.criteria.declared}
    for key in criteria_of(plan):
        results = [row for row in rows if row.statistic == key]
        short = [row for row in results if row.sentence != PASSED]
        verdict = next((row.sentence for row in short), PASSED)
        why = ""
        if key in declared:
            why = f" ({_brief((short or results)[0].estimate, False)})"
        elif key == AGREEMENT:
            why = f" ({_brief(results[0].estimate, False)})"
        elif key == DIRECTION:
            more = _labels_for_width(results[0], judge, material, plan)
            why = f" ({_brief(results[0].estimate, material.scale.shares)}{more})"
        elif key == STRATUM and short:
            why = f" ({listed([f'{row.stratum}: {_labels(row.estimate)}' for row in short], 4)})"
        said.append(f"{key} {verdict}{why}")
    passed = all(row.sentence == PASSED for row in rows)
    result = "is certified" if passed else "is not certified"
    if plan.is_trial:
        result = f"would{'' if passed else ' not'} pass on development subjects, and nothing is certified before test"
    text = f"{judge} {result}: {'; '.join(said)}."
    return text if plan.runs_opened == 1 else f"{text} {several_opened(plan.runs_opened, plan.confidence)}"


def level_after_looks(looks: int, confidence: float) -> str:
    """The words on the confidence level if agreement was seen several times, each time on other verdicts.

    Parameters
    ----------
    looks : int
        This one included.
    confidence : float

    Returns
    -------
    str
        With the level by Bonferroni's inequality, which holds whatever was changed from one look to the next.

    Examples
    --------
    >>> level_after_looks(1, 0.95)
    'the first, for which 95 % holds'
    >>> level_after_looks(2, 0.95).partition("; ")[2]
    'if prompt, run or people were chosen after it, the best of 2 needs 97.5 %'
    """
    level = f"{100.0 * confidence:g} %"
    if looks == 1:
        return f"the first, for which {level} holds"
    best = 100.0 * (1.0 - (1.0 - confidence) / looks)
    return (
        f"this one included: {level} holds for the first; if prompt, run or people were chosen after it, the best of "
        f"{looks} needs {best:.4g} %"
    )


def several_opened(runs: int, confidence: float) -> str:
    """The sentence on the confidence level if several runs of a prompt were opened at once.

    Parameters
    ----------
    runs : int
    confidence : float

    Returns
    -------
    str

    Examples
    --------
    >>> several_opened(4, 0.95)
    '4 runs of this prompt were opened together: 95 % holds for one named before, for the best 98.75 % is needed.'
    """
    best = 100.0 * (1.0 - (1.0 - confidence) / runs)
    return (
        f"{runs} runs of this prompt were opened together: {100.0 * confidence:g} % holds for one named before, "
        f"for the best {best:.4g} % is needed."
    )
