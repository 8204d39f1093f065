"""Repeated runs: a shift is told from scatter, a version of the prompt from another run of the same one."""

from dataclasses import replace

import numpy as np
import pytest

from agreement.judge.material import Made, Material
from agreement.judge.panels import repeatability as repeats
from agreement.judge.printing import what_was_read
from tests.agreement.judge.panel_material import PLAN, YES_NO, material, verdicts


def runs(first, second, scale=YES_NO):
    of_judge = {"old": verdicts(first), "new": verdicts(second)}
    return Material(scale, {"h1": of_judge["old"]}, {"judge": of_judge["old"]}, runs={"judge": of_judge})


def test_a_shift_in_one_direction_and_scatter_are_two_things():
    start = np.r_[np.ones(50), np.zeros(50)]
    shifted = np.r_[np.ones(50), np.ones(12), np.zeros(38)]
    scattered = np.r_[np.zeros(6), np.ones(44), np.ones(6), np.zeros(44)]

    of_shift, of_scatter = (repeats.panel(runs(start, new), PLAN) for new in (shifted, scattered))

    assert of_shift.of(repeats.SHIFT)[0].sentence == "more lenient: 12 became correct, 0 incorrect"
    assert of_scatter.of(repeats.SHIFT)[0].sentence == "no shift: 6 became correct, 6 incorrect"
    assert [p.of(repeats.SCATTER)[0].estimate.value for p in (of_shift, of_scatter)] == [0.12, 0.12]


def test_a_shift_is_tested_exactly_if_no_two_repeated_candidates_share_a_cluster():
    start = np.r_[np.ones(50), np.zeros(50)]
    shifted = np.r_[np.zeros(14), np.ones(36), np.ones(15), np.zeros(35)]
    plain = runs(start, shifted)

    alone, of_pairs = (
        repeats.panel(replace(plain, clusters=clusters), PLAN).of(repeats.SHIFT)[0].estimate
        for clusters in (np.arange(100), np.arange(100) // 2)
    )

    assert alone == repeats.panel(plain, PLAN).of(repeats.SHIFT)[0].estimate
    assert alone.p == 1.0 and "exact" in alone.method and "Obuchowski" in of_pairs.method


def test_runs_without_a_common_candidate_are_no_repeats_and_show_no_lack_of_shift():
    parts = runs([1, 0, np.nan, np.nan], [np.nan, np.nan, 1, 0])
    panel = repeats.panel(parts, PLAN)

    assert panel.sentence == "old and new of judge have no candidate with both verdicts: they do not repeat each other."
    assert panel.of(repeats.SHIFT) == []
    assert [panel.of(name)[0].estimate.value for name in (repeats.MISSING, repeats.NEW)] == [2, 2]
    assert (
        "judge: only its first run, old, is calibrated; 2 of the candidates that it lacks are in other runs: parts of "
        "one run belong in one import, or one file."
    ) in what_was_read(parts, PLAN)


def versions(**made):
    """Two repeated runs of a first version, and a run of a second one that is stricter; how each was made."""
    start = np.r_[np.ones(50), np.zeros(50)]
    again, stricter = start.copy(), start.copy()
    again[:3], stricter[:20] = 0, 0
    stricter[99] = np.nan
    of_judge = {"a": verdicts(start), "b": verdicts(again), "c": verdicts(stricter)}
    return Material(
        YES_NO, {"h1": of_judge["a"]}, {"judge": of_judge["a"]}, runs={"judge": of_judge},
        made={("judge", run): Made("judge", *said) for run, said in made.items()},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("second", "statistic", "names"),
    [
        (("v2", "m1"), "changed with the prompt", ("v1", "v2")),
        (("v1", "m2"), "changed with the model", ("m1", "m2")),
        (("v2", ""), "changed with prompt and model", ("v1, m1", "v2, model not said")),
    ],
)
def test_a_version_of_prompt_or_model_is_one_row_beside_the_share_that_changes_from_run_to_run(
    second, statistic, names
):
    panel = repeats.panel(versions(a=("v1", "m1"), b=("v1", "m1"), c=second), PLAN)

    (row,) = panel.of(statistic)
    assert (row.parties, round(row.estimate.value, 4), row.estimate.n) == (names, round(20 / 99, 4), 99)
    assert row.sentence == (
        "stricter: 0 became correct, 20 incorrect (P < .001); 1 missing; 0 new; "
        "3.0 % [1.0, 8.5] from run to run (a to b)"
    )
    assert [row.parties for row in panel.of(repeats.SCATTER)] == [("a", "b")]
    assert f"From {names[0]} to {names[1]}, judge changed 20.2 %" in panel.sentence


def test_without_a_repeated_run_the_share_from_run_to_run_is_said_not_to_be_known():
    panel = repeats.panel(versions(a=("v1", ""), b=("v2", ""), c=("v3", "")), PLAN)

    assert len(panel.of("changed with the prompt")) == 3
    assert all("from run to run not known" in row.sentence for row in panel.of("changed with the prompt"))


def test_verdicts_of_one_run_only_are_counted_among_all_that_it_has():
    panel = repeats.panel(runs([1, 1, 0, np.nan], [1, np.nan, np.nan, 0]), PLAN)

    missing, new = (panel.of(name)[0].estimate for name in (repeats.MISSING, repeats.NEW))
    assert [(missing.value, missing.n), (new.value, new.n)] == [(2, 3), (1, 2)]
    assert panel.of(repeats.SCATTER)[0].estimate.n == 1


@pytest.mark.parametrize(("sources", "compared"), [(("x", "x", "y"), 1), (("x", "x", "x"), 0), (("x", "y", ""), 3)])
def test_runs_that_were_read_from_one_file_are_no_repeats_and_are_said_to_be_none(sources, compared):
    codes = np.tile([1.0, 0.0], 20)
    runs = {f"run {place}": verdicts(codes) for place in range(3)}
    read_from = {("grok", run): source for run, source in zip(runs, sources, strict=True)}
    twice = replace(material([codes], {"grok": codes}), runs={"grok": runs}, sources=read_from)

    panel = repeats.panel(twice, PLAN)

    assert len(panel.of(repeats.SCATTER)) == compared
    said = [why for why in panel.refused if why.startswith("run 0 and run 1 of grok were read from the same file")]
    assert len(said) == (sources[1] == "x")
    assert not any("--run" in why for why in panel.refused)
