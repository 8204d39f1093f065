"""Every estimate of the report on candidates: the raters' scores, the automatic scorers, and the judges."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace

from tests.main_job.contents import CANDIDATES, ITEMS, Candidate, Item
from tests.main_job.facts import Facts
from tests.main_job.independent import (
    TAIL,
    Expected,
    difference,
    kappa,
    mcnemar,
    mean,
    normalised,
    obuchowski,
    same,
    share,
    spearman,
    token_f1,
)
from tests.main_job.parts import BY_CATEGORY
from tests.main_job.sheet import Sheet

Pair = tuple[Hashable, Hashable, Hashable]
CONSENSUS = "consensus"
MODELS = sorted({candidate.model for candidate in CANDIDATES.values()})


def add_scores(sheet: Sheet, facts: Facts) -> None:
    """Add what the report says of scores, scorers and each run of a judge."""
    _scores(sheet, facts)
    _automatic_scorers(sheet, facts)
    for number, run in enumerate(facts.runs, start=1):
        _judge(sheet, facts, number, run)


def _scores(sheet: Sheet, facts: Facts) -> None:
    first, second = facts.raters
    sample = [CANDIDATES[key] for key in facts.sample]
    for stratum, here in _by_model(sample):
        for rater in facts.raters:
            scored_correct = share(
                ((candidate.item, facts.scores[rater][candidate.key]) for candidate in here), unit="candidate"
            )
            sheet.add("scores_shares", "share", "scored_correct", rater, stratum, scored_correct)

    def pairs(here: Iterable[Candidate]) -> list[Pair]:
        return [
            (candidate.item, facts.scores[first][candidate.key], facts.scores[second][candidate.key])
            for candidate in here
        ]

    of_category = [
        (part.stratum, [candidate for candidate in sample if ITEMS[candidate.item].category == part.items[0].category])
        for part in BY_CATEGORY
    ]
    for table, stratum, here in [
        ("scores_agreement", "all", sample),
        *(("scores_by_category", stratum, here) for stratum, here in of_category if here),
    ]:
        for statistic, compute in (("percent_agreement", same), ("cohen_kappa", kappa)):
            sheet.add(table, statistic, "scores", facts.raters, stratum, compute(pairs(here), unit="candidate"))


def _by_model(candidates: list[Candidate]) -> list[tuple[str, list[Candidate]]]:
    """Return stratum and candidates: all of them, and those of each model."""
    return [("all", candidates)] + [
        (f"model {model}", [candidate for candidate in candidates if candidate.model == model]) for model in MODELS
    ]


def _automatic_scorers(sheet: Sheet, facts: Facts) -> None:
    """Exact match and token F1 of the candidates' texts, held against the raters' consensus."""
    table = "automatic_scorers"
    agreed = [
        (CANDIDATES[key], score, words_accepted(ITEMS[CANDIDATES[key].item]))
        for key in facts.sample
        for score in [consensus_score(facts, key)]
        if score is not None
    ]
    exact = {
        candidate.key: normalised(candidate.answer) in map(normalised, accepted) for candidate, _, accepted in agreed
    }
    overlap = {candidate.key: token_f1(candidate.answer, accepted) for candidate, _, accepted in agreed}
    pairs = [(candidate.item, exact[candidate.key], score) for candidate, score, _ in agreed]
    sheet.add(table, "percent_agreement", "exact_match", CONSENSUS, "all", same(pairs, unit="candidate"))
    sheet.add(table, "cohen_kappa", "exact_match", CONSENSUS, "all", kappa(pairs, unit="candidate"))
    gap = _direction([(candidate.item, score, exact[candidate.key]) for candidate, score, _ in agreed], "exact match")
    sheet.add(table, "signed_difference", "exact_match", CONSENSUS, "all", gap)
    for stratum, here in _by_model([candidate for candidate, _, _ in agreed]):
        for scorer, values in (("token_f1", overlap), ("exact_match", exact)):
            scored = [
                (float(values[candidate.key]), float(score)) for candidate, score, _ in agreed if candidate in here
            ]
            sheet.add(table, "spearman", scorer, CONSENSUS, stratum, spearman(scored, unit="candidate"))


def words_accepted(item: Item) -> list[str]:
    """Return the accepted answers as they stand on the screen."""
    return [item.texts.get(answer, answer) for answer in item.accepted]


def consensus_score(facts: Facts, key: str) -> bool | None:
    """Return the score that both raters gave; None where they differ."""
    scores = {facts.scores[rater][key] for rater in facts.raters}
    return scores.pop() if len(scores) == 1 else None


def humans_of(facts: Facts) -> dict[str, Callable[[str], bool | None]]:
    """Return whom a judge is compared with: each rater, and their consensus."""
    humans: dict[str, Callable[[str], bool | None]] = {rater: facts.scores[rater].get for rater in facts.raters}
    return humans | {CONSENSUS: lambda key: consensus_score(facts, key)}


def _judge(sheet: Sheet, facts: Facts, number: int, run: str) -> None:
    judged = facts.runs[run]
    for stratum, here in _by_model(list(CANDIDATES.values())):
        resolved = [(candidate.item, judged[candidate.key]) for candidate in here if judged[candidate.key] is not None]
        open_ones = [candidate.item for candidate in here if judged[candidate.key] is None]
        table = f"judge_{number}_pool"
        judged_correct = share(((item, bool(score)) for item, score in resolved), unit="candidate")
        sheet.add(table, "share", "judged_correct", run, stratum, judged_correct)
        for bound, counted in (("worst", False), ("best", True)) if open_ones else ():
            bounded = [(item, bool(score)) for item, score in resolved] + [(item, counted) for item in open_ones]
            judged_correct = share(bounded, unit="candidate", note=f"{len(open_ones)} unresolved")[0]
            sheet.add(table, "share", "judged_correct", run, stratum, judged_correct, bound=bound)
    sample = [CANDIDATES[key] for key in facts.sample]
    for human, score in humans_of(facts).items():
        both_of = (run, human)
        both = [
            (candidate, said, own)
            for candidate in sample
            for said, own in [(judged[candidate.key], score(candidate.key))]
            if said is not None and own is not None
        ]
        pairs = [(candidate.item, said, own) for candidate, said, own in both]
        table = f"judge_{number}_agreement"
        sheet.add(table, "percent_agreement", "judgements", both_of, "all", same(pairs, unit="candidate"))
        sheet.add(table, "cohen_kappa", "judgements", both_of, "all", kappa(pairs, unit="candidate"))
        for stratum, here in _by_model([candidate for candidate, _, _ in both]):
            if stratum == "all" or human == CONSENSUS:
                direction = _direction(
                    [(candidate.item, own, said) for candidate, said, own in both if candidate in here]
                )
                table = f"judge_{number}_direction"
                sheet.add(table, "signed_difference", "judgements", both_of, stratum, direction)
        for statistic, positive in (("sensitivity", True), ("specificity", False)):
            rate = mean(
                ((item, float(said == positive)) for item, said, own in pairs if own == positive), unit="candidate"
            )
            sheet.add(f"judge_{number}_sensitivity", statistic, "judgements", both_of, "all", rate)


def _direction(triples: list[tuple[str, bool, bool]], scorer: str = "") -> Expected:
    """Return human minus judge (or scorer) over (item, human, judge), with what it says of the judge (or scorer)."""
    strict = sum(human and not judge for _, human, judge in triples)
    lenient = sum(judge and not human for _, human, judge in triples)
    items = [item for item, _, _ in triples]
    shared = len(set(items)) < len(items)
    gap = difference(triples, unit="candidate", p=obuchowski(triples) if shared else mcnemar(strict, lenient))
    counts = f"{strict} stricter, {lenient} more lenient"
    if scorer:
        counts = f"{scorer} stricter on {strict}, more lenient on {lenient}"
    # Where they never differ, nor do the resamples: there is no interval then.
    if not gap.spread or not strict + lenient:
        return replace(gap, note=counts)
    low, high = (gap.spread.quantile(level) for level in (TAIL, 1.0 - TAIL))
    word = "stricter" if low > 0.0 else "more lenient" if high < 0.0 else "undecided"
    direction = f"{word} by the interval, which accounts for clustering by item"
    return replace(gap, note=f"{counts}: {direction}")
