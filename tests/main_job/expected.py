"""Every estimate that the report of the demo must hold, computed from what was said and from nothing of ours."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping

from tests.main_job.contents import ITEMS, Item
from tests.main_job.expected_ceilings import add_ceilings, add_thirds, scored
from tests.main_job.expected_scores import add_scores
from tests.main_job.facts import NOT_ASSESSABLE, Facts, baseline_is_right, canonical, is_right
from tests.main_job.independent import (
    Expected,
    clustered,
    difference,
    discordant_share,
    gap_of_ratios,
    kappa,
    mean,
    pabak,
    ratio,
    same,
    share,
)
from tests.main_job.parts import ALL, BY_CATEGORY, BY_FORMAT, BY_GROUNDING, CLOSED, OPEN, Part
from tests.main_job.sheet import Sheet
from tests.main_job.viewing import Traces, add_viewing

Pair = tuple[Hashable, Hashable, Hashable]
POOLED = "descriptive only: answers of different formats are pooled"


def expected_estimates(
    facts: Facts,
    positions: Mapping[str, Mapping[str, int]],
    active_ms: Mapping[str, Mapping[str, int]],
    traces: Traces,
) -> Sheet:
    """Return every estimate of the report.

    Parameters
    ----------
    positions
        By rater and item: its place in the rater's queue.
    active_ms
        By rater and item: how long the browser said that the item was looked at, where it said so.
    traces
        By rater and item: what the browser said was looked at.
    """
    sheet = Sheet()
    _accuracy(sheet, facts)
    _floors(sheet, facts)
    add_ceilings(sheet, facts)
    add_thirds(sheet, facts, "queue", positions)
    add_thirds(sheet, facts, "active_time", active_ms)
    _agreement(sheet, facts)
    _adjudication(sheet, facts)
    add_scores(sheet, facts)
    _completeness(sheet, facts)
    for rater in facts.raters:
        seconds = [(ITEMS[key].subject, ms / 1000) for key, ms in active_ms[rater].items()]
        sheet.add("active_time", "mean", "active_time", rater, "all", mean(seconds))
    add_viewing(sheet, facts, traces)
    return sheet


# ---- against the reference -------------------------------------------------------------------------------------------


def _accuracy(sheet: Sheet, facts: Facts) -> None:
    for table, parts in (
        ("accuracy", [ALL, CLOSED, *BY_FORMAT]),
        ("accuracy_by_category", BY_CATEGORY),
        ("accuracy_by_grounding", BY_GROUNDING),
    ):
        for part in parts:
            note = "primary estimate" if part is CLOSED else ""
            for rater in facts.raters:
                accuracy = share(scored(facts, rater, part), note=note)
                sheet.add(table, "accuracy", "reference", rater, part.stratum, accuracy)
            everybody = [pair for rater in facts.raters for pair in scored(facts, rater, part)]
            accuracy = share(everybody, unit="verdict")[0]
            sheet.add(table, "accuracy", "reference", "all_raters", part.stratum, accuracy)
    for rater in facts.raters:
        _accuracy_of_rater(sheet, facts, rater)
    for part in (ALL, CLOSED):
        _accuracy_of_two(sheet, facts, part)


def _accuracy_of_rater(sheet: Sheet, facts: Facts, rater: str) -> None:
    grounded = {item.key for item in BY_GROUNDING[0].items}
    answered = [(item, facts.correct(rater, item.key)) for item in ALL.items]
    units = [
        (item.subject, (right, 1.0, 0.0, 0.0) if item.key in grounded else (0.0, 0.0, right, 1.0))
        for item, right in answered
        if right is not None
    ]
    gap = clustered(units, gap_of_ratios)
    sheet.add("accuracy_grounding_difference", "accuracy_difference", "groundings", rater, "all", gap)
    for part in (ALL, CLOSED):
        apart = [item.subject for item in part.items if facts.said(rater, item.key) == NOT_ASSESSABLE]
        for case, counted in (("worst", False), ("best", True)) if apart else ():
            bounded = [*scored(facts, rater, part), *((subject, counted) for subject in apart)]
            accuracy = share(bounded, note=f"{len(apart)} not assessable")[0]
            sheet.add("accuracy_bounds", "accuracy", "reference", rater, part.stratum, accuracy, bound=case)
    overlaps = [(item.subject, facts.token_f1(rater, item.key)) for item in OPEN.items]
    known = [(subject, overlap) for subject, overlap in overlaps if overlap is not None]
    sheet.add("token_f1", "token_f1", "reference", rater, OPEN.stratum, mean(known))


def _accuracy_of_two(sheet: Sheet, facts: Facts, part: Part) -> None:
    first, second = facts.raters
    both = _both(part.items, lambda key: facts.correct(first, key), lambda key: facts.correct(second, key))
    only_first = sum(bool(a) and not b for _, a, b in both)
    only_second = sum(bool(b) and not a for _, a, b in both)
    table = "accuracy_differences"
    sheet.add(table, "accuracy_difference", "raters", facts.raters, part.stratum, difference(both))
    note = "P: exact McNemar test, which assumes independent items"
    discordant = discordant_share(only_first, only_second, unit="discordant item", note=note)
    sheet.add(table, "discordant_share", "raters", facts.raters, part.stratum, discordant)


def _both(items: Iterable[Item], first: Callable[[str], object], second: Callable[[str], object]) -> list:
    """Return (subject, a, b) of the items for which both are known."""
    paired = [(item.subject, first(item.key), second(item.key)) for item in items]
    return [(subject, a, b) for subject, a, b in paired if a is not None and b is not None]


def _floors(sheet: Sheet, facts: Facts) -> None:
    for part in [ALL, CLOSED, *BY_FORMAT, *BY_GROUNDING]:
        if all(item.is_closed for item in part.items):
            guessed = sum(_chance(item) for item in part.items) / len(part.items)
            chance = Expected(guessed, len(part.items), never_limits=True)
            sheet.add("floors", "accuracy", "chance_floor", "chance", part.stratum, chance)
        floor = mean((item.subject, float(baseline_is_right(item))) for item in part.items)
        sheet.add("floors", "accuracy", "text_only_floor", "text_only", part.stratum, floor)
    for part, rater in itertools.product([CLOSED, ALL, *BY_FORMAT], facts.raters):
        paired = [
            (item.subject, float(right), float(baseline_is_right(item)))
            for item in part.items
            for right in [facts.correct(rater, item.key)]
            if right is not None
        ]
        score = _shortcut_score(paired)
        sheet.add("shortcut", "shortcut_score", "text_only_floor", rater, part.stratum, score)
        sheet.add("shortcut", "accuracy_difference", "text_only_floor", rater, part.stratum, difference(paired))
        if part is CLOSED:
            guessed_by_item = [
                (item.subject, float(right), _chance(item))
                for item in part.items
                for right in [facts.correct(rater, item.key)]
                if right is not None
            ]
            score = _shortcut_score(guessed_by_item)
            sheet.add("shortcut", "shortcut_score", "chance_floor", rater, part.stratum, score)


def _chance(item: Item) -> float:
    return 1.0 / len(item.texts)


def _shortcut_score(paired: list[tuple[str, float, float]]) -> Expected:
    """Return errors of the rater by errors of the floor."""
    return clustered(((subject, (1.0 - rater, 1.0 - floor)) for subject, rater, floor in paired), ratio)


# ---- between the raters ----------------------------------------------------------------------------------------------


def _agreement(sheet: Sheet, facts: Facts) -> None:
    first, second = raters = facts.raters

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
        agreement = same(answers(part), note=note)
        sheet.add(table, "percent_agreement", "answers", raters, part.stratum, agreement)
        sheet.add(table, "cohen_kappa", "answers", raters, part.stratum, kappa(answers(part), note=note))
        if part.stratum == "format yes_no":
            sheet.add(table, "pabak", "answers", raters, part.stratum, pabak(answers(part)))
    table = "agreement_on_correctness"
    for part in [ALL, CLOSED, *BY_FORMAT]:
        for statistic, compute in (("percent_agreement", same), ("cohen_kappa", kappa), ("pabak", pabak)):
            sheet.add(table, statistic, "correctness", raters, part.stratum, compute(correctness(part)))
    for part in BY_CATEGORY:
        agreement = same(answers(part))
        sheet.add("agreement_by_category", "percent_agreement", "answers", raters, part.stratum, agreement)
    _assessability(sheet, facts)
    _shared_errors(sheet, facts)


def _assessability(sheet: Sheet, facts: Facts) -> None:
    first, second = facts.raters
    said = _both(ALL.items, lambda key: facts.said(first, key), lambda key: facts.said(second, key))
    if any(NOT_ASSESSABLE in (facts.said(first, key), facts.said(second, key)) for key in ITEMS):
        apart = [(subject, a == NOT_ASSESSABLE, b == NOT_ASSESSABLE) for subject, a, b in said]
        table = "agreement_on_assessability"
        sheet.add(table, "percent_agreement", "assessability", facts.raters, "all", same(apart))


def _shared_errors(sheet: Sheet, facts: Facts) -> None:
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
    note = f"{100 * by_chance:.1f} % expected if errors were independent"
    both = mean(((item.subject, float(item in wrong)) for item in answered), note=note)
    the_same = mean((item.subject, float(item.key in alike)) for item in answered)
    of_those = mean((item.subject, float(item.key in alike)) for item in wrong)
    for compared, estimate in (("both_wrong", both), ("same_wrong_answer", the_same), ("same_of_both_wrong", of_those)):
        sheet.add("shared_errors", "share", compared, facts.raters, "all", estimate)


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
        sheet.add(table, "share", "one_answer", "all_raters", "all", single, stage=when)
        scored = [(item.subject, is_right(item, answer(item.key))) for item in ALL.items]
        right = share(((subject, is_correct) for subject, is_correct in scored if is_correct is not None), note=which)
        sheet.add(table, "accuracy", "consensus", "all_raters", "all", right, stage=when)
    for rater in facts.raters:
        pairs = _both(ALL.items, lambda key, rater=rater: facts.said(rater, key), facts.settled)
        sheet.add(table, "percent_agreement", "adjudicated_answer", rater, "all", same(pairs))
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
        upheld_share = share((item.subject, rater in upheld[item.key]) for item in decided)
        sheet.add(table, "share", "upheld", rater, stratum, upheld_share)
        own = [(item.subject, facts.correct(rater, item.key)) for item in decided]
        scored = share((subject, right) for subject, right in own if right is not None)
        sheet.add(table, "accuracy", "reference", rater, stratum, scored)
    nobody = share((item.subject, not upheld[item.key]) for item in decided)
    sheet.add(table, "share", "upheld_by_none", "no_rater", stratum, nobody)
    decisions = [(item.subject, is_right(item, facts.settled(item.key))) for item in decided]
    scored = share((subject, right) for subject, right in decisions if right is not None)
    sheet.add(table, "accuracy", "reference", "decision", stratum, scored)


def _blind_reads(sheet: Sheet, facts: Facts) -> None:
    reviewed = [ITEMS[key] for key in facts.reviews]
    for rater in facts.raters:
        pairs = [
            (item.subject, f"{item.format} {own}", f"{item.format} {facts.answer(rater, item.key)}")
            for item in reviewed
            for own in [canonical(item, facts.reviews[item.key].own)]
            if own is not None and facts.answer(rater, item.key) is not None
        ]
        both = ("reviewer", rater)
        sheet.add("first_reads", "percent_agreement", "answers", both, "reviewed", same(pairs))
        sheet.add("first_reads", "cohen_kappa", "answers", both, "reviewed", kappa(pairs, note=POOLED))
    unchanged = share((item.subject, facts.own_read(item.key) == facts.decision(item.key)) for item in reviewed)
    sheet.add("first_reads", "share", "own_blind_read", "reviewer", "reviewed", unchanged)
    controls = [item for item in reviewed if facts.origin(item.key) == "control"]
    for compared, said in (("control_read", facts.own_read), ("control_decision", facts.decision)):
        if controls:
            agreeing = share((item.subject, said(item.key) == facts.agreed(item.key)) for item in controls)
            sheet.add("controls", "share", compared, "reviewer", "controls", agreeing)


# ---- completeness ----------------------------------------------------------------------------------------------------


def _completeness(sheet: Sheet, facts: Facts) -> None:
    for rater in facts.raters:
        said = [(item.subject, facts.said(rater, item.key)) for item in ALL.items]
        given = [(subject, answer == NOT_ASSESSABLE) for subject, answer in said if answer is not None]
        if any(apart for _, apart in given):
            sheet.add("not_assessable_share", "share", "not_assessable", rater, "all", share(given))
