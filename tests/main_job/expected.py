"""Every estimate that the report of the demo must hold, computed from what was said and from nothing of ours."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace

from tests.main_job.contents import CANDIDATES, ITEMS, Candidate, Item
from tests.main_job.facts import NOT_ASSESSABLE, Facts, baseline_is_right, canonical, is_right
from tests.main_job.independent import (
    TAIL,
    Expected,
    clustered,
    difference,
    discordant_share,
    gap_of_ratios,
    kappa,
    mcnemar,
    mean,
    normalised,
    pabak,
    ratio,
    same,
    share,
    spearman,
    token_f1,
)
from tests.main_job.sheet import Sheet
from tests.main_job.viewing import Traces, add_viewing

Pair = tuple[Hashable, Hashable, Hashable]
FORMATS = {"yes_no": "Yes/no", "choice": "Choice", "open": "Open text"}
POOLED = "descriptive only: pools answers of different formats"
CONSENSUS = "Consensus"


@dataclass(frozen=True)
class Part:
    """Some of the items, as a stratum of the report."""

    stratum: str
    title: str
    items: tuple[Item, ...]


def _part(stratum: str, title: str, belongs: Callable[[Item], bool]) -> Part:
    return Part(stratum, title, tuple(item for item in ITEMS.values() if belongs(item)))


ALL = _part("all", "All items", lambda item: True)
CLOSED = _part("closed", "Closed formats (yes/no and choice)", lambda item: item.is_closed)
BY_FORMAT = [
    _part(f"format {name}", title, lambda item, name=name: item.format == name) for name, title in FORMATS.items()
]
OPEN = BY_FORMAT[-1]
BY_CATEGORY = [
    _part(f"category {name}", name, lambda item, name=name: item.category == name)
    for name in sorted({item.category for item in ITEMS.values()})
]
BY_GROUNDING = [
    _part("image_grounded", "Image-grounded", lambda item: item.grounding == "image_grounded"),
    _part("image_informed", "Image-informed", lambda item: item.grounding == "image_informed"),
]
MODELS = sorted({candidate.model for candidate in CANDIDATES.values()})


def expected_estimates(facts: Facts, active_ms: Mapping[str, Mapping[str, int]], traces: Traces) -> Sheet:
    """Return every estimate of the report.

    Parameters
    ----------
    active_ms
        By rater and item: how long the browser said that the item was looked at.
    traces
        By rater and item: what the browser said was looked at.
    """
    sheet = Sheet()
    _accuracy(sheet, facts)
    _floors(sheet, facts)
    _agreement(sheet, facts)
    _adjudication(sheet, facts)
    _marks(sheet, facts)
    _automatic_scorers(sheet, facts)
    for number, run in enumerate(facts.runs, start=1):
        _judge(sheet, facts, number, run)
    _completeness(sheet, facts)
    for rater in facts.raters:
        seconds = [(ITEMS[key].subject, ms / 1000) for key, ms in active_ms[rater].items() if ms]
        sheet.add("active_time", "Mean active time per item", rater, "all", mean(seconds))
    add_viewing(sheet, facts, traces)
    return sheet


# ---- against the reference -------------------------------------------------------------------------------------------


def _scored(facts: Facts, rater: str, part: Part) -> list[tuple[str, bool]]:
    """Return (subject, right) of the items that the rater answered."""
    found = [(item.subject, facts.correct(rater, item.key)) for item in part.items]
    return [(subject, right) for subject, right in found if right is not None]


def _accuracy(sheet: Sheet, facts: Facts) -> None:
    for table, parts in (
        ("accuracy", [ALL, CLOSED, *BY_FORMAT]),
        ("accuracy_by_category", BY_CATEGORY),
        ("accuracy_by_grounding", BY_GROUNDING),
    ):
        for part in parts:
            note = "primary estimate" if part is CLOSED else ""
            for rater in facts.raters:
                sheet.add(table, part.title, rater, part.stratum, share(_scored(facts, rater, part), note=note))
            everybody = [one for rater in facts.raters for one in _scored(facts, rater, part)]
            sheet.add(table, part.title, "All raters", part.stratum, share(everybody, unit="verdict")[0])
    for rater in facts.raters:
        _accuracy_of_one(sheet, facts, rater)
    for part in (ALL, CLOSED):
        _accuracy_of_two(sheet, facts, part)


def _accuracy_of_one(sheet: Sheet, facts: Facts, rater: str) -> None:
    grounded = {item.key for item in BY_GROUNDING[0].items}
    answered = [(item, facts.correct(rater, item.key)) for item in ALL.items]
    units = [
        (item.subject, (right, 1.0, 0.0, 0.0) if item.key in grounded else (0.0, 0.0, right, 1.0))
        for item, right in answered
        if right is not None
    ]
    sheet.add("accuracy_grounding_difference", "Grounded minus informed", rater, "all", clustered(units, gap_of_ratios))
    for part in (ALL, CLOSED):
        apart = [item.subject for item in part.items if facts.said(rater, item.key) == NOT_ASSESSABLE]
        for case, counted in (("worst", False), ("best", True)) if apart else ():
            bounded = [*_scored(facts, rater, part), *((subject, counted) for subject in apart)]
            found = share(bounded, note=f"{len(apart)} not assessable")[0]
            sheet.add("accuracy_bounds", f"{part.title}, {case} case", rater, part.stratum, found)
    overlaps = [(item.subject, facts.token_f1(rater, item.key)) for item in OPEN.items]
    known = [(subject, overlap) for subject, overlap in overlaps if overlap is not None]
    sheet.add("token_f1", OPEN.title, rater, OPEN.stratum, mean(known))


def _accuracy_of_two(sheet: Sheet, facts: Facts, part: Part) -> None:
    first, second = facts.raters
    both = _both(part.items, lambda key: facts.correct(first, key), lambda key: facts.correct(second, key))
    only_first = sum(bool(a) and not b for _, a, b in both)
    only_second = sum(bool(b) and not a for _, a, b in both)
    sheet.add("accuracy_differences", part.title, f"{first} minus {second}", part.stratum, difference(both))
    sheet.add(
        "accuracy_differences",
        f"{part.title}: share of discordant items that the first had right",
        f"{first} and {second}",
        part.stratum,
        discordant_share(
            only_first, only_second, unit="discordant item", note="P is exact McNemar and assumes independent items"
        ),
    )


def _both(items: Iterable[Item], first: Callable[[str], object], second: Callable[[str], object]) -> list:
    """Return (subject, a, b) of the items for which both are known."""
    found = [(item.subject, first(item.key), second(item.key)) for item in items]
    return [(subject, a, b) for subject, a, b in found if a is not None and b is not None]


def _floors(sheet: Sheet, facts: Facts) -> None:
    for part in [ALL, CLOSED, *BY_FORMAT, *BY_GROUNDING]:
        if all(item.is_closed for item in part.items):
            guessed = sum(_chance(item) for item in part.items) / len(part.items)
            chance = Expected(guessed, len(part.items), never_limits=True)
            sheet.add("floors", part.title, "Chance", part.stratum, chance)
        floor = mean((item.subject, float(baseline_is_right(item))) for item in part.items)
        sheet.add("floors", part.title, "Text-only baseline", part.stratum, floor)
    for part, rater in itertools.product([CLOSED, ALL, *BY_FORMAT], facts.raters):
        paired = [
            (item.subject, float(right), float(baseline_is_right(item)))
            for item in part.items
            for right in [facts.correct(rater, item.key)]
            if right is not None
        ]
        name = f"{part.title}: Shortcut Score, text-only floor"
        sheet.add("shortcut", name, rater, part.stratum, _shortcut_score(paired))
        name = f"{part.title}: accuracy minus text-only floor"
        sheet.add("shortcut", name, rater, part.stratum, difference(paired))
        if part is CLOSED:
            guessed_by_item = [
                (item.subject, float(right), _chance(item))
                for item in part.items
                for right in [facts.correct(rater, item.key)]
                if right is not None
            ]
            name = f"{part.title}: Shortcut Score, chance floor"
            sheet.add("shortcut", name, rater, part.stratum, _shortcut_score(guessed_by_item))


def _chance(item: Item) -> float:
    return 1.0 / len(item.texts)


def _shortcut_score(paired: list[tuple[str, float, float]]) -> Expected:
    """Return errors of the rater by errors of the floor."""
    return clustered(((subject, (1.0 - rater, 1.0 - floor)) for subject, rater, floor in paired), ratio)


# ---- between the raters ----------------------------------------------------------------------------------------------


def _agreement(sheet: Sheet, facts: Facts) -> None:
    first, second = facts.raters
    raters = f"{first} and {second}"

    def answers(part: Part) -> list[Pair]:
        # With the format: the option "left" is not the typed word "left".
        return [
            (item.subject, f"{item.format} {a}", f"{item.format} {b}")
            for item in part.items
            for a, b in [(facts.answer(first, item.key), facts.answer(second, item.key))]
            if a is not None and b is not None
        ]

    def correctness(part: Part) -> list[Pair]:
        return _both(part.items, lambda key: facts.correct(first, key), lambda key: facts.correct(second, key))

    table = "agreement_on_answers"
    for part in [*BY_FORMAT, CLOSED, ALL]:
        note = POOLED if part in (CLOSED, ALL) else ""
        sheet.add(table, f"{part.title}: same answer", raters, part.stratum, same(answers(part), note=note))
        sheet.add(table, f"{part.title}: Cohen’s kappa", raters, part.stratum, kappa(answers(part), note=note))
        if part.stratum == "format yes_no":
            sheet.add(table, f"{part.title}: PABAK", raters, part.stratum, pabak(answers(part)))
    table = "agreement_on_correctness"
    for part in [ALL, CLOSED, *BY_FORMAT]:
        sheet.add(table, f"{part.title}: same correctness", raters, part.stratum, same(correctness(part)))
        sheet.add(table, f"{part.title}: Cohen’s kappa", raters, part.stratum, kappa(correctness(part)))
        sheet.add(table, f"{part.title}: PABAK", raters, part.stratum, pabak(correctness(part)))
    for part in BY_CATEGORY:
        sheet.add("agreement_by_category", part.title, raters, part.stratum, same(answers(part)))
    _assessability(sheet, facts, raters)
    _shared_errors(sheet, facts, raters)


def _assessability(sheet: Sheet, facts: Facts, raters: str) -> None:
    first, second = facts.raters
    said = _both(ALL.items, lambda key: facts.said(first, key), lambda key: facts.said(second, key))
    if any(NOT_ASSESSABLE in (facts.said(first, key), facts.said(second, key)) for key in ITEMS):
        apart = [(subject, a == NOT_ASSESSABLE, b == NOT_ASSESSABLE) for subject, a, b in said]
        sheet.add("agreement_on_assessability", "All items", raters, "all", same(apart))


def _shared_errors(sheet: Sheet, facts: Facts, raters: str) -> None:
    first, second = facts.raters
    answered = [
        item
        for item in ALL.items
        if facts.correct(first, item.key) is not None and facts.correct(second, item.key) is not None
    ]
    wrong = [item for item in answered if not facts.correct(first, item.key) and not facts.correct(second, item.key)]
    alike = {item.key for item in wrong if facts.answer(first, item.key) == facts.answer(second, item.key)}
    by_chance = 1.0
    for rater in facts.raters:
        by_chance *= sum(not facts.correct(rater, item.key) for item in answered) / len(answered)
    note = f"expected if both erred independently: {100 * by_chance:.1f} %"
    both = mean(((item.subject, float(item in wrong)) for item in answered), note=note)
    the_same = mean((item.subject, float(item.key in alike)) for item in answered)
    of_those = mean((item.subject, float(item.key in alike)) for item in wrong)
    sheet.add("shared_errors", "Both wrong", raters, "all", both)
    sheet.add("shared_errors", "Both gave the same wrong answer", raters, "all", the_same)
    sheet.add("shared_errors", "Same answer, of those that both got wrong", raters, "all", of_those)


# ---- adjudication ----------------------------------------------------------------------------------------------------


def _adjudication(sheet: Sheet, facts: Facts) -> None:
    table = "before_and_after"
    could_agree = [
        item for item in ALL.items if facts.agreed(item.key) or facts.differs(item.key) or facts.settled(item.key)
    ]
    for when, answer, which in (
        ("before", facts.agreed, "agreed items only"),
        ("after", facts.settled, "agreed and adjudicated items"),
    ):
        single = share((item.subject, answer(item.key) is not None) for item in could_agree)
        sheet.add(table, f"Items with one answer, {when}", "All raters", "all", single)
        scored = [(item.subject, is_right(item, answer(item.key))) for item in ALL.items]
        right = share(((subject, one) for subject, one in scored if one is not None), note=which)
        sheet.add(table, f"Accuracy of the consensus, {when}", "All raters", "all", right)
    for rater in facts.raters:
        kept = _both(ALL.items, lambda key, rater=rater: facts.said(rater, key), facts.settled)
        sheet.add(table, "Own verdict equals the answer after adjudication", rater, "all", same(kept))
    _upheld(sheet, facts)
    _blind_reads(sheet, facts)


def _upheld(sheet: Sheet, facts: Facts) -> None:
    table, stratum = "upheld", "verdicts differ"
    decided = [ITEMS[key] for key in facts.reviews if facts.differs(key)]
    upheld = {
        item.key: {rater for rater in facts.raters if facts.said(rater, item.key) == facts.decision(item.key)}
        for item in decided
    }
    for rater in facts.raters:
        kept = share((item.subject, rater in upheld[item.key]) for item in decided)
        sheet.add(table, "Decision equals the verdict of", rater, stratum, kept)
        own = [(item.subject, facts.correct(rater, item.key)) for item in decided]
        scored = share((subject, right) for subject, right in own if right is not None)
        sheet.add(table, "Accuracy on these items", rater, stratum, scored)
    nobody = share((item.subject, not upheld[item.key]) for item in decided)
    sheet.add(table, "Decision equals the verdict of", "No rater", stratum, nobody)
    decisions = [(item.subject, is_right(item, facts.settled(item.key))) for item in decided]
    scored = share((subject, right) for subject, right in decisions if right is not None)
    sheet.add(table, "Accuracy on these items", "Decision", stratum, scored)


def _blind_reads(sheet: Sheet, facts: Facts) -> None:
    reviewed = [ITEMS[key] for key in facts.reviews]
    for rater in facts.raters:
        pairs = [
            (item.subject, f"{item.format} {own}", f"{item.format} {facts.answer(rater, item.key)}")
            for item in reviewed
            for own in [canonical(item, facts.reviews[item.key].own)]
            if own is not None and facts.answer(rater, item.key) is not None
        ]
        raters = f"Reviewer and {rater}"
        sheet.add("first_reads", "Same answer", raters, "reviewed", same(pairs))
        sheet.add("first_reads", "Cohen’s kappa", raters, "reviewed", kappa(pairs, note=POOLED))
    kept = share((item.subject, facts.own_read(item.key) == facts.decision(item.key)) for item in reviewed)
    sheet.add("first_reads", "Decision equals own blind read", "Reviewer", "reviewed", kept)
    controls = [item for item in reviewed if facts.origin(item.key) == "control"]
    for label, said in (
        ("Own blind read equals the agreed answer", facts.own_read),
        ("Decision keeps the agreed answer", facts.decision),
    ):
        if controls:
            found = share((item.subject, said(item.key) == facts.agreed(item.key)) for item in controls)
            sheet.add("controls", label, "Reviewer", "controls", found)


# ---- candidates ------------------------------------------------------------------------------------------------------


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


# ---- completeness ----------------------------------------------------------------------------------------------------


def _completeness(sheet: Sheet, facts: Facts) -> None:
    for rater in facts.raters:
        said = [(item.subject, facts.said(rater, item.key)) for item in ALL.items]
        given = [(subject, one == NOT_ASSESSABLE) for subject, one in said if one is not None]
        if any(apart for _, apart in given):
            sheet.add("not_assessable_share", "Not assessable", rater, "all", share(given))
