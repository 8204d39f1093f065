"""Every estimate of the report on candidates: the raters' marks, the automatic scorers, and the judges."""

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
    same,
    share,
    spearman,
    token_f1,
)
from tests.main_job.parts import BY_CATEGORY
from tests.main_job.sheet import Sheet

Pair = tuple[Hashable, Hashable, Hashable]
CONSENSUS = "Consensus"
MODELS = sorted({candidate.model for candidate in CANDIDATES.values()})


def add_marks(sheet: Sheet, facts: Facts) -> None:
    """Add what the report says of marks, scorers and each run of a judge."""
    _marks(sheet, facts)
    _automatic_scorers(sheet, facts)
    for number, run in enumerate(facts.runs, start=1):
        _judge(sheet, facts, number, run)


def _marks(sheet: Sheet, facts: Facts) -> None:
    first, second = facts.raters
    sample = [CANDIDATES[key] for key in facts.sample]
    for label, stratum, here in _by_model(sample):
        for rater in facts.raters:
            found = share(((one.item, facts.marks[rater][one.key]) for one in here), unit="candidate")
            sheet.add("marks_shares", label, rater, stratum, found)

    def pairs(here: Iterable[Candidate]) -> list[Pair]:
        return [(one.item, facts.marks[first][one.key], facts.marks[second][one.key]) for one in here]

    raters = f"{first} and {second}"
    sheet.add("marks_agreement", "Same mark", raters, "all", same(pairs(sample), unit="candidate"))
    sheet.add("marks_agreement", "Cohen’s kappa", raters, "all", kappa(pairs(sample), unit="candidate"))
    for part in BY_CATEGORY:
        here = pairs(one for one in sample if ITEMS[one.item].category == part.title)
        if here:
            table, stratum = "marks_by_category", part.stratum
            sheet.add(table, f"{part.title}: same mark", raters, stratum, same(here, unit="candidate"))
            sheet.add(table, f"{part.title}: Cohen’s kappa", raters, stratum, kappa(here, unit="candidate"))


def _by_model(candidates: list[Candidate]) -> list[tuple[str, str, list[Candidate]]]:
    """Return label, stratum and candidates: all of them, and those of each model."""
    return [("All candidates", "all", candidates)] + [
        (f"Model {model}", f"model {model}", [one for one in candidates if one.model == model]) for model in MODELS
    ]


def _automatic_scorers(sheet: Sheet, facts: Facts) -> None:
    """Exact match and token F1 of the candidates' texts, held against the raters' consensus."""
    table = "automatic_scorers"
    agreed = [
        (CANDIDATES[key], mark, words_accepted(ITEMS[CANDIDATES[key].item]))
        for key in facts.sample
        for mark in [consensus_mark(facts, key)]
        if mark is not None
    ]
    exact = {one.key: normalised(one.answer) in map(normalised, accepted) for one, _, accepted in agreed}
    overlap = {one.key: token_f1(one.answer, accepted) for one, _, accepted in agreed}
    pairs = [(one.item, exact[one.key], mark) for one, mark, _ in agreed]
    sheet.add(table, "Exact match: same verdict", CONSENSUS, "all", same(pairs, unit="candidate"))
    sheet.add(table, "Exact match: Cohen’s kappa", CONSENSUS, "all", kappa(pairs, unit="candidate"))
    direction = _direction([(one.item, mark, exact[one.key]) for one, mark, _ in agreed])
    counts = direction.note.split(":")[0]
    gap = replace(direction, note=counts)
    sheet.add(table, "Exact match: consensus minus exact match", CONSENSUS, "all", gap)
    for label, stratum, here in _by_model([one for one, _, _ in agreed]):
        suffix = "" if stratum == "all" else f", {label[0].lower()}{label[1:]}"
        for name, values in (("Token F1", overlap), ("Exact match", exact)):
            scored = [(float(values[one.key]), float(mark)) for one, mark, _ in agreed if one in here]
            found = spearman(scored, unit="candidate")
            sheet.add(table, f"{name}: Spearman correlation{suffix}", CONSENSUS, stratum, found)


def words_accepted(item: Item) -> list[str]:
    """Return the accepted answers as they stand on the screen."""
    return [item.texts.get(answer, answer) for answer in item.accepted]


def consensus_mark(facts: Facts, key: str) -> bool | None:
    """Return the mark that both raters gave; None where they differ."""
    marks = {facts.marks[rater][key] for rater in facts.raters}
    return marks.pop() if len(marks) == 1 else None


def humans_of(facts: Facts) -> dict[str, Callable[[str], bool | None]]:
    """Return whom a judge is compared with: each rater, and their consensus."""
    found: dict[str, Callable[[str], bool | None]] = {rater: facts.marks[rater].get for rater in facts.raters}
    return found | {CONSENSUS: lambda key: consensus_mark(facts, key)}


def _judge(sheet: Sheet, facts: Facts, number: int, run: str) -> None:
    judged = facts.runs[run]
    for label, stratum, here in _by_model(list(CANDIDATES.values())):
        resolved = [(one.item, judged[one.key]) for one in here if judged[one.key] is not None]
        open_ones = [one.item for one in here if judged[one.key] is None]
        table = f"judge_{number}_pool"
        sheet.add(table, label, run, stratum, share(((item, bool(mark)) for item, mark in resolved), unit="candidate"))
        for word, counted in (("incorrect", False), ("correct", True)) if open_ones else ():
            bounded = [(item, bool(mark)) for item, mark in resolved] + [(item, counted) for item in open_ones]
            found = share(bounded, unit="candidate", note=f"{len(open_ones)} unresolved")[0]
            sheet.add(table, f"{label}, all unresolved {word}", run, stratum, found)
    sample = [CANDIDATES[key] for key in facts.sample]
    for human, mark in humans_of(facts).items():
        raters = f"{run} and {human}"
        both = [
            (one, said, own)
            for one in sample
            for said, own in [(judged[one.key], mark(one.key))]
            if said is not None and own is not None
        ]
        pairs = [(one.item, said, own) for one, said, own in both]
        table = f"judge_{number}_agreement"
        sheet.add(table, "Same verdict", raters, "all", same(pairs, unit="candidate"))
        sheet.add(table, "Cohen’s kappa", raters, "all", kappa(pairs, unit="candidate"))
        for label, stratum, here in _by_model([one for one, _, _ in both]):
            if stratum == "all" or human == CONSENSUS:
                found = _direction([(one.item, own, said) for one, said, own in both if one in here])
                sheet.add(f"judge_{number}_direction", label, raters, stratum, found)
        for label, positive in (
            ("Correct by the human, and by the judge", True),
            ("Incorrect by the human, and by the judge", False),
        ):
            found = mean(
                ((item, float(said == positive)) for item, said, own in pairs if own == positive), unit="candidate"
            )
            sheet.add(f"judge_{number}_sensitivity", label, raters, "all", found)


def _direction(triples: list[tuple[str, bool, bool]]) -> Expected:
    """Return human minus judge over (item, human, judge), with what it says of the judge."""
    strict = sum(human and not judge for _, human, judge in triples)
    lenient = sum(judge and not human for _, human, judge in triples)
    found = difference(triples, unit="candidate", p=mcnemar(strict, lenient))
    low, high = (found.spread.quantile(level) for level in (TAIL, 1.0 - TAIL)) if found.spread else (0.0, 0.0)
    word = "stricter" if low > 0.0 else "more lenient" if high < 0.0 else "undecided"
    direction = f"{word} by the interval, which allows for items"
    return replace(found, note=f"{strict} stricter, {lenient} more lenient: {direction}")
