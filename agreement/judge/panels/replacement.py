"""Whether a judge may replace a human: the alternative annotator test, and the humans' accuracy against the judge's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from agreement.alt_test import AltTest, alt_test
from agreement.coding import Floats
from agreement.estimate import Estimate, undefined
from agreement.judge.bases import adjudication_caution
from agreement.judge.material import Material
from agreement.judge.plan import Plan
from agreement.judge.rows import Panel, Row
from agreement.judge.scale import State
from agreement.judge.wording import in_brief, in_figures, in_points, listed, said_of_judges
from agreement.readers import readers_against_judge
from agreement.words import Words

KEY = "replacement"
WINNING, CURVE, READERS = "winning rate", "winning rate at another epsilon", "readers minus judge"
ADVANTAGE = "advantage probability"
FEWEST_HUMANS, FEWEST_SHARED = 3, 30
OWN_TRUTH = (
    "Readers against the judge need verdicts that neither gave: where humans agree, their own verdict stands for the "
    "adjudicated one, and would count as right whatever is true."
)
SHOWN_EPSILONS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)


def panel(material: Material, plan: Plan) -> Panel:
    """The alternative annotator test for each judge, and the humans' accuracy against the judge's.

    Parameters
    ----------
    material : Material
    plan : Plan
        Its epsilon is used.

    Returns
    -------
    Panel
    """
    rows: list[Row] = []
    sentences: list[str] = []
    refused: dict[str, list[str]] = {}
    untested: dict[str, list[str]] = {}
    for judge in material.judges:
        why = _unusable(material.labelled, judge)
        if why is None:
            result = _test(material.labelled, judge, plan)
            rows += _rows(result, judge, material.labelled, plan)
            sentences.append(_sentence(judge, result, plan))
        else:
            untested.setdefault(why, []).append(judge)
        of_readers, missing = _readers(material.labelled, judge, plan)
        rows += of_readers
        for reason in missing:
            refused.setdefault(reason, []).append(judge)
        sentences += _sentences_of_readers(judge, of_readers, material.scale.kind in ("binary", "nominal"))
    for why, judges in untested.items():
        sentences.append(f"Whether {listed(judges, len(judges))} may replace a human cannot be tested here: {why}")
    stated = said_of_judges(untested)
    return Panel(KEY, tuple(sentences), tuple(rows), (*stated, *said_of_judges(refused)), stated=stated)


def _unusable(labelled: Material, judge: str) -> str | None:
    humans = len(labelled.humans)
    if humans < FEWEST_HUMANS:
        given = f"{humans} human{'' if humans == 1 else 's'} gave verdicts"
        return f"{given}, and the test leaves one out and needs {FEWEST_HUMANS} or more."
    rated = ~np.isnan(labelled.human_table())
    own = ~np.isnan(labelled.judges[judge].codes)
    shared = (rated & own[:, None] & (rated.sum(axis=1) > 1)[:, None]).sum(axis=0)
    if (shared >= FEWEST_SHARED).sum() < FEWEST_HUMANS:
        counts = listed([f"{human}: {count}" for human, count in zip(labelled.humans, shared.tolist(), strict=True)])
        return (
            f"fewer than {FEWEST_HUMANS} humans share {FEWEST_SHARED} {labelled.unit}s with the judge and another "
            f"human ({counts}), below which its t tests do not hold."
        )
    return None


def _test(labelled: Material, judge: str, plan: Plan) -> AltTest:
    kind = labelled.scale.kind
    table, own = labelled.human_table(), labelled.judges[judge].codes
    level = {"number": "interval", "ordinal": "ordinal"}.get(kind, "nominal")
    categories = None if kind == "number" else tuple(float(code) for code in range(len(labelled.scale.levels)))
    return alt_test(
        table,
        own,
        plan.epsilon,
        level=level,  # type: ignore[arg-type]
        categories=categories,
        alpha=plan.alpha,
        clusters=labelled.clusters,
        unit=labelled.unit,
        **plan.bootstrap,
    )


def _rows(result: AltTest, judge: str, labelled: Material, plan: Plan) -> Iterator[Row]:
    humans = tuple(labelled.humans)
    passed = {True: "passes", False: "does not pass", None: "not done"}[result.passed]
    yield Row(WINNING, (judge, *humans), result.winning_rate, sentence=f"{passed} at epsilon {plan.epsilon:g}")
    yield Row(ADVANTAGE, (judge, *humans), result.advantage_probability)
    yield Row("least epsilon that passes", (judge, *humans), result.least_epsilon)
    for comparison in result.raters:
        value = np.nan if comparison.judge_advantage is None else comparison.judge_advantage
        method = Words(f"{comparison.test} test", ", one-sided P by Benjamini-Yekutieli")
        reason = "part of the test, without an interval of its own" if value == value else f"no shared {labelled.unit}s"
        against = undefined(
            "advantage of the judge", comparison.n, labelled.unit, method, reason, value=value, p=comparison.p_adjusted
        )
        won = "not worse" if comparison.won else "worse, or not known"
        yield Row("against a human", (judge, humans[comparison.column]), against, sentence=won)
    for epsilon, rate in result.curve:
        if round(epsilon, 2) in SHOWN_EPSILONS:
            point = undefined(
                f"winning rate, epsilon {epsilon:g}", result.winning_rate.n, "human",
                Words("sensitivity", ", decides nothing"), "these humans are fixed", value=rate,
            )  # fmt: skip
            yield Row(CURVE, (judge, *humans), point, f"epsilon {epsilon:g}")


def _sentence(judge: str, result: AltTest, plan: Plan) -> str:
    if result.passed is None:
        return f"Whether {judge} may replace a human cannot be tested: {result.undefined_because}."
    least = result.least_epsilon.value
    at_least = f"it would from {in_figures(least)} on" if least == least else "it would at none that was tried"
    may = "may" if result.passed else "may not"
    wins = round(result.winning_rate.value * result.winning_rate.n)
    return (
        f"By the alternative annotator test {judge} {may} replace one of the humans, being forgiven "
        f"{100 * plan.epsilon:g} points for its lower cost (epsilon {in_figures(plan.epsilon)}; {at_least}): it "
        f"wins against {wins} of {result.winning_rate.n}, and is at least as close to the others as a human on "
        f"{in_brief(result.advantage_probability)} of the {result.advantage_probability.unit}s, "
        f"n = {result.advantage_probability.n:,}."
    )


def _readers(labelled: Material, judge: str, plan: Plan) -> tuple[list[Row], list[str]]:
    """The humans' accuracy minus the judge's, against adjudicated verdicts, with fixed and with random humans."""
    decided = labelled.adjudicated
    if decided is None:
        return [], ["Readers against the judge need verdicts that neither gave: name them with --adjudicated."]
    if len(labelled.humans) < 2:
        return [], ["Readers against the judge need two humans or more."]
    if labelled.decides_differences:
        return [], [OWN_TRUTH]
    differed = adjudication_caution(labelled, judge)
    if differed is not None:
        return [], [f"{differed} Nor do they tell who is more accurate."]
    truth = np.where(decided.states == State.VERDICT, decided.codes, np.nan)
    readers = np.column_stack([_score(labelled, v.codes, truth) for v in labelled.humans.values()])
    own = _score(labelled, labelled.judges[judge].codes, truth)
    rows = []
    for which in ("fixed", "random"):
        estimate = readers_against_judge(
            readers,
            own,
            readers=which,
            clusters=labelled.clusters,
            confidence=plan.confidence,
            unit=labelled.unit,
        )
        rows.append(Row(READERS, (*labelled.humans, judge), estimate, f"{which} humans", "adjudicated", which))
    return rows, []


def _score(labelled: Material, codes: Floats, truth: Floats) -> Floats:
    """1 if right and 0 if not; for ordered levels and numbers, the negative distance."""
    if labelled.scale.kind in ("ordinal", "number"):
        return -np.abs(codes - truth)
    return np.where(np.isnan(codes) | np.isnan(truth), np.nan, (codes == truth).astype(np.float64))


def _sentences_of_readers(judge: str, rows: list[Row], shares: bool) -> Iterator[str]:
    for row in rows:
        if row.sentence == "random":
            estimate: Estimate = row.estimate
            what = "accuracy" if shares else "closeness to the adjudicated verdicts"
            size = f"{in_points(estimate, shares)}, n = {estimate.n:,}"
            yield f"In {what} humans minus {judge}: {size}, for other humans like these."
