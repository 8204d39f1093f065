"""The tables of the report that hold counts and words, computed from what was said and from nothing of ours."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.main_job.contents import CANDIDATES, FLAGS, ITEMS, REASONS, Item
from tests.main_job.expected_scores import CONSENSUS, humans_of, words_accepted
from tests.main_job.facts import NOT_ASSESSABLE, Facts, canonical, is_right
from tests.main_job.parts import FORMATS

Rows = list[dict[str, Any]]
GROUNDINGS = {"image_grounded": "Image-grounded", "image_informed": "Image-informed"}


def expected_counts(facts: Facts, judges: dict[str, str]) -> dict[str, Rows]:
    """Return the rows of each table by its key; a row may leave out columns whose words are not the test's to know.

    Parameters
    ----------
    judges
        The judge of each run.
    """
    first, second = facts.raters
    return {
        "items": _items(),
        "completeness": [_completeness(facts, rater) for rater in facts.raters],
        "not_assessable_reasons": _reasons(facts),
        "technical_failures": [
            {"rater": rater, "item": key} for rater in facts.raters for key in ITEMS if facts.reads[rater][key].failure
        ],
        "flags": [
            {"item": key, "rater": rater, "flag": FLAGS[read.flag[0]], "note": read.flag[1]}
            for key in ITEMS
            for rater in facts.raters
            for read in [facts.reads[rater][key]]
            if read.flag
        ],
        "shared_error_items": [
            {
                "item": key,
                "category": item.category,
                "prompt": item.prompt,
                "raters": f"{first} and {second}",
                "answer": in_words(item, facts.reads[first][key].answer),
                "reference": reference_in_words(item),
                "text_only": in_words(item, item.text_only_answer),
            }
            for key, item in ITEMS.items()
            if facts.correct(first, key) is False
            and facts.correct(second, key) is False
            and facts.answer(first, key) == facts.answer(second, key)
        ],
        "disagreements": [_disagreement(facts, item) for key, item in ITEMS.items() if facts.differs(key)],
        "review_counts": _reviews(facts),
        "scores_counts": [_scores(facts, rater) for rater in facts.raters],
        "judge_runs": [_run(facts, run, judges[run]) for run in facts.runs],
        **{f"judge_{number}_counts": _four_cells(facts, run) for number, run in enumerate(facts.runs, start=1)},
    }


def expected_matrix(facts: Facts, stratum: str) -> Counter[tuple[str, str]]:
    """Return how often which words of the first rater met which words of the second."""
    first, second = facts.raters
    counts: Counter[tuple[str, str]] = Counter()
    for key, item in ITEMS.items():
        said = [facts.said(rater, key) for rater in (first, second)]
        if f"format {item.format}" == stratum and None not in said:
            a, b = ("Not assessable" if answer == NOT_ASSESSABLE else in_words(item, answer) for answer in said)
            counts[a, b] += 1
    return counts


def in_words(item: Item, answer: str | None) -> str:
    """Return an answer as the screen words it."""
    assert answer is not None
    return item.texts.get(answer, answer)


def reference_in_words(item: Item) -> str:
    return " or ".join(words_accepted(item))


def _items() -> Rows:
    rows = []
    for kind, titles, of in (
        ("Format", FORMATS, lambda item: item.format),
        ("Grounding", GROUNDINGS, lambda item: item.grounding),
        ("Category", {}, lambda item: item.category),
    ):
        for key in sorted({of(item) for item in ITEMS.values()}):
            here = [item for item in ITEMS.values() if of(item) == key]
            subjects = len({item.subject for item in here})
            rows.append({"kind": kind, "part": titles.get(key, key), "items": len(here), "subjects": subjects})
    return rows


def _completeness(facts: Facts, rater: str) -> dict[str, Any]:
    reads = facts.reads[rater].values()
    return {
        "rater": rater,
        "assigned": len(ITEMS),
        "answered": sum(read.answer is not None for read in reads),
        "not_assessable": sum(read.not_assessable is not None for read in reads),
        "technical_failures": sum(read.failure for read in reads),
        "missing": 0,
        "without_reference": 0,
        "flags": sum(read.flag is not None for read in reads),
        "revised": 0,
    }


def _reasons(facts: Facts) -> Rows:
    counted = Counter(
        (rater, REASONS[read.not_assessable])
        for rater in facts.raters
        for read in facts.reads[rater].values()
        if read.not_assessable
    )
    return [{"rater": rater, "reason": reason, "items": items} for (rater, reason), items in sorted(counted.items())]


def _disagreement(facts: Facts, item: Item) -> dict[str, Any]:
    row = {"item": item.key, "category": item.category, "prompt": item.prompt}
    for rater in facts.raters:
        read = facts.reads[rater][item.key]
        if read.failure:
            words = "Technical failure"
        elif read.not_assessable:
            words = f"Not assessable: {REASONS[read.not_assessable]}"
        else:
            words = f"{in_words(item, read.answer)} {'✓' if facts.correct(rater, item.key) else '✗'}"
        row[f"answer_{rater.lower().replace(' ', '_')}"] = words
    row["reference"] = reference_in_words(item)
    if item.key in facts.reviews:
        decision = facts.reviews[item.key].decision
        mark = "✓" if is_right(item, canonical(item, decision)) else "✗"
        row["decision"] = "Not assessable" if decision is None else f"{in_words(item, decision)} {mark}"
    return row


def _reviews(facts: Facts) -> Rows:
    rows = []
    for origin, title in (
        ("flag", "Flagged by a rater"),
        ("disagreement", "Verdicts differ"),
        ("control", "Control"),
    ):
        here = [key for key in facts.reviews if facts.origin(key) == origin]
        apart = sum(facts.decision(key) == NOT_ASSESSABLE for key in here)
        rows.append(
            {"origin": title, "items": len(here), "read": len(here), "decided": len(here), "not_assessable": apart,
             "unseen": 0}
        )  # fmt: skip
    left = sum(facts.differs(key) and key not in facts.reviews for key in ITEMS)
    nobody = {"items": left, "read": 0, "decided": 0, "not_assessable": 0, "unseen": 0}
    return [*rows, {"origin": "Verdicts differ, not in the queue", **nobody}]


def _scores(facts: Facts, rater: str) -> dict[str, Any]:
    given = facts.scores[rater].values()
    correct = sum(given)
    return {
        "rater": rater,
        "sample": len(facts.sample),
        "correct": correct,
        "incorrect": len(given) - correct,
        "missing": len(facts.sample) - len(given),
    }


def _run(facts: Facts, run: str, judge: str) -> dict[str, Any]:
    judged = list(facts.runs[run].values())
    return {
        "run": run,
        "judge": judge,
        "pool": len(CANDIDATES),
        "correct": judged.count(True),
        "incorrect": judged.count(False),
        "unresolved": judged.count(None),
        "not_judged": len(CANDIDATES) - len(judged),
    }


def _four_cells(facts: Facts, run: str) -> Rows:
    rows = []
    for human, score in humans_of(facts).items():
        cells = Counter((score(key), facts.runs[run][key]) for key in facts.sample)
        compared = sum(count for cell, count in cells.items() if None not in cell)
        rows.append(
            {
                "human": human.capitalize() if human == CONSENSUS else human,
                "both_correct": cells[True, True],
                "strict": cells[True, False],
                "lenient": cells[False, True],
                "both_incorrect": cells[False, False],
                "n": compared,
                "left_out": len(facts.sample) - compared,
            }
        )
    return rows
