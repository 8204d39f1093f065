"""Every number of the report against a plain calculation from the answers that were given, without `agreement`."""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Callable, Sequence

import pytest

from services.report import Matrix, PlainTable, Report
from tests.services.report.lines import all_lines, lines_in
from tests.services.report.situations import FIRST, ITEMS, SECOND

LINES = list(csv.DictReader(io.StringIO(ITEMS)))
KEYS = [line["item"] for line in LINES]
FORMAT = {line["item"]: line["format"] for line in LINES}
GROUNDING = {line["item"]: line["grounding"] for line in LINES}
CATEGORY = {line["item"]: line["category"] for line in LINES}
SUBJECT = {"i1": "s1", "i2": "s1", "i3": "s1", "i4": "s2", "i5": "s2", "i6": "s2", "i7": "s3", "i8": "s3"}

# Written down by hand from the answers and references of situations.py; None is "not assessable".
RIGHT_1 = {"i1": 1, "i2": 1, "i3": 1, "i4": 0, "i5": 1, "i6": 1, "i7": 0, "i8": 1}
RIGHT_2 = {"i1": 0, "i2": 1, "i3": 0, "i4": 0, "i5": None, "i6": 1, "i7": 1, "i8": 0}
TEXT_ONLY = {"i1": 1, "i2": 1, "i3": 0, "i4": 0, "i5": 0, "i6": 0, "i7": 1, "i8": None}
RIGHT = {"Rater 1": RIGHT_1, "Rater 2": RIGHT_2}
# Open answers as they are compared: "Frontal lobe." and "the frontal" differ.
ANSWER_1 = {key: FIRST[key] for key in KEYS} | {"i6": "frontal lobe"}
ANSWER_2 = {key: SECOND[key] for key in KEYS} | {"i5": None, "i6": "frontal"}

PARTS: dict[str, Callable[[str], bool]] = {
    "all": lambda key: True,
    "closed": lambda key: FORMAT[key] != "open",
    **{f"format {name}": (lambda key, name=name: FORMAT[key] == name) for name in ("yes_no", "choice", "open")},
    **{name: (lambda key, name=name: GROUNDING[key] == name) for name in ("image_grounded", "image_informed")},
    **{f"category {name}": (lambda key, name=name: CATEGORY[key] == name) for name in set(CATEGORY.values())},
}


def share(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else math.nan


def kappa(first: Sequence[object], second: Sequence[object]) -> float:
    pairs = [(x, y) for x, y in zip(first, second, strict=True) if x is not None and y is not None]
    n = len(pairs)
    observed = sum(x == y for x, y in pairs) / n
    values = {value for pair in pairs for value in pair}
    by_chance = sum(sum(x == value for x, _ in pairs) / n * sum(y == value for _, y in pairs) / n for value in values)
    return (observed - by_chance) / (1 - by_chance)


def wilson(right: int, n: int) -> tuple[float, float]:
    z = 1.959963984540054
    centre = (right / n + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(right / n * (1 - right / n) / n + z * z / (4 * n * n))
    return centre - half, centre + half


def limits(values: dict[str, float | None]) -> tuple[float, float] | None:
    """Exact limits of the bootstrap of three subjects: of 27 resamples each extreme has 3.7 %, more than 2.5 %."""
    by_subject: dict[str, list[float]] = {}
    for key, value in values.items():
        if value is not None:
            by_subject.setdefault(SUBJECT[key], []).append(value)
    means = {
        share([value for subject in drawn for value in by_subject[subject]])
        for drawn in itertools.product(by_subject, repeat=len(by_subject))
    }
    return (min(means), max(means)) if len(means) > 1 else None


def among(values: dict[str, float | None], part: str) -> dict[str, float | None]:
    return {key: value for key, value in values.items() if PARTS[part](key)}


@pytest.mark.parametrize("table", ["accuracy", "accuracy_by_category", "accuracy_by_grounding"])
def test_accuracy_is_that_of_a_plain_count(report: Report, table: str) -> None:
    rows = [row for row in lines_in(report, "accuracy", table) if row.who in RIGHT]

    assert rows
    for row in rows:
        here = among(RIGHT[row.who], row.stratum)
        known = [value for value in here.values() if value is not None]
        assert row.estimate.value == pytest.approx(sum(known) / len(known)), row
        assert row.estimate.n == len(known)
        assert row.estimate.n_clusters == len({SUBJECT[key] for key, value in here.items() if value is not None})
        assert (row.beside.low, row.beside.high) == pytest.approx(wilson(sum(known), len(known)), abs=1e-9)


@pytest.mark.parametrize("table", ["accuracy", "accuracy_by_category", "accuracy_by_grounding"])
def test_intervals_of_accuracy_are_those_of_all_resamples_of_subjects(report: Report, table: str) -> None:
    for row in lines_in(report, "accuracy", table):
        if row.who not in RIGHT:
            continue
        expected = limits(among(RIGHT[row.who], row.stratum))
        if expected is None:
            assert math.isnan(row.estimate.low)
            assert row.estimate.undefined_because
        else:
            assert (row.estimate.low, row.estimate.high) == pytest.approx(expected), row


def test_all_raters_pool_verdicts_and_say_so(report: Report) -> None:
    for row in lines_in(report, "accuracy", "accuracy"):
        if row.who == "All raters":
            pooled = [*among(RIGHT_1, row.stratum).values(), *among(RIGHT_2, row.stratum).values()]
            assert row.estimate.value == pytest.approx(share(pooled))
            assert row.estimate.unit == "verdict"


def test_worst_and_best_case_count_the_not_assessable_item(report: Report) -> None:
    rows = {(row.label, row.who): row.estimate.value for row in lines_in(report, "accuracy", "accuracy_bounds")}

    assert rows == {
        ("All items, worst case", "Rater 2"): pytest.approx(3 / 8),
        ("All items, best case", "Rater 2"): pytest.approx(4 / 8),
        ("Closed formats (yes/no and choice), worst case", "Rater 2"): pytest.approx(2 / 6),
        ("Closed formats (yes/no and choice), best case", "Rater 2"): pytest.approx(3 / 6),
    }


def test_token_f1_and_the_difference_of_raters_and_of_groundings(report: Report) -> None:
    f1 = {row.who: row.estimate.value for row in lines_in(report, "accuracy", "token_f1")}
    differences = {
        row.stratum: row.estimate
        for row in lines_in(report, "accuracy", "accuracy_differences")
        if row.scale == "points"
    }
    grounding = {row.who: row.estimate.value for row in lines_in(report, "accuracy", "accuracy_grounding_difference")}

    # "3" and "frontal lobe" are accepted as they are; "two" shares no word with an accepted answer.
    assert f1 == {"Rater 1": 1.0, "Rater 2": 0.5}
    both = [key for key in KEYS if RIGHT_2[key] is not None]
    assert differences["all"].value == pytest.approx(share([RIGHT_1[key] - RIGHT_2[key] for key in both]))
    assert differences["all"].n == 7
    for rater, right in RIGHT.items():
        expected = share(list(among(right, "image_grounded").values()))
        expected -= share(list(among(right, "image_informed").values()))
        assert grounding[rater] == pytest.approx(expected)


def test_mcnemar_is_the_binomial_of_the_discordant_items(report: Report) -> None:
    row = next(
        row
        for row in lines_in(report, "accuracy", "accuracy_differences")
        if row.scale == "percent" and row.stratum == "all"
    )
    only_first = sum(RIGHT_1[key] == 1 and RIGHT_2[key] == 0 for key in KEYS)
    only_second = sum(RIGHT_1[key] == 0 and RIGHT_2[key] == 1 for key in KEYS)

    n = only_first + only_second
    tail = sum(math.comb(n, k) for k in range(min(only_first, only_second) + 1)) / 2**n
    assert row.estimate.n == n
    assert row.estimate.p == pytest.approx(min(1.0, 2 * tail))


def test_floors_are_those_of_these_very_items(report: Report) -> None:
    rows = {(row.who, row.stratum): row.estimate for row in lines_in(report, "floors", "floors")}

    # Four yes/no items and two with four options.
    assert rows[("Chance", "closed")].value == pytest.approx((4 * 0.5 + 2 * 0.25) / 6)
    assert rows[("Chance", "format choice")].value == pytest.approx(0.25)
    assert ("Chance", "all") not in rows
    for part in ("all", "closed", "format yes_no", "format choice", "format open"):
        assert rows[("Text-only baseline", part)].value == pytest.approx(share(list(among(TEXT_ONLY, part).values())))


def test_shortcut_score_is_the_ratio_of_errors_on_the_items_that_both_answered(report: Report) -> None:
    rows = [row for row in lines_in(report, "floors", "shortcut") if row.name.startswith("Shortcut Score")]

    assert rows
    for row in rows:
        right = RIGHT[row.who]
        if row.name.endswith("chance floor"):
            floor = {key: 0.5 if FORMAT[key] == "yes_no" else 0.25 for key in KEYS if FORMAT[key] != "open"}
        else:
            floor = {key: value for key, value in TEXT_ONLY.items() if value is not None}
        both = [key for key in floor if PARTS[row.stratum](key) and right[key] is not None]
        missed = sum(1 - floor[key] for key in both)
        if missed == 0:
            assert math.isnan(row.estimate.value)
            assert row.estimate.undefined_because
        else:
            assert row.estimate.value == pytest.approx(sum(1 - right[key] for key in both) / missed)
        assert row.estimate.n == len(both)


def test_agreement_on_answers_and_on_correctness_are_two_things(report: Report) -> None:
    for table, first, second in (
        ("agreement_on_answers", ANSWER_1, ANSWER_2),
        ("agreement_on_correctness", RIGHT_1, RIGHT_2),
    ):
        rows = lines_in(report, "agreement", table)
        assert {row.stratum for row in rows} == {"all", "closed", "format yes_no", "format choice", "format open"}
        for row in rows:
            here = [key for key in KEYS if PARTS[row.stratum](key)]
            x, y = [first[key] for key in here], [second[key] for key in here]
            both = [
                (answer, other) for answer, other in zip(x, y, strict=True) if answer is not None and other is not None
            ]
            assert row.estimate.n == len(both)
            same = sum(a == b for a, b in both) / len(both)
            if row.name.startswith("PABAK"):
                expected = 2 * same - 1
            else:
                expected = kappa(x, y) if row.scale == "number" else same
            assert row.estimate.value == pytest.approx(expected), row
            assert row.name.endswith("on answers" if table.endswith("answers") else "on correctness")


def test_pooled_kappa_on_answers_is_marked_descriptive(report: Report) -> None:
    for row in lines_in(report, "agreement", "agreement_on_answers"):
        assert ("descriptive" in row.note) == (row.stratum in {"all", "closed"})


def test_options_are_compared_by_identity_not_by_place() -> None:
    # i1 lists left first, i4 lists none first: the first option of one is not the first of the other.
    by_item = {line["item"]: line["options"].split("|")[0].split("=")[0] for line in LINES if line["options"]}

    assert by_item == {"i1": "left", "i4": "none"}


def test_agreement_per_category(report: Report) -> None:
    for row in lines_in(report, "agreement", "agreement_by_category"):
        both = [key for key in KEYS if PARTS[row.stratum](key) and ANSWER_2[key] is not None]
        assert row.estimate.value == pytest.approx(share([ANSWER_1[key] == ANSWER_2[key] for key in both]))


def test_shared_errors_and_their_item(report: Report) -> None:
    rows = {row.label: row.estimate for row in lines_in(report, "agreement", "shared_errors")}
    section = report.section("agreement")
    assert section is not None
    listed = section.table("shared_error_items")

    # Of the seven items that both answered, only i4 is wrong on both sides, and both said left.
    assert rows["Both wrong"].value == pytest.approx(1 / 7)
    assert rows["Both gave the same wrong answer"].value == pytest.approx(1 / 7)
    assert isinstance(listed, PlainTable)
    assert [(row[0], row[4], row[5], row[6]) for row in listed.rows] == [("i4", "Left", "Right", "Left")]


def test_matrices_hold_each_pair_of_answers(report: Report) -> None:
    section = report.section("agreement")
    assert section is not None
    matrices = {table.title: table for table in section.tables if isinstance(table, Matrix)}

    yes_no = matrices["Yes/no: answers of Rater 1 and Rater 2"]
    # i2 yes/yes, i5 no/not assessable, i7 no/yes, i8 no/yes
    assert yes_no.row_labels == ("Yes", "No", "Not assessable")
    assert yes_no.counts == ((1, 0, 0), (2, 0, 1), (0, 0, 0))


def test_disagreements_are_listed_in_words(report: Report) -> None:
    section = report.section("disagreements")
    assert section is not None
    table = section.table("disagreements")
    assert isinstance(table, PlainTable)
    by_item = {row[0]: row for row in table.rows}

    assert set(by_item) == {"i1", "i3", "i5", "i6", "i7", "i8"}
    assert by_item["i1"][3:] == ("Left ✓", "Right ✗", "Left", "Left ✓")
    assert by_item["i5"][3:5] == ("No ✓", "Not assessable: Image quality")


def test_adjudication_before_and_after(report: Report) -> None:
    rows = {(row.label, row.who): row.estimate for row in lines_in(report, "adjudication", "before_and_after")}
    upheld = {(row.label, row.who): row.estimate.value for row in lines_in(report, "adjudication", "upheld")}
    controls = {row.label: row.estimate.value for row in lines_in(report, "adjudication", "controls")}

    # The raters agree on i2 (right, flagged) and i4 (wrong, so the control); the reviewer decides all others rightly.
    assert rows[("Items with one answer, before", "All raters")].value == pytest.approx(2 / 8)
    assert rows[("Items with one answer, after", "All raters")].value == 1.0
    assert rows[("Accuracy of the consensus, before", "All raters")].value == pytest.approx(1 / 2)
    assert rows[("Accuracy of the consensus, after", "All raters")].value == pytest.approx(7 / 8)
    # Decided: i1 left, i3 3, i5 no, i6 frontal, i7 yes, i8 no. Rater 1 said i1, i3, i5, i8; rater 2 i6 and i7.
    assert upheld[("Decision equals the verdict of", "Rater 1")] == pytest.approx(4 / 6)
    assert upheld[("Decision equals the verdict of", "Rater 2")] == pytest.approx(2 / 6)
    assert upheld[("Decision equals the verdict of", "No rater")] == 0.0
    assert upheld[("Accuracy on these items", "Decision")] == 1.0
    # The reviewer says right where both raters said left.
    assert controls == {"Own blind read equals the agreed answer": 0.0, "Decision keeps the agreed answer": 0.0}


MARK_1 = {"k1": 1, "k2": 0, "k3": 1, "k4": 0, "k5": 1, "k6": 0, "k7": 1, "k8": 0}
MARK_2 = MARK_1 | {"k8": 1}
JUDGE = {"k1": 1, "k2": 0, "k3": 1, "k4": 1, "k5": 0, "k6": 0, "k7": 1, "k8": None}
CONSENSUS = {key: MARK_1[key] if MARK_1[key] == MARK_2[key] else None for key in MARK_1}
HUMANS = {"Rater 1": MARK_1, "Rater 2": MARK_2, "Consensus": CONSENSUS}


def test_scores_of_raters_agree_as_counted(report: Report) -> None:
    rows = {row.scale: row.estimate for row in lines_in(report, "scores", "scores_agreement")}

    assert rows["percent"].value == pytest.approx(7 / 8)
    assert rows["number"].value == pytest.approx(kappa(list(MARK_1.values()), list(MARK_2.values())))
    assert rows["number"].n_clusters == 4


def test_automatic_scorers_are_held_against_the_consensus(report: Report) -> None:
    rows = {row.label: row.estimate for row in lines_in(report, "scores", "automatic_scorers")}

    # As texts, k1 "Left", k3 "Yes" and k7 "the frontal lobe" match; k5 "Right side" does not, and the raters took it.
    matches = {"k1": 1, "k2": 0, "k3": 1, "k4": 0, "k5": 0, "k6": 0, "k7": 1, "k8": 0}
    both = [key for key in matches if CONSENSUS[key] is not None]
    x, y = [matches[key] for key in both], [CONSENSUS[key] for key in both]
    assert rows["Exact match: same verdict"].value == pytest.approx(6 / 7)
    assert rows["Exact match: Cohen’s kappa"].value == pytest.approx(kappa(x, y))
    assert rows["Exact match: consensus minus exact match"].value == pytest.approx(1 / 7)
    # For two values each, Spearman's correlation is phi.
    n, a, b, c = len(both), sum(x), sum(y), sum(p * q for p, q in zip(x, y, strict=True))
    phi = (n * c - a * b) / math.sqrt(a * (n - a) * b * (n - b))
    assert rows["Exact match: Spearman correlation"].value == pytest.approx(phi)


def test_judge_is_compared_with_each_rater_and_the_consensus_never_stacked(report: Report) -> None:
    agreement = {
        (row.who.removeprefix("judge 1 and "), row.scale): row.estimate
        for row in lines_in(report, "judges", "judge_1_agreement")
    }
    direction = {
        row.who.removesuffix(" minus judge 1"): row.estimate
        for row in lines_in(report, "judges", "judge_1_direction")
        if row.stratum == "all"
    }

    assert set(direction) == set(HUMANS)
    for human, scores in HUMANS.items():
        both = [key for key in scores if scores[key] is not None and JUDGE[key] is not None]
        assert agreement[(human, "percent")].value == pytest.approx(share([scores[k] == JUDGE[k] for k in both]))
        assert agreement[(human, "number")].value == pytest.approx(
            kappa([scores[key] for key in both], [JUDGE[key] for key in both])
        )
        assert agreement[(human, "number")].n == len(both) == 7
        strict = sum(scores[key] == 1 and JUDGE[key] == 0 for key in both)
        lenient = sum(scores[key] == 0 and JUDGE[key] == 1 for key in both)
        n = strict + lenient
        tail = sum(math.comb(n, k) for k in range(min(strict, lenient) + 1)) / 2**n
        assert direction[human].value == pytest.approx((strict - lenient) / len(both))
        assert direction[human].p == pytest.approx(min(1.0, 2 * tail))


def test_unresolved_candidates_are_counted_and_bounded(report: Report) -> None:
    rows = {row.label: row.estimate.value for row in lines_in(report, "judges", "judge_1_pool") if row.stratum == "all"}
    section = report.section("judges")
    assert section is not None
    runs = section.table("judge_runs")

    assert rows == {
        "All candidates": pytest.approx(4 / 7),
        "All candidates, all unresolved incorrect": pytest.approx(4 / 8),
        "All candidates, all unresolved correct": pytest.approx(5 / 8),
    }
    assert isinstance(runs, PlainTable)
    assert runs.rows == (("judge 1", "a judge", 8, 4, 3, 1, 0),)


def test_every_estimate_has_n_unit_method_and_an_interval_or_the_reason(report: Report) -> None:
    rows = all_lines(report)

    assert len(rows) > 100
    for row in rows:
        for estimate in row.row.estimates:
            assert estimate.n >= 0
            assert estimate.unit
            assert estimate.method
            undefined = math.isnan(estimate.value) or math.isnan(estimate.low) or math.isnan(estimate.high)
            assert bool(estimate.undefined_because) == undefined
            assert row.beside is None or "assumes independent items" in row.beside.method
