"""What a criterion can rest on, and what it can reach at best, is said when a study is imported."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from agreement import krippendorff_alpha
from exchange.refusal import InputRefused
from services.studies.folders.checking import checked_folder
from services.studies.plan.best_case import best_alpha
from tests.services.studies.plan.planned_folder import ITEMS, LINE, folder_with
from tests.situations import write_table


def test_a_criterion_counts_the_units_that_have_a_reference(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, f"criteria: [{{key: it, {LINE}, above: 0.1, least: {{units: 13}}}}]")
    references = [(item[0], "answer", "yes") for item in ITEMS[:12]]
    write_table(folder / "references.csv", "item,field,accepted", references)

    with pytest.raises(InputRefused, match="13 units are asked for, and 'read' rates at most 12 with a reference"):
        checked_folder(folder)


def test_what_it_can_reach_at_best_is_computed_of_these(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, f"criteria: [{{key: it, {LINE}, above: 0.8}}]")
    assert not [warning for warning in checked_folder(folder).warnings if "out of reach" in warning]

    write_table(folder / "references.csv", "item,accepted", [(item[0], "yes") for item in ITEMS[:12]])

    # Wilson's lower limit of 12 of 12 is 12 / (12 + 3.841).
    (warning,) = [warning for warning in checked_folder(folder).warnings if "out of reach" in warning]
    assert "with 12 independent units with a reference the limits are 0.758 and 1.000" in warning


def test_a_criterion_on_a_value_that_no_unit_has_is_refused_with_the_nearest(tmp_path: Path) -> None:
    plan = f"criteria: [{{key: it, {LINE}, above: 0.1, where: {{site: North}}}}]"

    with pytest.raises(InputRefused, match=r"where: No unit has site 'North' \(nearest: 'north'\), expected north"):
        checked_folder(folder_with(tmp_path, plan))


def test_a_criterion_that_needs_no_reference_counts_all_units(tmp_path: Path) -> None:
    line = "estimate: rate, of: read.answer, above: 0.1, least: {units: 20}"
    folder = folder_with(tmp_path, f"criteria: [{{key: it, {line}}}]")
    write_table(folder / "references.csv", "item,accepted", [(item[0], "yes") for item in ITEMS[:12]])

    assert checked_folder(folder).items


def test_a_sample_bounds_what_a_criterion_can_rest_on(tmp_path: Path) -> None:
    plan = f"criteria: [{{key: it, {LINE}, above: 0.1, least: {{units: 6}}}}]"

    with pytest.raises(InputRefused, match="rates at most 5"):
        checked_folder(folder_with(tmp_path, plan, ", from: {sample: {size: '25 %'}}"))


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        # Wilson's lower limit of n of n is n / (n + 3.841).
        (
            f"criteria: [{{key: it, {LINE}, above: 0.95}}]",
            "limits are 0.839 and 1.000, 0.161 apart, at best; it takes 7",
        ),
        (f"criteria: [{{key: it, {LINE}, above: 1}}]", "no number of units would do"),
        (
            f"criteria: [{{key: it, {LINE}, below: 0.1}}]",
            "limits are 0.000 and 0.161, 0.161 apart, at best; it takes",
        ),
        (f"criteria: [{{key: it, {LINE}, above: 0.83, by: site}}]", "with 1 independent unit of site south"),
        ("tables: [site]", "'south' is the value of a single unit"),
        ("tables: [scanner]", "Tables by scanner: all units have the value 'A', so that there are no parts."),
        ("tables: [trained]", "Tables by trained: it is known of raters, and tables are by parts of what is rated"),
        ("tables: [number]", "Parts by number of phase 'read': 'below 1' is the value of a single unit"),
        ("strata: [site]", "Strata by site: 'south' has a single cluster"),
        (f"primary: {{{LINE}, where: {{site: south}}}}", "analysis.primary is about a single unit of phase 'read'"),
        (
            f"primary: {{{LINE}, where: {{site: sout}}}}",
            "there is nothing to compute it from; no unit has site 'sout' (nearest: 'south'), expected north, south.",
        ),
        (
            f"primary: {{{LINE}, where: {{site: [north, Z]}}}}",
            "analysis.primary: of phase 'read' no unit has site 'Z', expected north, south; correct the value.",
        ),
        # Of two who agree on all of 20 units, ten of each answer.
        (
            "criteria: [{key: it, estimate: agreement, of: read.answer, statistic: cohen_kappa, above: 0.8}]",
            "with 20 independent units the limits are 0.723 and 1.000, 0.277 apart, at best; it takes 29 units.",
        ),
        # Nineteen of the same answer: AC1 falls the less by chance, the rarer the others are.
        (
            "criteria: [{key: it, estimate: agreement, of: read.answer, statistic: gwet_ac1, above: 0.9}]",
            "with 20 independent units the limits are",
        ),
        # Units of one site vary with it: two sites say next to nothing.
        (f"cluster: site, criteria: [{{key: it, {LINE}, above: 0.8}}]", "with 20 units in 2 sites the limits are"),
    ],
)
def test_what_is_out_of_reach_or_rests_on_one_unit_is_said(tmp_path: Path, plan: str, says: str) -> None:
    warnings = checked_folder(folder_with(tmp_path, plan)).warnings

    assert [warning for warning in warnings if says in warning]


@pytest.mark.parametrize(
    ("plan", "because"),
    [
        (
            "criteria: [{key: it, estimate: agreement, of: read.answer, statistic: krippendorff_alpha, above: 0.99}]",
            "alpha depends on how many rate each unit; say it under groups (people) or by (per_unit)",
        ),
        (
            f"interval: percentile_bootstrap, criteria: [{{key: it, {LINE}, above: 0.99}}]",
            "the plan takes percentile bootstraps, which have no interval where all answers are alike",
        ),
        (
            "criteria: [{key: it, estimate: difference, of: read.answer, compare: site, above: 0.9}]",
            "it is about a difference, whose interval depends on what both are",
        ),
        (
            "criteria: [{key: it, estimate: agreement, of: read.answer, statistic: cohen_kappa, below: 0.1}]",
            "an upper bound of kappa, alpha or AC1 depends on how raters differ",
        ),
    ],
)
def test_where_nobody_knows_the_best_limits_the_reason_is_said(tmp_path: Path, plan: str, because: str) -> None:
    (warning,) = [each for each in checked_folder(folder_with(tmp_path, plan)).warnings if "Criterion" in each]

    assert warning.endswith(
        f"whether the design can reach it was not computed, since {because}; look at its interval in a pilot."
    )


def test_of_what_the_item_asks_nobody_knows_how_many_answers_there_are(tmp_path: Path) -> None:
    folder = folder_with(
        tmp_path, "criteria: [{key: it, estimate: agreement, of: read.answer, statistic: cohen_kappa, above: 0.9}]"
    )
    protocol = (folder / "protocol.yaml").read_text("utf-8")
    (folder / "protocol.yaml").write_text(protocol.replace("answer: yes_no", "answer: as_item"), encoding="utf-8")

    (warning,) = [each for each in checked_folder(folder).warnings if "Criterion" in each]

    assert "was not computed, since how many different answers there are depends on the items" in warning


def test_a_line_about_some_raters_is_about_all_units(tmp_path: Path) -> None:
    warnings = checked_folder(folder_with(tmp_path, f"primary: {{{LINE}, where: {{trained: yes}}}}")).warnings

    assert not [warning for warning in warnings if "no unit" in warning]


def test_a_number_with_bounds_has_to_reach_a_criterion_in_each_level_from_the_lowest(tmp_path: Path) -> None:
    plan = f"criteria: [{{key: it, {LINE}, above: 0.85, by: number}}]"

    warnings = checked_folder(folder_with(tmp_path, plan)).warnings

    out_of_reach = [warning for warning in warnings if "out of reach" in warning]
    assert [warning.partition(" the limits")[0].rpartition(": ")[2] for warning in out_of_reach] == [
        "with 1 independent unit of number below 1",
        "with 19 independent units of number 1 or more",
    ]


ALPHA = "criteria: [{key: it, estimate: agreement, of: read.answer, statistic: krippendorff_alpha, above: %s}]"


def test_alpha_of_so_many_raters_is_held_against_its_bound(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, ALPHA % 0.8, ", by: {per_unit: 3}")
    assert not [warning for warning in checked_folder(folder).warnings if "Criterion" in warning]

    folder_with(tmp_path, ALPHA % 0.9, ", by: {per_unit: 3}")
    (warning,) = [warning for warning in checked_folder(folder).warnings if "Criterion" in warning]
    assert "is out of reach: with 20 independent units the limits are 0.818 and 1.000, 0.182 apart, at best" in warning


@pytest.mark.parametrize(
    ("people", "more", "says"),
    [
        (11, "statistic: gwet_ac1", ["11 raters are 55 pairs, and the report lists at most 45"]),
        (10, "statistic: gwet_ac1", []),
        (5, "statistic: cohen_kappa, by: site", ["5 raters are 10 pairs, and of a part the report lists at most 6"]),
        (4, "statistic: cohen_kappa, by: site", []),
        (11, "statistic: percent_agreement, each_rater: yes", ["11 raters are 55 pairs, and the report lists at"]),
        (11, "statistic: krippendorff_alpha", []),
    ],
)
def test_a_criterion_on_more_pairs_than_are_told_apart_is_said_to_stay_undecided(
    tmp_path: Path, people: int, more: str, says: list[str]
) -> None:
    plan = f"criteria: [{{key: it, estimate: agreement, of: read.answer, above: 0.1, {more}}}]"
    folder = folder_with(tmp_path, plan, ", by: all")
    protocol = (folder / "protocol.yaml").read_text("utf-8")
    groups = f"groups: {{all: {{title: All, people: {people}}}}}\nphases:"
    (folder / "protocol.yaml").write_text(protocol.replace("phases:", groups, 1), encoding="utf-8")

    warnings = [each for each in checked_folder(folder).warnings if "would not be decided" in each]

    assert len(warnings) == len(says) and all(part in each for part, each in zip(says, warnings, strict=True))


@pytest.mark.parametrize("clusters", [None, [place // 2 for place in range(12)]])
def test_no_ratings_have_a_greater_lower_limit_of_alpha_than_those_at_best(clusters: list[int] | None) -> None:
    sizes = (1,) * 12 if clusters is None else (2,) * 6
    best = best_alpha(sizes, 3, 2, confidence=0.95, resamples=200).low
    rng = random.Random(3)
    for _ in range(80):
        rows = [[rng.choice((0, 1))] * 3 for _ in range(12)]
        for place in rng.sample(range(12), rng.randrange(4)):
            rows[place][rng.randrange(3)] ^= 1
        assert not krippendorff_alpha(rows, clusters=clusters, confidence=0.95, resamples=200).low > best + 1e-12
