"""How many comparisons are read together, and the plan's correction for their number."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from agreement import adjust_p_values
from exchange.report.estimate_rows import Comparison, EstimateRow
from exchange.report.statistic_names import Compared, Statistic
from protocol.language.authored_plan import AuthoredComparisons
from protocol.language.wording import listed
from services.report.interval_settings import IntervalSettings

# The kinds of comparisons; the same pair compared by another method, or weighted, belongs to a separate family.
_COMPARED: frozenset[Compared] = frozenset(
    {"models", "models_over_readers", "groups", "interaction", "corrected_score"}
)
_DIFFERENCES: frozenset[Statistic] = frozenset(
    {"accuracy_difference", "agreement_difference", "kappa_difference", "mean_difference", "effect_size"}
)
# These corrections also give wider, simultaneous intervals; a false discovery rate does not apply to intervals.
_TOGETHER = frozenset({"bonferroni", "holm", "hommel"})
Family = tuple[Statistic, Compared, bool]


def counted(
    compute: Callable[[IntervalSettings], Sequence[EstimateRow]],
    intervals: IntervalSettings,
    plan: AuthoredComparisons | None,
) -> list[EstimateRow]:
    """Return a table's rows, where each comparison has its family's size and the correction that the plan asks for.

    Parameters
    ----------
    compute
        Computes the rows: the same rows in the same order for any settings.
    plan
        What the plan says about comparisons; None if it says nothing.
    """
    rows = list(compute(intervals))
    families = Counter(family for row in rows if (family := _family(row)) is not None)
    if not families:
        return rows
    # Some comparisons have no weighted row, but are read together with those that have one.
    families = Counter({family: max(n, families[(*family[:2], False)]) for family, n in families.items()})
    wider: dict[int, list[EstimateRow]] = {}
    if plan is not None and plan.correction in _TOGETHER:
        for count in set(families.values()):
            # Bonferroni: the intervals of all comparisons hold simultaneously.
            confidence = 1.0 - (1.0 - intervals.confidence) / count
            wider[count] = list(compute(replace(intervals, confidence=confidence))) if count > 1 else rows
    tested = Counter(_family(row) for row in rows if row.estimate.p is not None)
    corrected = {family: _corrected(rows, family, plan) for family in families}
    return [
        row
        if (family := _family(row)) is None
        else replace(
            row,
            comparison=Comparison(
                families[family],
                tested[family],
                plan.correction if plan is not None else "",
                next(corrected[family]),
                wider[families[family]][place].estimate if families[family] in wider else None,
            ),
        )
        for place, row in enumerate(rows)
    ]


def in_words(rows: Sequence[EstimateRow]) -> str:
    """Return how many comparisons there are, and whether they are corrected for their number; empty without any."""
    counts = [row.comparison for row in rows if row.comparison is not None]
    if not counts:
        return ""
    sizes = sorted({each.count for each in counts})
    most = sizes[-1]
    several = "Families of " if len(sizes) > 1 else ""
    said = f"{several}{listed([str(size) for size in sizes])} comparison{'' if most == 1 else 's'}"
    if not counts[0].correction:
        return said + (", not corrected for their number." if most > 1 else ".")
    if most == 1:
        return f"{said}, so that its P value needs no correction."
    together = ", and the intervals in brackets behind them hold together (Bonferroni)" if counts[0].together else ""
    some_lack_p = any(each.tested < each.count for each in counts)
    number = "the number of comparisons that have one" if some_lack_p else "their number"
    return f"{said}: the P values in the notes are corrected for {number}{together}."


def _family(row: EstimateRow) -> Family | None:
    is_compared = row.compared in _COMPARED and row.statistic in _DIFFERENCES
    return (row.statistic, row.compared, row.weighted) if is_compared else None


def _corrected(rows: Sequence[EstimateRow], family: Family, plan: AuthoredComparisons | None) -> Iterator[float | None]:
    """Yield the corrected P value of each row of a family, in order; None if it has none."""
    p = [row.estimate.p for row in rows if _family(row) == family]
    if plan is None:
        yield from (None for _ in p)
        return
    known = [math.nan if each is None else each for each in p]
    # A test that could not be done does not count as a comparison.
    for each in adjust_p_values(known, plan.correction).tolist():
        yield None if math.isnan(each) else each
