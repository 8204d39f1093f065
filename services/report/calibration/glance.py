"""The judges of a calibration at a glance: one line each, with what decides whether a judge may be used."""

from __future__ import annotations

import math
from collections.abc import Collection

from agreement.judge import missing
from agreement.judge.bases import main_basis
from agreement.judge.material import Material
from agreement.judge.panels import ceiling, criteria, direction, uniformity
from agreement.judge.plan import Plan
from agreement.judge.rows import EVERYTHING, Panel, Row
from agreement.judge.scale import IN_WORDS
from agreement.judge.signed import margin_of
from agreement.judge.wording import in_brief, in_points, listed, margin_in_words
from exchange.report.report_structure import Cell, Column, PlainTable

NOT_DEFINED = "not defined here"
_LABELS = ((direction.LABELS, "to notice"), (direction.LABELS_TO_PASS, "to pass on direction alone, if it has none"))
_OF_TWO_PARTS = (
    "The criteria of a judge whose agreement on test was opened are of test subjects; all other columns are of "
    "development subjects."
)


def at_a_glance(material: Material, panels: dict[str, Panel], plan: Plan, on_test: Collection[str] = ()) -> PlainTable:
    """Return a table with one line for each judge.

    Parameters
    ----------
    on_test
        Judges whose criteria were tested on test subjects; everything else is about development subjects.
    """
    declared = plan.criteria.declared
    return PlainTable(
        key="judges_at_a_glance",
        title="The judges at a glance",
        explanation=_OF_TWO_PARTS if on_test else "",
        columns=(
            Column("judge", "Judge", "With its prompt, where it is known"),
            Column(
                "certificate", "Plan's criteria" if declared else "Shipped criteria", criteria.origin_in_words(declared)
            ),
            Column("agreement", "Judge minus human", "Agreement with the other humans, less what a human reaches"),
            Column("direction", "Direction", "Human minus judge, and what that says"),
            Column(
                "labels",
                "Labels",
                "How many notice a difference of the margin, and how many show that a judge without a direction lies "
                "within it, as the criterion of direction asks; agreement and the other criteria may take more",
            ),
            Column("uniformity", "Over models and strata", "Whether it errs alike everywhere"),
        ),
        rows=tuple(
            (
                judge,
                _certificate(panels[criteria.KEY], judge, is_trial=plan.is_trial, on_test=judge in on_test),
                _agreement(panels[ceiling.KEY], judge),
                _direction(panels[direction.KEY], judge, material, plan),
                _labels(panels[direction.KEY], judge, material, plan),
                _uniformity(panels[uniformity.KEY], judge, material, plan),
            )
            for judge in material.judges
        ),
    )


def without_verdict(material: Material) -> PlainTable | None:
    """Return how many candidates of each model have no verdict, by judge; None if nothing is missing."""
    lines: list[tuple[Cell, ...]] = []
    for judge, verdicts in material.judges.items():
        counts = missing.by_model(verdicts, material.models)
        if counts[missing.ALL]["without"]:
            kinds = list(IN_WORDS.values())
            lines += [
                (judge, model, of["candidates"], of["without"], *(of.get(kind, 0) for kind in kinds))
                for model, of in counts.items()
            ]
    if not lines:
        return None
    return PlainTable(
        key="without_verdict",
        title="Candidates without a verdict of the judge",
        explanation=(
            "They are counted and never scored; candidates missing from a run count as having no verdict. A "
            "certificate's limit on them applies to all models together."
        ),
        columns=(
            Column("judge", "Judge", "With its prompt, where it is known"),
            Column("model", "Model", "Whose answers; models of which nothing is missing have no line"),
            Column("candidates", "Candidates", "All, labelled or not"),
            Column("without", "Without", "How many of them have no verdict"),
            *(Column(state.name.lower(), words.capitalize(), "How many of these") for state, words in IN_WORDS.items()),
        ),
        rows=tuple(lines),
        grouped=True,
    )


def _certificate(panel: Panel, judge: str, *, is_trial: bool, on_test: bool) -> str:
    where = ", on test subjects" if on_test else ", on development subjects" if is_trial else ""
    return f"{_outcome(panel, judge, 'would pass' if is_trial and not on_test else 'passed')}{where}"


def _outcome(panel: Panel, judge: str, passed: str) -> str:
    if criteria.passes(panel, judge):
        return passed
    short = {row.statistic: row.sentence for row in _of(panel, judge) if row.sentence != criteria.PASSED}
    failed = [name for name, said in short.items() if said == criteria.FAILED]
    open_ones = [name for name in short if name not in failed]
    said = [f"failed: {listed(failed)}"] if failed else []
    said += [f"not estimable: {listed(open_ones)}"] if open_ones else []
    return "; ".join(said)


def _agreement(panel: Panel, judge: str) -> Cell:
    gaps = [row for row in panel.of(ceiling.GAP, stratum=EVERYTHING) if row.parties[0] == judge]
    return f"{in_brief(gaps[0].estimate)}, n = {gaps[0].estimate.n}, {gaps[0].sentence}" if gaps else NOT_DEFINED


def _direction(panel: Panel, judge: str, material: Material, plan: Plan) -> Cell:
    rows = panel.of(direction.DIFFERENCE, parties=(judge, main_basis(material, plan).name))
    if not rows:
        return NOT_DEFINED
    estimate, margin, shares = rows[0].estimate, margin_of(material.scale, plan), material.scale.shares
    said = rows[0].sentence
    if margin is not None and direction.is_within(estimate, margin):
        said += f", within {margin_in_words(margin, shares)}"
    return f"{in_points(estimate, shares)}, n = {estimate.n}, {said}"


def _labels(panel: Panel, judge: str, material: Material, plan: Plan) -> Cell:
    parties = (judge, main_basis(material, plan).name)
    counts = [
        f"{row.estimate.value:,.0f} {what}"
        for statistic, what in _LABELS
        for row in panel.of(statistic, parties=parties)
        if not math.isnan(row.estimate.value)
    ]
    return ", ".join(counts) or NOT_DEFINED


def _uniformity(panel: Panel, judge: str, material: Material, plan: Plan) -> Cell:
    rows = panel.of(uniformity.TEST, parties=(judge, main_basis(material, plan).name))
    said = []
    for finding, words in uniformity.FINDINGS.items():
        factors = [row.stratum for row in rows if row.sentence == finding]
        said += [f"{words} {listed(factors)}"] if factors else []
    return "; ".join(said) or NOT_DEFINED


def _of(panel: Panel, judge: str) -> list[Row]:
    return [row for row in panel.rows if row.parties[0] == judge]
