"""Figures of judges, with what they say in words; and of many parts, which are drawn apart where they are too many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from agreement import Estimate
from exchange.report.estimate_rows import ALL_CANDIDATES, CONSENSUS, Category, Direction, EstimateRow, Party, Stratum
from exchange.report.report_structure import Drawn, EstimateTable, Section, TitleParts
from exchange.report.report_words import lines_of
from exchange.report.statistic_names import Statistic
from services.report import Figure
from services.report.figures.of_fields import figures_of_fields

HUMANS = (Party("rater", "Rater 1"), Party("rater", "Rater 2"), CONSENSUS)
_MEANS = frozenset({("mean_answer", "answers")})
DECIDED = {"birch": "stricter", "cedar": "more lenient", "hazel": "undecided"}


def row_of(judge: str, human: Party, value: float) -> EstimateRow:
    estimate = Estimate("difference", value, value - 0.1, value + 0.1, 40, "candidate", "bootstrap", n_clusters=20)
    remark = Direction(3, 2, DECIDED[judge])
    return EstimateRow(
        "signed_difference", "judgements", (Party("judge", judge), human), ALL_CANDIDATES, estimate, remark=remark
    )


def figure_of(*humans: Party) -> Figure:
    rows = tuple(row_of(judge, human, 0.2) for judge in DECIDED for human in humans)
    title = 'Primary estimate: Signed difference on "The answer is" in "Scores", against the judges'
    table = EstimateTable("line_1", title, "", rows, lines="both", cluster="item", drawn="forest")
    (figure,) = figures_of_fields(Section("plan", "Plan", "Plan", (), (table,)))
    return figure


def test_each_judge_has_a_line_with_a_symbol_for_whom_it_is_held_against() -> None:
    drawn = figure_of(*HUMANS).figure

    assert list(drawn.layout.yaxis.ticktext) == ["birch", "cedar", "hazel"]
    assert [trace.name for trace in drawn.data] == ["against Rater 1", "against Rater 2", "against Consensus"]
    assert all(not math.isnan(x) for trace in drawn.data for x in trace.x)


def test_the_sides_of_the_axis_say_where_a_judge_is_stricter() -> None:
    title = figure_of(*HUMANS).figure.layout.xaxis.title.text

    assert title.startswith("← judge more lenient") and title.endswith("judge stricter →")


def test_of_an_option_the_sides_of_the_axis_say_how_often_it_is_chosen_and_not_who_is_stricter() -> None:
    parties = (HUMANS[0], Party("judge", "birch"))
    of_harm = replace(
        row_of("birch", HUMANS[0], 0.2), compared="judged_option", parties=parties, category=Category("yes", "Yes")
    )
    table = EstimateTable("line_1", "Harm", "", (of_harm, of_harm), lines="both", cluster="item", drawn="forest")

    (figure,) = figures_of_fields(Section("plan", "Plan", "Plan", (), (table,)))

    title = figure.figure.layout.xaxis.title.text
    assert title.startswith("← judge chooses it more often") and title.endswith("less often →")


def test_the_caption_says_which_judges_are_stricter_and_which_more_lenient() -> None:
    assert figure_of(*HUMANS).caption.endswith(
        "By the interval against the consensus, stricter: birch; more lenient: cedar; undecided: hazel."
    )


def test_of_a_single_rater_the_caption_says_against_whom() -> None:
    assert "stricter: birch against Rater 1; more lenient: cedar against Rater 1" in figure_of(HUMANS[0]).caption


@pytest.mark.parametrize(
    ("n_clusters", "says"), [(20, "by the interval, which accounts for clustering by item"), (None, "by the interval")]
)
def test_a_note_says_that_an_interval_accounts_for_clusters_only_where_it_does(
    n_clusters: int | None, says: str
) -> None:
    row = row_of("birch", HUMANS[0], 0.2)
    alone = replace(row, estimate=replace(row.estimate, n_clusters=n_clusters))

    (line,) = lines_of(EstimateTable("direction", "Direction", "", (alone,), cluster="item"))

    assert line.note == f"3 stricter, 2 more lenient: stricter {says}"


def caption_of_parts(*parts: Stratum) -> str:
    """Return the caption of a judge that is stricter than a rater in the first of these parts, and undecided else."""
    rows = tuple(
        replace(row_of("birch" if part == parts[0] else "hazel", HUMANS[0], 0.2), stratum=part) for part in parts
    )
    one_judge = tuple(replace(row, parties=(Party("judge", "birch"), HUMANS[0])) for row in rows)
    table = EstimateTable("direction", "Direction", "", one_judge, cluster="item", drawn="forest")
    (figure,) = figures_of_fields(Section("phase_score", "Scores", "Scores", (), (table,)))
    return figure.caption


TIERS = (Stratum("attribute", "Tier 1", "tier"), Stratum("attribute", "Tier 2", "tier"))


def test_of_a_judge_in_several_parts_the_caption_says_what_is_so_of_all_candidates() -> None:
    assert caption_of_parts(ALL_CANDIDATES, *TIERS).endswith(
        "By the interval, of all candidates, stricter: birch against Rater 1."
    )


def test_where_only_parts_are_drawn_the_caption_names_the_part_of_each() -> None:
    assert caption_of_parts(*TIERS).endswith(
        "stricter: birch against Rater 1 (Tier 1); undecided: birch against Rater 1 (Tier 2)."
    )


def test_the_primary_statistic_is_drawn_first_and_no_other_is_called_primary() -> None:
    estimate = Estimate("agreement", 0.5, 0.4, 0.6, 40, "item", "Wilson", n_clusters=20)
    rows = tuple(
        EstimateRow(statistic, "answers", (human,), ALL_CANDIDATES, estimate, planned=statistic == "quadratic_kappa")
        for statistic in ("percent_agreement", "quadratic_kappa")
        for human in HUMANS
    )
    parts = TitleParts("Primary estimate", "Agreement on it", is_primary=True)
    table = EstimateTable("line_1", str(parts), "", rows, lines="both", drawn="forest", parts=parts)

    titles = [figure.title for figure in figures_of_fields(Section("plan", "Plan", "Plan", (), (table,)))]

    assert titles == [
        "Primary estimate: Agreement on it: Kappa, quadratic weights",
        "Also declared: Agreement on it: Same answer",
    ]


@pytest.mark.parametrize(
    ("statistic", "drawn", "weighted"),
    [
        ("share", "forest", False),
        ("krippendorff_alpha", "forest", False),
        ("share", "forest", True),
        # One option of a scale has no two sides.
        ("share", "scale", False),
        ("share", "no", False),
    ],
)
def test_a_primary_estimate_of_one_line_is_drawn(statistic: Statistic, drawn: Drawn, weighted: bool) -> None:
    estimate = Estimate("share", 0.5, 0.4, 0.6, 40, "item", "Wilson", n_clusters=20)
    row = EstimateRow(
        statistic, "option" if statistic == "share" else "answers", (HUMANS[0],), ALL_CANDIDATES, estimate,
        planned=True, weighted=weighted, category=Category("yes", "Yes"),
    )  # fmt: skip
    parts = TitleParts("Primary estimate", "Share of it", is_primary=True)
    primary = EstimateTable("line_1", str(parts), "", (row,), lines="both", drawn=drawn, parts=parts)
    also = replace(primary, key="line_2", parts=TitleParts("Also declared", "Share of it"))

    (figure,) = figures_of_fields(Section("plan", "Plan", "Plan", (), (primary, also)))

    assert figure.title.startswith("Primary estimate: Share of it")
    assert len([x for trace in figure.figure.data for x in trace.x]) == 1


def test_a_caption_of_values_without_intervals_says_where_the_reason_stands() -> None:
    estimate = Estimate("share", 1.0, math.nan, math.nan, 8, "item", "bootstrap", "every resample gave the same value")
    rows = tuple(EstimateRow("percent_agreement", "answers", (human,), ALL_CANDIDATES, estimate) for human in HUMANS)
    table = EstimateTable("agreement", "Agreement", "", rows, lines="both", drawn="forest")

    (figure,) = figures_of_fields(Section("phase_a", "A", "A", (), (table,)))

    assert "lines: no value has an interval (the table says why)" in figure.caption


def test_many_pairs_on_one_line_get_a_line_each() -> None:
    estimate = Estimate("agreement", 0.5, 0.4, 0.6, 40, "item", "Wilson", n_clusters=20)
    raters = [Party("rater", f"Rater {number}") for number in range(1, 6)]
    rows = tuple(
        EstimateRow("percent_agreement", "answers", (first, second), ALL_CANDIDATES, estimate)
        for place, first in enumerate(raters)
        for second in raters[place + 1 :]
    )
    table = EstimateTable("agreement", "Agreement", "", rows, lines="both", drawn="forest")

    (figure,) = figures_of_fields(Section("phase_a", "A", "A", (), (table,)))

    assert len(set(figure.figure.layout.yaxis.ticktext)) == len(rows) == 10
    assert not figure.figure.layout.showlegend


def test_a_label_with_a_colon_stands_whole_before_what_a_figure_of_its_field_says() -> None:
    estimate = Estimate("accuracy", 0.5, 0.4, 0.6, 40, "item", "Wilson", n_clusters=20)
    parts = TitleParts("Largest lesion: grade", "always the same answer, and the best rater")
    rows = tuple(
        EstimateRow("accuracy", compared, (Party("part", "A"),), ALL_CANDIDATES, estimate)
        for compared in ("majority_floor", "best_rater")
    )
    table = EstimateTable("grade_ceilings", str(parts), "", rows, field="a.grade", drawn="levels", parts=parts)

    (figure,) = figures_of_fields(Section("phase_a", "A", "A", (), (table,)))

    assert figure.title == "Largest lesion: grade: what raters stand between"
    assert figure.key == "phase_a-grade_levels"


def test_a_figure_says_its_statistic_also_where_a_label_happens_to_hold_the_word() -> None:
    estimate = Estimate("mean", 2.0, 1.0, 3.0, 40, "item", "t", n_clusters=20)
    rows = tuple(EstimateRow("mean_answer", "answers", (human,), ALL_CANDIDATES, estimate) for human in HUMANS)
    labelled, named = TitleParts("Mean diameter", "overview"), TitleParts("D", "means", names=_MEANS)

    titles = []
    for parts in (labelled, named):
        table = EstimateTable("d_means", str(parts), "", rows, drawn="forest", parts=parts)
        titles += [figure.title for figure in figures_of_fields(Section("phase_a", "A", "A", (), (table,)))]

    assert titles == ["Mean diameter: overview: Mean", "D: means"]


def shares(parts: Sequence[Stratum]) -> EstimateTable:
    """Return how often each of five options was chosen, on all units and on parts of them."""
    estimate = Estimate("share", 0.2, 0.1, 0.3, 40, "candidate", "Wilson score interval")
    rows = tuple(
        EstimateRow("share", "option", HUMANS[:1], part, estimate, category=Category(key, f"Option {key}"))
        for part in parts
        for key in "abcde"
    )
    title = TitleParts("", "How often each option was chosen")
    return EstimateTable("error", str(title), "", rows, lines="both", drawn="forest", parts=title)


def test_parts_that_do_not_fit_on_a_printed_page_have_a_figure_for_each_attribute() -> None:
    levels = [Stratum("attribute", value, "case_level") for value in ("One", "Two", "Three")]
    models = [Stratum("model", name) for name in "AB"]
    table = shares([ALL_CANDIDATES, *levels, *models])

    figures = figures_of_fields(Section("phase_a", "A", "A", (), (table,)))

    assert [(figure.key, figure.title, len(figure.figure.layout.yaxis.ticktext)) for figure in figures] == [
        ("phase_a-error-share", "How often each option was chosen", 5),
        ("phase_a-error-share-case_level", "How often each option was chosen, by case level", 15),
        ("phase_a-error-share-model", "How often each option was chosen, by model", 10),
    ]


def test_parts_that_fit_on_a_printed_page_are_drawn_together() -> None:
    table = shares([ALL_CANDIDATES, Stratum("model", "A"), Stratum("attribute", "One", "level")])

    (figure,) = figures_of_fields(Section("phase_a", "A", "A", (), (table,)))

    assert len(figure.figure.layout.yaxis.ticktext) == 15
