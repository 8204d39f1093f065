"""What a plan asks for and the tables cannot give is said when a study is imported, a sentence each."""

from __future__ import annotations

from pathlib import Path

import pytest

from exchange.refusal import InputRefused
from services.report.sections.fields import REPORTS
from services.studies.folders.checking import checked_folder
from services.studies.plan.plan_checks import BETWEEN_MODELS
from tests.services.studies.plan.planned_folder import ITEMS, LINE, folder_with
from tests.situations import write_table


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        (f"primary: {{{LINE}, compare: scanner}}", "every unit of 'read' has the value 'A' there"),
        (f"primary: {{{LINE}, compare: site, where: {{site: north}}}}", "every unit of 'read' has the value 'north'"),
        (f"primary: {{{LINE}, compare: half}}", "every unit with a value of 'read' has the value 'h'"),
        (
            f"primary: {{{LINE}, compare: trained}}",
            "'trained' describes raters, and compared are units, or groups of raters; write by: trained",
        ),
        ("cluster: own", "very unit of 'read' has its own value of own, so that nothing is clustered"),
        (
            "cluster: scanner",
            "very unit of 'read' has the value 'A' of scanner, and a single cluster gives",
        ),
        (
            f"primary: {{{LINE}, compare: number, where: {{number: ['5', '6']}}}}",
            "every unit of 'read' has the level '1 or more' there; remove compare, or select units of several levels",
        ),
        (f"criteria: [{{key: it, {LINE}, above: -0.5}}]", "share is between 0 and 1, so no lower limit can be"),
        (f"criteria: [{{key: it, {LINE}, above: 0.1, least: {{units: 21}}}}]", "'read' rates at most 20"),
    ],
)
def test_what_cannot_be_computed_is_refused_with_its_key(tmp_path: Path, plan: str, says: str) -> None:
    with pytest.raises(InputRefused, match="key analysis") as refusal:
        checked_folder(folder_with(tmp_path, plan))

    assert says in str(refusal.value)


@pytest.mark.parametrize(
    "line", ["tables: [number]", "primary: {estimate: difference, of: read.answer, compare: number}"]
)
def test_parts_by_a_number_without_bounds_are_warned_of(tmp_path: Path, line: str) -> None:
    folder = folder_with(tmp_path, line)
    protocol = (folder / "protocol.yaml").read_text(encoding="utf-8").replace("number, bins: [1]", "number")
    (folder / "protocol.yaml").write_text(protocol, encoding="utf-8")

    assert [said for said in checked_folder(folder).warnings if "number: each number is a part of its own" in said]


AIDED = """
blindread: 2
name: aided
title: An aid after the own answer
attributes: {{items: {{model_a: text}}}}
phases:
  - {{key: read, rates: {rates}, shows: [prompt], form: {{answer: yes_no}}, then: {{shows: [{aid}], again: yes}}}}
analysis: {{primary: {{estimate: accuracy, of: read.answer, as: [step 1, given]}}}}
"""


def test_accuracy_with_a_models_answer_as_an_aid_is_computed_of_items(tmp_path: Path) -> None:
    write_table(tmp_path / "items.csv", "item,category,format,prompt,model_a", [("q1", "c", "yes_no", "One?", "Yes")])
    write_table(tmp_path / "references.csv", "item,field,accepted", [("q1", "answer", "yes")])

    (tmp_path / "protocol.yaml").write_text(AIDED.format(rates="items", aid="model_a"), encoding="utf-8")
    checked_folder(tmp_path)

    (tmp_path / "protocol.yaml").write_text(AIDED.format(rates="candidates", aid="candidate"), encoding="utf-8")
    write_table(tmp_path / "candidates.csv", "candidate,item,model,answer", [("k1", "q1", "A", "Yes")])
    (tmp_path / "references.csv").unlink()
    with pytest.raises(InputRefused, match=r"let it rate items, with the model's answer in a column of items\.csv"):
        checked_folder(tmp_path)


def test_units_without_a_cluster_are_refused(tmp_path: Path) -> None:
    items = [(*item[:5], "" if n < 3 else item[5], *item[6:]) for n, item in enumerate(ITEMS)]

    with pytest.raises(InputRefused, match="3 of the 20 units of 'read' have no scanner"):
        checked_folder(folder_with(tmp_path, "cluster: scanner", items=items))


def test_true_is_yes_where_units_are_selected(tmp_path: Path) -> None:
    plan = f"criteria: [{{key: it, {LINE}, above: 0.1, where: {{hard: true}}, least: {{units: 8}}}}]"

    with pytest.raises(InputRefused, match="'read' rates at most 7"):
        checked_folder(folder_with(tmp_path, plan))


def test_a_plan_that_its_tables_can_give_is_taken_without_a_word(tmp_path: Path) -> None:
    compared = "primary: {estimate: difference, of: read.answer, compare: site}"
    plan = f"{compared}, criteria: [{{key: it, {LINE}, above: 0.8}}]"

    assert checked_folder(folder_with(tmp_path, plan)).warnings == ()


@pytest.mark.parametrize(
    ("more", "is_said"),
    [("", True), (f", primary: {{{LINE}, compare: site}}", False), (f", primary: {{{LINE}}}", True)],
)
def test_a_correction_of_no_comparison_is_said(tmp_path: Path, more: str, is_said: bool) -> None:
    warnings = checked_folder(folder_with(tmp_path, f"comparisons: {{correction: holm}}{more}")).warnings

    said = [warning for warning in warnings if warning.startswith("analysis.comparisons: Holm corrects nothing, since")]
    assert len(said) == is_said


@pytest.mark.parametrize("name", ["years", "specialty"])
def test_a_column_of_units_that_is_called_as_what_is_known_of_raters_is_said(tmp_path: Path, name: str) -> None:
    folder = folder_with(tmp_path, f"primary: {{{LINE}, by: {name}}}")
    for file in ("protocol.yaml", "items.csv"):
        text = (folder / file).read_text("utf-8")
        (folder / file).write_text(text.replace("scanner", name), encoding="utf-8")

    (warning,) = [warning for warning in checked_folder(folder).warnings if "known about each rater" in warning]
    assert (
        warning.startswith(f"analysis.primary names {name}, which in a plan means") and "column of items.csv" in warning
    )


SCORED = """
blindread: 2
name: planned
title: A plan and its tables
phases:
  - key: score
    title: Scores
    rates: candidates
    shows: [prompt, candidate]
    from: {{sample: {{size: 20, unit: item}}}}
    form: {{grade: {{type: ordinal, label: Grade, options: {{1: Bad, 2: Fair, 3: Good}}}}, ok: yes_no}}
analysis: {{{plan}}}
"""


def scored_folder(tmp_path: Path, plan: str, models: str = "xy") -> Path:
    """A candidate of each model to each of 30 items, of which 20 are drawn."""
    (tmp_path / "protocol.yaml").write_text(SCORED.format(plan=plan), encoding="utf-8")
    write_table(tmp_path / "items.csv", "item,format,prompt", [(f"q{n}", "open", f"Item {n}?") for n in range(30)])
    texts = [(f"q{n}-{model}", f"q{n}", model, f"Said {model}") for n in range(30) for model in models]
    write_table(tmp_path / "candidates.csv", "candidate,item,model,answer", texts)
    return tmp_path


def warnings_of_scored(tmp_path: Path, line: str) -> list[str]:
    warnings = checked_folder(scored_folder(tmp_path, f"criteria: [{{key: it, of: score.{line}}}]")).warnings
    return [warning for warning in warnings if "Criterion" in warning]


@pytest.mark.parametrize(("models", "is_said"), [("xy", False), ("x", True)])
def test_models_that_are_rated_on_a_scale_are_compared_without_a_line(
    tmp_path: Path, models: str, is_said: bool
) -> None:
    warnings = checked_folder(scored_folder(tmp_path, "comparisons: {correction: bh}", models)).warnings

    assert any("corrects nothing" in warning for warning in warnings) == is_said


def test_what_compares_models_without_a_line_is_what_the_report_compares() -> None:
    compared = {key for key, report in REPORTS.items() if any(topic.key == "by_model" for topic in report.topics)}

    assert compared == BETWEEN_MODELS


def test_candidates_of_an_item_that_are_drawn_together_are_counted_as_the_report_will(tmp_path: Path) -> None:
    (warning,) = warnings_of_scored(tmp_path, "ok, estimate: rate, option: yes, above: 0.9, least: {units: 40}")

    # With one "no" among forty the report's limit is greater than with none, and that of twenty independent units.
    assert "with 40 units in 20 subjects the limits are 0.834 and 0.997, 0.163 apart, at best; it takes" in warning


def test_verdicts_of_several_raters_on_a_unit_are_counted_together(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, f"criteria: [{{key: it, {LINE}, above: 0.86}}]", ", by: {per_unit: 3}")
    assert not [warning for warning in checked_folder(folder).warnings if "out of reach" in warning]

    folder_with(tmp_path, f"criteria: [{{key: it, {LINE}, above: 0.9}}]", ", by: {per_unit: 3}")
    (warning,) = [warning for warning in checked_folder(folder).warnings if "out of reach" in warning]
    assert "with 60 verdicts on 20 units in 20 subjects the limits are 0.867 and" in warning


def test_verdicts_are_not_counted_together_where_the_report_has_a_line_for_each_rater(tmp_path: Path) -> None:
    folder = scored_folder(tmp_path, "criteria: [{key: it, of: score.ok, estimate: accuracy, above: 0.86}]")
    text = (folder / "protocol.yaml").read_text("utf-8").replace("ok: yes_no", "ok: correctness")
    text = text.replace("rates: candidates", "rates: candidates\n    by: {per_unit: 3}")
    (folder / "protocol.yaml").write_text(text, encoding="utf-8")

    (warning,) = [warning for warning in checked_folder(folder).warnings if "Criterion" in warning]
    assert "is out of reach: with 40 units in 20 subjects the limits are 0.834 and" in warning


@pytest.mark.parametrize("statistic", ["linear_kappa", "quadratic_kappa"])
def test_weighted_kappas_are_held_against_their_bound_with_a_step_between_two_answers(
    tmp_path: Path, statistic: str
) -> None:
    line = f"grade, estimate: agreement, statistic: {statistic}, above"

    assert warnings_of_scored(tmp_path, f"{line}: 0.8") == []
    (warning,) = warnings_of_scored(tmp_path, f"{line}: 0.99")
    assert "with 40 units in 20 subjects the limits are 0.8" in warning


@pytest.mark.parametrize(
    ("cluster", "says"),
    [
        ("item", ["Clusters by item: in phase 'read' 10 of the 10 subjects are in several"]),
        ("case", ["Clusters by case: in phase 'read' 10 of the 10 subjects are in several"]),
        ("half", ["Clusters by half: in phase 'read' 10 of the 10 subjects are in several"]),
        ("subject", []),
        ("site", []),
    ],
)
def test_clusters_that_part_a_subject_are_warned_of(tmp_path: Path, cluster: str, says: list[str]) -> None:
    # Two cases of each subject; of the first site are the last nine subjects.
    items = [
        (*item[:4], "north" if n > 1 else "south", item[5], item[6], item[7], f"h{n % 2}", item[9])
        for n, item in enumerate(ITEMS)
    ]
    folder = folder_with(tmp_path, f"primary: {{{LINE}}}, cluster: {cluster}", items=items)
    write_table(folder / "cases.csv", "case,subject", [(f"c{n}", f"s{n // 2}") for n in range(20)])
    write_table(
        folder / "items.csv", "item,category,format,prompt,site,scanner,own,number,half,hard,case",
        [(*item, f"c{n}") for n, item in enumerate(items)],
    )  # fmt: skip

    warnings = [each for each in checked_folder(folder).warnings if each.startswith("Clusters")]

    assert [each.partition(",")[0] for each in warnings] == says


@pytest.mark.parametrize(
    ("strata", "says"),
    [
        (
            "half",
            [
                (
                    "Strata by half: 10 of the 10 subjects have several values, as 's0', so that no bootstrap "
                    "resamples within them; name what all units of a subject have alike, or remove strata."
                )
            ],
        ),
        ("site", []),
    ],
)
def test_strata_that_part_a_cluster_are_warned_of(tmp_path: Path, strata: str, says: list[str]) -> None:
    items = [
        (*item[:4], "north" if n > 9 else "south", *item[5:8], f"h{n % 2}", item[9]) for n, item in enumerate(ITEMS)
    ]
    folder = folder_with(tmp_path, f"primary: {{{LINE}}}, strata: {strata}", items=items)
    write_table(folder / "cases.csv", "case,subject", [(f"c{n}", f"s{n // 2}") for n in range(20)])
    write_table(
        folder / "items.csv", "item,category,format,prompt,site,scanner,own,number,half,hard,case",
        [(*item, f"c{n}") for n, item in enumerate(items)],
    )  # fmt: skip

    assert [each for each in checked_folder(folder).warnings if each.startswith("Strata")] == says


def test_of_many_strata_of_a_single_cluster_some_are_named_and_the_others_counted(tmp_path: Path) -> None:
    (warning,) = [
        each
        for each in checked_folder(folder_with(tmp_path, f"primary: {{{LINE}}}, strata: own")).warnings
        if each.startswith("Strata")
    ]

    assert warning.startswith("Strata by own: 'o0', 'o1' and 'o10' and 17 more have a single cluster")


@pytest.mark.parametrize(("answers", "warned"), [(range(0), True), (range(5), True), (range(20), False)])
def test_a_floor_of_the_text_alone_without_any_answer_is_warned_of(
    tmp_path: Path, answers: range, warned: bool
) -> None:
    # The line is about hard items alone, the last seven.
    plan = f"primary: {{{LINE}}}, also: [{{{LINE}, where: {{hard: yes}}, with: text_only}}]"
    folder = folder_with(tmp_path, plan)
    write_table(
        folder / "references.csv", "item,accepted,text_only_answer",
        [(item[0], "yes", "no" if n in answers else "") for n, item in enumerate(ITEMS)],
    )  # fmt: skip

    warnings = [each for each in checked_folder(folder).warnings if "text_only" in each]

    assert len(warnings) == warned
    assert not warned or "references.csv has no text_only_answer to any of the 7 units of phase 'read'" in warnings[0]


@pytest.mark.parametrize(("field", "warned"), [("answer", False), ("sharp", True)])
def test_a_text_only_answer_makes_a_floor_of_the_field_that_its_line_names(
    tmp_path: Path, field: str, warned: bool
) -> None:
    folder = folder_with(tmp_path, f"primary: {{{LINE}, with: text_only}}")
    protocol = (folder / "protocol.yaml").read_text("utf-8")
    (folder / "protocol.yaml").write_text(protocol.replace("answer: yes_no", "answer: yes_no, sharp: yes_no"), "utf-8")
    write_table(
        folder / "references.csv", "item,field,accepted,text_only_answer",
        [(item[0], key, "yes", "no" if key == field else "") for item in ITEMS for key in ("answer", "sharp")],
    )  # fmt: skip

    assert any("no text_only_answer" in each for each in checked_folder(folder).warnings) == warned
