"""Accuracy of a party that answers only when sure enough, by the share of answers taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agreement import risk_coverage
from exchange.report.estimate_rows import ALL_RATERS, Category, EstimateRow, Party, Stratum
from services.report.interval_settings import IntervalSettings
from services.report.rows.ratings import Ratings
from services.report.rows.steps import Numbers
from services.report.sections.fields.topics import Topic

# Take at least this share of the answers, the surest first; answers of equal confidence are taken together.
_SHARES = (
    (0.25, "the surest quarter"),
    (0.5, "the surest half"),
    (0.75, "the surest three quarters"),
    (1.0, "all"),
)
OfParties = Callable[[Ratings], Sequence[tuple[Party, Numbers, list[bool | None]]]]


def covered_by(of_parties: OfParties) -> Topic:
    """Return the topic, given each party's confidences and whether its answers are right."""

    def compute(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
        rows = []
        for party, stated, correct in of_parties(ratings):
            clusters = ratings.clusters * (len(stated) // max(1, len(ratings.clusters)))
            known = [
                (sure, is_right, cluster)
                for sure, is_right, cluster in zip(stated, correct, clusters, strict=True)
                if sure is not None and is_right is not None
            ]
            if not known:
                continue
            curve = risk_coverage([sure for sure, _, _ in known], [is_right for _, is_right, _ in known])
            unit = "verdict" if party == ALL_RATERS else ratings.unit
            for share, words in _SHARES:
                # Rounding errors must not take one answer more than the share.
                place = next(at for at, taken in enumerate(curve.coverage.tolist()) if taken >= share - 1e-9)
                least = curve.threshold[place]
                among = [(is_right, cluster) for sure, is_right, cluster in known if sure >= least]
                right, wilson = intervals.share(
                    [is_right for is_right, _ in among], [cluster for _, cluster in among], unit=unit
                )
                category = Category(f"{100 * curve.coverage[place]:.1f}", words)
                rows.append(EstimateRow("accuracy", "covered", (party,), stratum, right, wilson, category=category))
        return rows

    return Topic(
        "covered",
        "how often right among the surest",
        "Of the answers with the highest confidence, a quarter, half ... of all of them (answers of equal confidence "
        "together), the share that is right: what would be gained by leaving the others open. Where it does not rise "
        "towards the surest, the confidence says nothing of that.",
        compute,
        in_parts=False,
        drawn="coverage",
        of_models=True,
    )
