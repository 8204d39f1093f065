"""Agreement between raters on answers that are either the same or not, such as nominal answers and scores."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Literal

from agreement import cohen_kappa, gwet_ac, krippendorff_alpha, percent_agreement, percent_agreement_of_all
from agreement.coding import encode_pairs
from agreement.incomplete_pairs import left_out
from exchange.report.estimate_rows import ALL_RATERS, EstimateRow, Stratum
from services.report.interval_settings import IntervalSettings
from services.report.rows.excluded import excluded_by_either
from services.report.rows.ratings import Ratings

Answers = Sequence[Hashable | None]


def agreement_rows(
    ratings: Ratings,
    answers: Sequence[Answers],
    stratum: Stratum,
    intervals: IntervalSettings,
    compared: Literal["answers", "scores", "correctness"] = "answers",
    categories: Sequence[Hashable] | None = None,
    neither: Sequence[Sequence[bool]] = (),
) -> list[EstimateRow]:
    """Return percent agreement, kappa and AC1 for every pair of raters, and alpha for all if there are more than two.

    Parameters
    ----------
    answers
        By column, the values to compare; None if there is nothing to compare.
    categories
        The possible answers, if they are declared: AC1 depends on their number, and is left out without them.
    neither
        By column, whether a verdict was given that is not compared; empty if there are none.
    """
    by = intervals.by(ratings.clusters) | {"unit": ratings.unit}
    rows = []
    for a, b in ratings.pairs_on(stratum):
        parties = (ratings.columns[a].party, ratings.columns[b].party)
        first, second = answers[a], answers[b]
        excluded = excluded_by_either(first, second, neither[a], neither[b]) if neither else None
        percent = percent_agreement(first, second, excluded=excluded, **by)
        kappa = intervals.kappa(cohen_kappa, first, second, categories=categories, excluded=excluded, **by)
        rows += [
            EstimateRow("percent_agreement", compared, parties, stratum, percent),
            EstimateRow("cohen_kappa", compared, parties, stratum, kappa),
        ]
        if categories is not None and compared != "correctness":
            both = [place for place in range(len(first)) if first[place] is not None and second[place] is not None]
            estimate = gwet_ac(
                [[first[place], second[place]] for place in both],
                categories=categories,
                **intervals.by([ratings.clusters[place] for place in both]),
                unit=ratings.unit,
            )
            # It uses only units with both verdicts; the row of percent agreement says why the others are left out.
            estimate = replace(estimate, method=estimate.method + left_out(encode_pairs(first, second), excluded))
            rows.append(EstimateRow("gwet_ac1", compared, parties, stratum, estimate))
    if len(ratings.columns) > 2 and ratings.pairs:
        of_units = [list(given) for given in zip(*answers, strict=True)]
        apart = [list(given) for given in zip(*neither, strict=True)] if neither else None
        same = percent_agreement_of_all(of_units, excluded=apart, **by)
        rows.append(EstimateRow("percent_agreement", compared, (ALL_RATERS,), stratum, same))
        alpha = intervals.kappa(krippendorff_alpha, of_units, excluded=apart, **by)
        rows.append(EstimateRow("krippendorff_alpha", compared, (ALL_RATERS,), stratum, alpha))
    return rows
