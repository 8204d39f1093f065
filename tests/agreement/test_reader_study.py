"""Planning a reader study: against RJafroc, against simulated studies, and by what must hold for any of them."""

import dataclasses
import math

import numpy as np
import pytest
from scipy import stats

from agreement import (
    VARIANCES,
    VarianceComponents,
    cases_needed,
    plan_reader_study,
    reader_averaged_difference,
    variance_components,
)

VAN_DYKE = VARIANCES["Van Dyke"]
EFFECT = 0.043800322  # difference of the two conditions in that study


def power(readers, cases, **options):
    (planned,) = plan_reader_study(VAN_DYKE, [readers], [cases], **options)
    return planned.power


def test_power_with_readers_and_cases_sampled_is_that_of_rjafroc():
    # RJafroc, SsPowerGivenJK(dataset02, FOM = "Wilcoxon", method = "OR", effectSize = -0.043800322, J = 10, K = 165)
    assert power(10, 165, difference=-EFFECT) == pytest.approx(0.80541995, abs=5e-8)
    # its vignette on sample sizes, J = 6: K = 112 and K = 251
    assert power(6, 112, difference=EFFECT) == pytest.approx(0.5555789, abs=5e-7)
    assert round(power(6, 251, difference=EFFECT), 3) == 0.801


def test_power_with_cases_or_readers_sampled_is_that_of_rjafroc():
    # the same with analysisOption = "FRRC", K = 131, and "RRFC", K = 53
    assert power(10, 131, difference=EFFECT, sampled="cases") == pytest.approx(0.80091813, abs=5e-8)
    assert power(10, 53, difference=EFFECT, sampled="readers") == pytest.approx(0.80496663, abs=5e-8)


@pytest.mark.parametrize(
    ("readers", "wanted", "cases"), [(6, 0.8, 251), (10, 0.8, 163), (10, 0.9, 236), (100, 0.8, 103)]
)
def test_the_cases_needed_are_those_of_rjafroc(readers, wanted, cases):
    # RJafroc, SsSampleSizeKGivenJ and SsPowerTable of dataset02 as its vignette prints them
    assert cases_needed(VAN_DYKE, readers, difference=EFFECT, power=wanted) == cases
    assert power(readers, cases - 1, difference=EFFECT) < wanted


def test_degrees_of_freedom_and_noncentrality_are_those_of_rjafroc():
    (planned,) = plan_reader_study(VAN_DYKE, [6], [112], difference=EFFECT)

    # str(power): ncpRRRC 4.8, ddfHRRRC 23.1
    assert round((EFFECT / planned.se) ** 2, 1) == 4.8
    assert round(planned.df, 1) == 23.1


def test_standard_error_and_degrees_of_freedom_are_those_of_imrmc():
    # iMRMC's tests of its R package: U-statistics of simulated areas, 10 readers and 100 + 100 cases in one condition;
    # its components of cases without and with disease, of readers, and of their interactions
    negative, positive, both, readers = 0.021898200, 0.024511600, 0.00623156, 0.010478300
    negative_read, positive_read, rest = 0.0217010, 0.0233584, 0.0595167
    of_cases = negative / 100 + positive / 100 + both / 100**2
    of_reads = negative_read / 100 + positive_read / 100 + rest / 100**2
    # Two conditions that share neither readers nor cases: the difference has twice the variance of one.
    components = VarianceComponents(readers, of_cases + of_reads, 0.0, of_cases, 0.0, 200, 10, "iMRMC, sim.gRoeMetz")

    (planned,) = plan_reader_study(components, [10], [200])

    assert planned.se**2 / 2 == pytest.approx(0.001558203, abs=5e-9)
    assert planned.df == pytest.approx(18.27544, abs=1e-4)


def test_the_width_is_that_of_the_interval_that_belongs_to_the_standard_error():
    (planned,) = plan_reader_study(VAN_DYKE, [6], [112], confidence=0.9)

    assert planned.width == pytest.approx(2 * stats.t.isf(0.05, planned.df) * planned.se)
    assert planned.power is None


def test_the_grid_is_readers_by_cases_in_order():
    grid = plan_reader_study(VAN_DYKE, [4, 8], [50, 100], difference=0.05)

    assert [(row.readers, row.cases, row.readings) for row in grid] == [
        (4, 50, 400), (4, 100, 800), (8, 50, 800), (8, 100, 1600),
    ]  # fmt: skip
    assert grid[0].power < grid[1].power < grid[3].power
    assert grid[0].as_dict()["readers"] == 4


def test_non_inferiority_is_a_one_sided_test_against_the_margin():
    # with margin and true difference 0 the noncentrality is margin / se; the other tail is all that two sides add
    one_sided = power(8, 200, difference=0.0, margin=0.05)
    two_sided = power(8, 200, difference=0.05)

    assert one_sided == pytest.approx(two_sided, abs=1e-4)
    assert power(8, 200, difference=0.01, margin=0.05) > one_sided > power(8, 200, difference=-0.01, margin=0.05)


def test_at_the_margin_itself_the_power_is_the_level():
    assert power(8, 200, difference=-0.05 + 1e-9, margin=0.05) == pytest.approx(0.025, abs=1e-4)


def test_without_a_difference_a_two_sided_test_rejects_at_its_level():
    assert power(8, 200, difference=0.0) == pytest.approx(0.05, abs=1e-9)
    assert power(8, 200, difference=0.0, sampled="cases") == pytest.approx(0.05, abs=1e-9)


def test_a_great_difference_is_always_shown():
    for sampled in ("readers and cases", "cases", "readers"):
        assert power(3, 100, difference=5.0, sampled=sampled) == pytest.approx(1.0, abs=1e-6)
        assert power(3, 100, difference=0.0, margin=5.0, sampled=sampled) == pytest.approx(1.0, abs=1e-6)


def test_few_readers_cannot_be_made_up_for_by_cases():
    assert cases_needed(VAN_DYKE, 2, difference=0.02, power=0.8) is None


def test_the_cases_for_a_width_are_the_least():
    needed = cases_needed(VAN_DYKE, 8, width=0.1)

    before, at = plan_reader_study(VAN_DYKE, [8], [needed - 1, needed])
    assert at.width <= 0.1 < before.width


@pytest.mark.parametrize(
    ("wanted", "options"),
    [
        ({"power": 0.537}, {"difference": 0.1}),
        ({"power": 0.2368}, {"difference": 0.05}),
        ({"width": 0.2351}, {}),
    ],
)
def test_the_cases_needed_are_found_where_more_cases_buy_less(wanted, options):
    # Two readers, of 2, 4, 8, ... cases none would do: the degrees of freedom fall with the cases.
    def enough(cases):
        (planned,) = plan_reader_study(VAN_DYKE, [2], [cases], **options)
        return planned.power >= wanted["power"] if "power" in wanted else planned.width <= wanted["width"]

    needed = cases_needed(VAN_DYKE, 2, **wanted, **options)

    assert not any(enough(2**doubled) for doubled in range(1, 20))
    assert enough(needed)
    assert not enough(needed - 1)


def test_what_the_best_number_of_cases_does_not_buy_none_does():
    assert cases_needed(VAN_DYKE, 2, width=0.23) is None


def scores(rng, readers, cases, gap, spread):
    """Scores of two conditions whose means have Obuchowski and Rockette's components, shape (2, cases, readers)."""
    by_reader = rng.normal(0, spread["reader"], (2, 1, readers)) + rng.normal(0, 0.1, readers)
    of_case = rng.normal(0, spread["case"], (1, cases, 1)) + rng.normal(0, spread["condition x case"], (2, cases, 1))
    own = rng.normal(0, spread["reader x case"], (1, cases, readers)) + rng.normal(0, 1, (2, cases, readers))
    return np.array([gap, 0.0])[:, None, None] + by_reader + of_case + own


SPREAD = {"reader": 0.15, "case": 0.8, "condition x case": 0.5, "reader x case": 0.6}


def components(cases):
    variances = {name: value**2 for name, value in SPREAD.items()}
    return VarianceComponents(
        condition_by_reader=variances["reader"],
        error=(variances["case"] + variances["condition x case"] + variances["reader x case"] + 1) / cases,
        cov_1=(variances["case"] + variances["reader x case"]) / cases,
        cov_2=(variances["case"] + variances["condition x case"]) / cases,
        cov_3=variances["case"] / cases,
        cases=cases,
        readers=100,
        source="assumed",
    )


def test_the_planned_power_is_that_of_the_analysis_of_simulated_studies():
    rng = np.random.default_rng(4)
    (planned,) = plan_reader_study(components(60), [5], [60], difference=0.4)

    rejected = sum(reader_averaged_difference(*scores(rng, 5, 60, 0.4, SPREAD)).p < 0.05 for _ in range(500))

    # 500 studies have a standard error of 2 points
    assert rejected / 500 == pytest.approx(planned.power, abs=0.06)
    assert 0.5 < planned.power < 0.95


def test_the_planned_power_of_non_inferiority_is_that_of_simulated_intervals():
    rng = np.random.default_rng(5)
    (planned,) = plan_reader_study(components(60), [5], [60], difference=0.0, margin=0.4)

    above = sum(reader_averaged_difference(*scores(rng, 5, 60, 0.0, SPREAD)).low > -0.4 for _ in range(500))

    assert above / 500 == pytest.approx(planned.power, abs=0.06)


def test_the_standard_errors_of_both_designs_are_the_spread_of_simulated_differences():
    rng = np.random.default_rng(6)
    paired, crossed = [], []
    for _ in range(3000):
        first, second = scores(rng, 6, 40, 0.0, SPREAD)
        paired.append(first.mean() - second.mean())
        # the first three readers read the first half of the cases in the first condition, the others the second half
        halves = np.zeros((40, 6), dtype=bool)
        halves[:20, :3] = halves[20:, 3:] = True
        crossed.append(first[halves].mean() - second[~halves].mean())

    for design, simulated in (("paired", paired), ("crossover", crossed)):
        (planned,) = plan_reader_study(components(40), [6], [40], design=design)
        assert planned.se == pytest.approx(np.std(simulated), rel=0.05)


def test_a_crossover_has_half_of_the_reads_and_a_wider_interval():
    (paired,) = plan_reader_study(VAN_DYKE, [6], [100])
    (crossover,) = plan_reader_study(VAN_DYKE, [6], [100], design="crossover")

    assert (paired.readings, crossover.readings) == (1200, 600)
    assert crossover.width > paired.width
    assert cases_needed(VAN_DYKE, 6, width=0.1, design="crossover") % 2 == 0


def test_components_of_a_pilot_by_hand():
    rng = np.random.default_rng(7)
    first, second = scores(rng, 4, 50, 0.2, SPREAD)

    pilot = variance_components(first, second)

    covariance = np.cov(np.hstack([first, second]).T) / 50
    blocks = covariance.reshape(2, 4, 2, 4)
    other = ~np.eye(4, dtype=bool)
    cov_2 = np.mean([blocks[c, :, c, :][other].mean() for c in (0, 1)])
    cov_3 = blocks[0, :, 1, :][other].mean()
    gap = first.mean(axis=0) - second.mean(axis=0)
    assert pilot.error == pytest.approx(np.diag(covariance).mean())
    assert pilot.cov_1 == pytest.approx(np.diag(blocks[0, :, 1, :]).mean())
    assert (pilot.cov_2, pilot.cov_3) == pytest.approx((cov_2, cov_3))
    assert pilot.condition_by_reader == pytest.approx(
        gap.var(ddof=1) / 2 - pilot.error + pilot.cov_1 + max(cov_2 - cov_3, 0)
    )
    assert (pilot.cases, pilot.readers) == (50, 4)


def test_a_pilot_planned_anew_at_its_own_size_has_its_own_standard_error():
    rng = np.random.default_rng(8)
    first, second = scores(rng, 5, 60, 0.4, SPREAD)

    (planned,) = plan_reader_study(variance_components(first, second), [5], [60])

    pilot = reader_averaged_difference(first, second)
    assert planned.se == pytest.approx(pilot.se, rel=1e-9)
    assert planned.width == pytest.approx(pilot.high - pilot.low, rel=1e-9)


def test_a_pilot_of_areas_planned_anew_has_its_own_standard_error_too():
    rng = np.random.default_rng(9)
    outcome = np.arange(80) % 2
    tables = [rng.normal(outcome[:, None] * shift, 1, (80, 4)) for shift in (1.6, 0.8)]

    pilot = variance_components(*tables, outcome=outcome)

    if pilot.condition_by_reader > 0:
        (planned,) = plan_reader_study(pilot, [4], [80])
        assert planned.se == pytest.approx(reader_averaged_difference(*tables, outcome=outcome).se, rel=1e-9)
    assert pilot.error == pytest.approx(pilot.at(160).error * 2)


def test_clusters_of_a_pilot_are_its_cases():
    rng = np.random.default_rng(10)
    first, second = scores(rng, 3, 20, 0.2, SPREAD)
    subjects = np.repeat(np.arange(20), 3)

    pilot = variance_components(np.repeat(first, 3, axis=0), np.repeat(second, 3, axis=0), clusters=subjects)

    assert pilot.cases == 20
    assert pilot.error == pytest.approx(variance_components(first, second).error)


def test_a_pilot_without_variance_components_is_refused():
    with pytest.raises(ValueError, match="the pilot has no variance components: fewer than two items"):
        variance_components([[1, 0]], [[1, 1]])
    with pytest.raises(ValueError, match="expected the same items and readers"):
        variance_components([[1, 0]], [[1, 1], [0, 0]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"readers": [1]}, "readers is 1; expected a whole number of at least 2"),
        ({"cases": [2.5]}, "cases is 2.5"),
        ({"readers": [5], "design": "crossover"}, "expected an even number, for two halves"),
        ({"design": "nested"}, "design is 'nested'"),
        ({"design": "crossover", "sampled": "readers"}, "sampled is 'readers' with design"),
        ({"sampled": "all"}, "sampled is 'all'"),
        ({"margin": 0}, "margin is 0"),
        ({"margin": 0.1, "difference": -0.1}, "expected a difference above -margin"),
        ({"difference": math.inf}, "difference is inf"),
        ({"confidence": 95}, "confidence is 95"),
    ],
)
def test_wrong_plans_are_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        plan_reader_study(VAN_DYKE, **({"readers": [6], "cases": [100]} | options))


def test_a_power_needs_a_difference_and_excludes_a_width():
    for wanted in (
        {"power": 0.8},
        {},
        {"power": 0.8, "width": 0.1, "difference": 0.1},
        {"power": 1, "difference": 0.1},
    ):
        with pytest.raises(ValueError, match="expected a power between 0 and 1 with a difference, or a width"):
            cases_needed(VAN_DYKE, 6, **wanted)


def test_components_that_are_none_are_refused():
    with pytest.raises(ValueError, match="condition_by_reader is nan; expected a finite number"):
        VarianceComponents(math.nan, 1, 0, 0, 0, 10, 2, "")
    with pytest.raises(ValueError, match="cov_3 is '0'; expected a finite number"):
        VarianceComponents(0, 1, 0, 0, "0", 10, 2, "")
    with pytest.raises(ValueError, match="error is 0; expected a number above 0"):
        VarianceComponents(0, 0, 0, 0, 0, 10, 2, "")
    with pytest.raises(ValueError, match="cases is 1; expected a whole number of at least 2"):
        VarianceComponents(0, 1, 0, 0, 0, 1, 2, "")


def test_components_may_be_numbers_of_numpy():
    given = [0.25, 0.5, 0.25, 0.125, 0.0625]

    assert VarianceComponents(*np.float32(given), 10.0, np.int64(2), "") == VarianceComponents(*given, 10, 2, "")


def test_published_components_name_their_source():
    assert all(len(published.source) > 40 for published in VARIANCES.values())


@pytest.mark.parametrize(
    ("name", "interaction", "printed"), [("Franken", 0.00005020, 0.01916), ("Zanca", 0.00046221, 0.01670)]
)
def test_published_components_give_what_is_printed_beside_them(name, interaction, printed):
    # OR-DBM MRMC 2.51: MS(T*R), and StdErr of a difference with readers fixed
    published = VARIANCES[name]
    (planned,) = plan_reader_study(published, [published.readers], [published.cases], sampled="cases")

    assert round(planned.se, 5) == printed
    of_readers = interaction - published.error + published.cov_1 + published.cov_2 - published.cov_3
    assert published.condition_by_reader == pytest.approx(of_readers, abs=2e-8)


@pytest.mark.parametrize("sampled", ["readers and cases", "cases", "readers"])
def test_components_by_which_the_difference_never_varies_are_refused(sampled):
    alike = VarianceComponents(0.0, 0.02, 0.02, 0.016, 0.016, 24, 3, "both conditions rank alike")

    with pytest.raises(ValueError, match="components leave the difference no variance"):
        plan_reader_study(alike, [5], [100], sampled=sampled)
    with pytest.raises(ValueError, match="components leave the difference no variance"):
        cases_needed(alike, 5, difference=0.05, power=0.8, sampled=sampled)


def test_a_negative_variance_of_readers_counts_as_none():
    franken = VARIANCES["Franken"]

    (planned,), (without,) = (
        plan_reader_study(components, [8], [200], difference=0.05)
        for components in (franken, dataclasses.replace(franken, condition_by_reader=0.0))
    )

    assert (planned.power, planned.se) == (without.power, without.se)
