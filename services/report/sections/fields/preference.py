"""Which of two answers is better: win rates, strengths, agreement on the preferred answer, and sides."""

from __future__ import annotations

from collections.abc import Iterator

from agreement import bradley_terry
from exchange.report.estimate_rows import ALL_RATERS, EstimateRow, Party, Stratum
from protocol.language.expansion import Phase
from services.report.interval_settings import IntervalSettings
from services.report.rows.listed_rows import CandidateLine
from services.report.rows.ratings import Ratings
from services.report.sections.fields.judges_on_scales import judges_on_scale
from services.report.sections.fields.nominal_agreement import agreement_rows
from services.report.sections.fields.shares import categories_of
from services.report.sections.fields.topics import FieldReport, Topic

_UNIT = "comparison"
_OUTCOMES = {"a": "first", "b": "second"}
# The two contestants, the outcome, and the cluster.
Comparison = tuple[str, str, str, str]


def contestants(phase: Phase, pair: CandidateLine | None) -> tuple[str, str]:
    """Return the names under which two answers compete: by the attribute that makes them a pair, or by model."""
    rule = phase.pairs
    name = "model" if rule is None or rule.of is None else rule.of
    first, second = (pair.pair if pair is not None else ()) or (None, None)
    if first is None or second is None:
        return "", ""
    former, other = (line.model if name == "model" else line.attributes.get(name, "") for line in (first, second))
    return former, other


def _comparisons(ratings: Ratings) -> Iterator[Comparison]:
    """Yield every preference of every rater; two answers of the same contestant are not a comparison."""
    for column in ratings.columns:
        for unit, value, cluster in zip(ratings.units, column.values, ratings.clusters, strict=True):
            former, other = contestants(ratings.phase, unit.candidate)
            if value is not None and former != other:
                yield former, other, _OUTCOMES.get(value, "tie"), cluster


def win_rates(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how often each contestant was preferred, and how often neither of the two was."""
    made = list(_comparisons(ratings))
    rows = []
    for name in sorted({name for former, other, _, _ in made for name in (former, other)}):
        own = [comparison for comparison in made if name in comparison[:2]]
        clusters = [cluster for *_, cluster in own]
        won = [said == ("first" if former == name else "second") for former, _, said, _ in own]
        tied = [said == "tie" for _, _, said, _ in own]
        party = (Party("model", name),)
        rate, wilson = intervals.share(won, clusters, unit=_UNIT)
        rows.append(EstimateRow("win_rate", "preferred", party, stratum, rate, wilson))
        share, wilson = intervals.share(tied, clusters, unit=_UNIT)
        rows.append(EstimateRow("share", "no_preference", party, stratum, share, wilson))
    return rows


def strengths(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return the strength of each contestant; with only two, strengths repeat what their win rates say."""
    made = list(_comparisons(ratings))
    if not made or stratum.kind == "model":
        return []
    first, second, preferred, clusters = (list(column) for column in zip(*made, strict=True))
    estimated = bradley_terry(
        first,
        second,
        preferred,
        clusters=clusters,
        confidence=intervals.confidence,
        unit=_UNIT,
    )
    return [
        EstimateRow("strength", "preferred", (Party("model", str(name)),), stratum, estimate)
        for name, estimate in estimated.of.items()
    ]


def agreement(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how far raters preferred the same answer, regardless of the side it was on for each of them."""
    ids = [category.id for category in categories_of(ratings.field)]
    return agreement_rows(ratings, ratings.answers, stratum, intervals, categories=ids)


def sides(ratings: Ratings, stratum: Stratum, intervals: IntervalSettings) -> list[EstimateRow]:
    """Return how often the answer on side A was chosen if one of the two was, by rater and for all raters."""
    chosen = [
        (column.party, place, seen == "a")
        for column in ratings.columns
        for place, seen in enumerate(column.seen)
        if seen in _OUTCOMES
    ]
    parties = [column.party for column in ratings.columns]
    rows = []
    for party in [*parties, *([ALL_RATERS] if len(parties) > 1 else [])]:
        own = [(place, at_a) for whose, place, at_a in chosen if party in (whose, ALL_RATERS)]
        if own:
            clusters = [ratings.clusters[place] for place, _ in own]
            share, wilson = intervals.share([at_a for _, at_a in own], clusters, unit=_UNIT)
            rows.append(EstimateRow("share", "side_a", (party,), stratum, share, wilson))
    return rows


WIN_RATES = Topic(
    "win_rate",
    "how often each was preferred",
    "Win rate: share of all comparisons of a contestant in which it was preferred, verdicts of all raters together; "
    "ties and neither are no win of either, and their share stands beside it. It depends on against whom somebody was "
    "compared.",
    win_rates,
    names=frozenset({("win_rate", "preferred")}),
)
STRENGTHS = Topic(
    "strength",
    "strength of each",
    "Bradley-Terry, with ties Davidson: the log of the odds of being preferred to one of mean strength, which takes "
    "into account against whom each was compared; 0 is the mean, and 0.7 more doubles the odds. Neither counts as a "
    "tie. Intervals allow for clusters, whose number should be 10 at least.",
    strengths,
    names=frozenset({("strength", "preferred")}),
)
AGREEMENT = Topic(
    "agreement",
    "agreement between raters",
    "Whether two raters, or all of them, preferred the same answer, on whichever side it stood for each of them. Kappa "
    "corrects for how often each rater preferred the first or second answer of the tables, said a tie or neither.",
    agreement,
)
SIDES = Topic(
    "sides",
    "sides",
    "Share of A among the preferences for one of the two. Sides were drawn for each person and pair, so that 50 % is "
    "expected whatever the answers are; another share is a habit of the hand, and does not favour any contestant.",
    sides,
    in_parts=False,
)
JUDGES = judges_on_scale(agreement)
REPORT = FieldReport(
    (WIN_RATES, STRENGTHS, AGREEMENT, JUDGES, SIDES),
    {"win_rate": WIN_RATES, "agreement": AGREEMENT},
    against={("agreement", "judges"): JUDGES},
)
