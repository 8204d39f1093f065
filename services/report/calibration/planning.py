"""The parts of a study's analysis plan that concern judges, as the plan of a calibration."""

from __future__ import annotations

from collections.abc import Iterator

from agreement.judge.plan import Criteria, Declared, Design, Plan
from agreement.planned_seed import FEWEST_EARLIER
from protocol.analysis import AnalysisPlan
from protocol.language.authored_plan import AuthoredAnalysis, AuthoredCriterion
from protocol.language.criteria import statistic_of

# Criteria with these keys select or compare in ways that a certificate does not decide.
_BEYOND = ("where", "compare", "over", "using", "option", "k")


def plan_of(
    analysis: AuthoredAnalysis | AnalysisPlan, field: str, field_type: str, *, drawn: bool, basis: str = ""
) -> Plan:
    """Return the plan of the calibration of a field.

    Parameters
    ----------
    field, field_type
        As PHASE.FIELD, and its type. Criteria that the plan declares for its judges replace the shipped ones, except
        those on labels and humans.
    drawn
        Whether every candidate's probability of being drawn for people is known.
    basis
        The human verdicts that corrections and the certificate are based on; empty for the usual ones.
    """
    design: Design = "probability" if drawn else "unknown"
    declared = tuple(_declared(analysis, field, field_type)) if isinstance(analysis, AuthoredAnalysis) else ()
    return Plan(
        confidence=analysis.confidence,
        resamples=analysis.resamples,
        seed=analysis.seed,
        p_from=analysis.p_from if isinstance(analysis, AuthoredAnalysis) else FEWEST_EARLIER,
        of_numbers=analysis.interval_of_numbers if isinstance(analysis, AuthoredAnalysis) else "plain",
        p_in_clusters=analysis.p_in_clusters if isinstance(analysis, AuthoredAnalysis) else "normal",
        design=design,
        basis=basis or None,
        criteria=Criteria(declared=declared),
        # The first language has no fields of ordered levels or numbers.
        weighted_interval=analysis.interval_scale if isinstance(analysis, AuthoredAnalysis) else "transformed",
    )


def _declared(analysis: AuthoredAnalysis, field: str, field_type: str) -> Iterator[Declared]:
    for criterion in analysis.criteria:
        if "judges" in criterion.against and str(criterion.of[0]) == field:
            yield Declared(
                key=criterion.key,
                statistic=statistic_of(criterion, field_type),
                above=criterion.above,
                below=criterion.below,
                each_human=criterion.each_rater,
                by=tuple(criterion.by),
                fewest_candidates=criterion.least.units,
                fewest_humans=criterion.least.raters,
                unknown=_beyond(criterion),
            )


def _beyond(criterion: AuthoredCriterion) -> str:
    said = [name for name in _BEYOND if getattr(criterion, name)]
    return f"it is declared with {' and '.join(said)}, which a certificate does not decide" if said else ""
