"""What is in a table of the plan is printed there alone: other tables say where, and print what is more."""

from __future__ import annotations

from dataclasses import replace

from agreement import Estimate
from agreement.methods import of_lambda
from exchange.report.estimate_rows import ALL_ITEMS, EstimateRow, Party
from exchange.report.report_markup import table_markup
from exchange.report.report_structure import EstimateTable
from exchange.report.report_tables import printed
from exchange.report.report_words import lines_of

PLANNED = "Primary estimate: Accuracy"


def table_of(*elsewhere: str) -> EstimateTable:
    estimate = Estimate("accuracy", 0.5, 0.4, 0.6, 90, "item", "exact", n_clusters=12)
    rows = tuple(
        EstimateRow("accuracy", "reference", (Party("rater", f"Rater {number}"),), ALL_ITEMS, estimate)
        for number in range(1, len(elsewhere) + 1)
    )
    return EstimateTable("t", "Accuracy", "Correct by all.", rows, elsewhere=elsewhere)


def test_lines_that_stand_in_the_plan_are_not_printed_again() -> None:
    table = printed(table_of(PLANNED, ""))

    assert [row.cells[1] for row in table.rows] == ["Rater 2"]
    assert table.explanation == f"Correct by all. 1 line of this table stands in the section of the plan: “{PLANNED}”."


def test_of_a_table_that_stands_in_the_plan_whole_there_is_the_title_and_where_it_is() -> None:
    table = printed(table_of(PLANNED, PLANNED))

    assert (table.title, table.rows, table.notes) == ("Accuracy", (), ())
    assert table.explanation == f"In the section of the plan: “{PLANNED}”."
    assert "<table" not in table_markup(table_of(PLANNED, PLANNED))


def test_what_stands_elsewhere_is_among_the_rows_of_the_table_for_its_files() -> None:
    assert len(table_of(PLANNED, "").rows) == 2


def test_of_a_difference_it_is_said_what_is_subtracted_from_what() -> None:
    row = table_of("").rows[0]
    judge_and_human = (Party("judge", "Judge A"), Party("consensus"))
    table = replace(
        table_of(""),
        rows=(
            replace(row, statistic="signed_difference", compared="judgements", parties=judge_and_human),
            replace(row, statistic="percent_agreement", compared="judgements", parties=judge_and_human),
        ),
    )

    # It is human minus judge.
    assert [line.who for line in lines_of(table)] == ["Consensus minus Judge A", "Judge A and Consensus"]


def test_a_note_is_without_the_lambda_that_each_line_has_of_its_own() -> None:
    row = table_of("").rows[0]
    methods = ["PPI++, normal interval" + of_lambda(f"; lambda {share}") + "; clustered" for share in (0.812, 0.64)]
    rows = tuple(replace(row, estimate=replace(row.estimate, method=method)) for method in methods)

    assert printed(replace(table_of(""), rows=rows)).notes == ("a: PPI++, normal interval; clustered",)


def test_lines_of_given_and_settled_answers_are_told_apart_by_their_note() -> None:
    table = table_of("")
    both = replace(table, rows=tuple(replace(table.rows[0], answers=answers) for answers in ("given", "settled")))

    assert [line.note for line in lines_of(both)] == ["as given", "as settled"]
    assert [line.note for line in lines_of(replace(both, rows=both.rows[:1]))] == [""]
