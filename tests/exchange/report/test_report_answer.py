"""What a report begins with: its primary estimate, with n, interval and method, in few lines."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal

from agreement import Estimate
from exchange.report.estimate_rows import ALL_CANDIDATES, ALL_RATERS, CONSENSUS, Direction, EstimateRow, Party, Stratum
from exchange.report.report_answer import Answer, answer_of
from exchange.report.report_structure import EstimateTable, Report, Section

TITLE = "Primary estimate: Share"


def row_of(*parties: Party, planned: bool = True) -> EstimateRow:
    estimate = Estimate("share", 0.5, 0.4, 0.6, 90, "candidate", "Wilson score interval", n_clusters=12)
    return EstimateRow("share", "scored_correct", parties, ALL_CANDIDATES, estimate, planned=planned)


def answer_from(
    *rows: EstimateRow, plan: str = "", lines: Literal["stratum", "both"] = "both", measured_in: str = ""
) -> Answer | None:
    table = EstimateTable("line_1", TITLE, "", rows, lines=lines, cluster="item", measured_in=measured_in)
    section = Section("plan", "Plan", "Plan", (), (table,))
    named = (("Primary estimate", plan),) if plan else ()
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return answer_of(Report("k", "T", "final", "f", "p", "1", named, now, (), (section,), ()))


def test_a_line_has_whose_it_is_the_interval_and_n_and_what_all_have_in_common_stands_once() -> None:
    assert answer_from(row_of(Party("rater", "Rater 1")), row_of(Party("rater", "Rater 2"), planned=False)) == Answer(
        f"{TITLE} – All candidates: share scored correct",
        ("Rater 1: 50.0 % [40.0, 60.0], n = 90 candidates",),
        "95 % intervals (Wilson score interval) that allow for clustering by item",
        0,
    )


def test_of_many_lines_those_of_all_raters_stand_for_the_others() -> None:
    rows = [row_of(Party("rater", f"Rater {number}")) for number in range(6)]

    answer = answer_from(*rows, row_of(ALL_RATERS))

    assert answer is not None and len(answer.lines) == 1
    assert answer.lines[0].startswith("All raters") and answer.more == 6


def test_of_many_lines_those_of_groups_and_between_them_stand_for_single_raters() -> None:
    rows = [row_of(Party("rater", f"Rater {number}")) for number in range(6)]
    students, seniors = Party("part", "Students"), Party("part", "Seniors")

    answer = answer_from(*rows, row_of(students), row_of(seniors), row_of(students, seniors))

    assert answer is not None
    assert [line.split(":")[0] for line in answer.lines] == ["Students", "Seniors", "Students and Seniors"]
    assert answer.more == 6


def test_the_difference_that_is_compared_stands_beside_all_raters_of_each_group() -> None:
    residents, seniors = Party("part", "Residents"), Party("part", "Seniors")
    of_raters = [row_of(Party("rater", f"Rater {number}")) for number in range(6)]

    answer = answer_from(*of_raters, row_of(ALL_RATERS), row_of(ALL_RATERS), row_of(residents, seniors))

    assert answer is not None and (len(answer.lines), answer.more) == (3, 6)
    assert "Residents" in answer.lines[2] and "Seniors" in answer.lines[2]


def test_lines_about_answers_before_and_after_more_was_shown_say_which_they_are() -> None:
    before, after = (replace(row_of(ALL_RATERS), answers=answers) for answers in ("step 1", "given"))

    answer = answer_from(before, after, plan="share scored correct, of the first step and as given")

    assert answer is not None
    assert [line.split(":")[0] for line in answer.lines] == [
        "All raters, All candidates, first step",
        "All raters, All candidates, as given",
    ]


def test_means_and_differences_of_a_number_say_their_unit_and_shares_of_it_do_not() -> None:
    residents, seniors = Party("part", "Residents"), Party("part", "Seniors")
    difference = replace(row_of(residents, seniors), statistic="mean_difference", compared="groups")

    of_means = answer_from(difference, measured_in="mm")
    of_shares = answer_from(row_of(residents), measured_in="mm")

    assert of_means is not None and of_means.method.startswith("In mm; 95 % intervals (")
    assert of_shares is not None and of_shares.method.startswith("95 % intervals (")


def test_of_many_lines_differences_do_not_stand_for_what_they_are_between() -> None:
    rows = [row_of(Party("rater", f"Rater {number}")) for number in range(6)]

    answer = answer_from(*rows, row_of(Party("part", "A"), Party("part", "B")))

    assert answer is not None and answer.lines[0].startswith("Rater 0")


def test_what_the_title_names_is_not_said_again_behind_it() -> None:
    row = replace(row_of(ALL_RATERS), stratum=Stratum("selected", "format is choice"))

    answer = answer_from(row, plan="share scored correct, where format is choice")

    assert answer is not None and answer.title == "Primary estimate: share scored correct, where format is choice"
    of_part = answer_from(row, plan="agreement, where format is choice")
    assert of_part is not None and of_part.title.endswith("where format is choice – share scored correct")


def test_a_judge_is_called_stricter_or_more_lenient_as_its_interval_decides() -> None:
    row = replace(row_of(Party("judge", "birch"), CONSENSUS), remark=Direction(3, 1, "stricter"))

    answer = answer_from(row)

    assert answer is not None and answer.lines[0].endswith("n = 90 candidates: stricter")


def test_the_plan_in_words_is_its_title_where_a_report_has_it() -> None:
    answer = answer_from(row_of(ALL_RATERS), plan="accuracy on all items")

    assert answer is not None and answer.title.startswith("Primary estimate: accuracy on all items")


def test_without_a_primary_estimate_there_is_no_answer() -> None:
    assert answer_from(row_of(ALL_RATERS, planned=False)) is None


def test_a_part_that_the_plan_names_is_not_said_again_where_lines_are_called_by_their_part() -> None:
    row = replace(row_of(ALL_RATERS), stratum=Stratum("selected", "format is choice"))

    answer = answer_from(row, plan="accuracy, where format is choice", lines="stratum")

    assert answer is not None and answer.title == "Primary estimate: accuracy, where format is choice"


def test_a_selection_that_the_plan_names_is_not_said_again_before_each_part_of_it() -> None:
    rows = [
        replace(row_of(ALL_RATERS), stratum=Stratum("selected", f"the report is negative, Model {name}"))
        for name in "AB"
    ]

    answer = answer_from(*rows, plan="share, where the report is negative, by model")

    assert answer is not None
    assert [line.split(":")[0] for line in answer.lines] == ["All raters, Model A", "All raters, Model B"]
