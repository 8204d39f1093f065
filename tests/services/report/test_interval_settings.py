"""Which interval a plan asks for: what was frozen keeps its own."""

from dataclasses import replace

import pytest

from agreement import classification_scores, cohen_kappa, krippendorff_alpha, paired_difference, percent_agreement
from agreement.resampling import ONE_DRAW
from protocol.analysis import AnalysisPlan
from services.report.interval_settings import IntervalSettings

SUBJECTS = ["s", "s", "t", "t", "u", "u"]
FIRST, SECOND = [1, 0, 1, 1, 0, 1], [1, 0, 0, 1, 0, 1]
STATISTICS = {
    "share": (lambda settings: settings.share([True, False] * 3, SUBJECTS)[0], "Wilson score interval"),
    "percent": (lambda settings: percent_agreement(FIRST, SECOND, **settings.by(SUBJECTS)), "Wilson score interval"),
    "kappa": (lambda settings: cohen_kappa(FIRST, SECOND, **settings.by(SUBJECTS)), "two items added"),
    "alpha": (
        lambda settings: krippendorff_alpha(list(zip(FIRST, SECOND, strict=True)), **settings.by(SUBJECTS)),
        "two items added",
    ),
    "mean": (lambda settings: settings.mean([0.1, 0.5, 0.2, 0.4, 0.9, 0.3], SUBJECTS), "cluster bootstrap, percentile"),
}


@pytest.mark.parametrize("name", STATISTICS)
def test_a_plan_by_statistic_has_the_kind_that_is_written_in_the_docs(name):
    statistic, words = STATISTICS[name]

    assert words in statistic(IntervalSettings.of(AnalysisPlan(), SUBJECTS)).method


@pytest.mark.parametrize("name", STATISTICS)
def test_a_plan_frozen_as_a_percentile_bootstrap_keeps_it(name):
    frozen = AnalysisPlan.model_validate_json(
        '{"cluster":"subject","confidence":0.95,"interval":"percentile_bootstrap","primary":"agreement",'
        '"resamples":400,"seed":3,"unit":"item"}'
    )

    assert STATISTICS[name][0](IntervalSettings.of(frozen, SUBJECTS)).method.startswith(
        "cluster bootstrap, percentile, 400 resamples, seed 3"
    )


def test_a_plan_by_statistic_shares_its_draw_where_it_bootstraps():
    mean, _ = STATISTICS["mean"]

    assert ONE_DRAW in mean(IntervalSettings.of(AnalysisPlan(draw=2), SUBJECTS)).method
    assert ONE_DRAW not in mean(IntervalSettings.of(AnalysisPlan(draw=1), SUBJECTS)).method


@pytest.mark.parametrize("name", ["share", "percent", "kappa", "alpha"])
def test_an_interval_without_resamples_is_the_same_with_either_draw(name):
    statistic, _ = STATISTICS[name]

    shared, separate = (statistic(IntervalSettings.of(AnalysisPlan(draw=draw), SUBJECTS)) for draw in (2, 1))

    assert shared == separate


def test_a_plan_from_now_on_is_by_statistic_and_written_out_when_stored():
    assert AnalysisPlan().model_dump()["interval"] == "by_statistic"


FROZEN_BEFORE = AnalysisPlan(kappa_interval="adjusted")


@pytest.mark.parametrize("kind", ["adjusted", "effective"])
def test_a_plan_frozen_before_keeps_the_interval_of_kappa_and_alpha(kind):
    settings = IntervalSettings.of(AnalysisPlan(kappa_interval=kind), SUBJECTS)
    ratings = list(zip(FIRST, SECOND, strict=True))

    kappa = settings.kappa(cohen_kappa, FIRST, SECOND, **settings.by(SUBJECTS))
    alpha = settings.kappa(krippendorff_alpha, ratings, **settings.by(SUBJECTS))

    assert kappa == cohen_kappa(FIRST, SECOND, clusters=SUBJECTS, interval=kind)
    assert alpha == krippendorff_alpha(ratings, clusters=SUBJECTS, interval=kind)


def test_a_plan_from_now_on_has_the_interval_by_how_scattered_disagreements_are():
    settings = IntervalSettings.of(AnalysisPlan(), SUBJECTS)

    kappa = settings.kappa(cohen_kappa, FIRST, SECOND, **settings.by(SUBJECTS))

    assert AnalysisPlan().model_dump()["kappa_interval"] == "scattered"
    assert kappa == cohen_kappa(FIRST, SECOND, clusters=SUBJECTS, interval="scattered")


@pytest.mark.parametrize("texts", [[f"text {number}" for number in range(30)], ["yes"] * 30])
def test_a_frozen_plan_asks_for_no_interval_that_does_not_apply(texts):
    subjects = [number // 2 for number in range(30)]
    settings = IntervalSettings.of(FROZEN_BEFORE, subjects)
    ratings = list(zip(texts, texts, strict=True))

    assert settings.kappa(krippendorff_alpha, ratings, **settings.by(subjects)) == krippendorff_alpha(
        ratings, **settings.by(subjects)
    )


@pytest.mark.parametrize("interval", ["by_statistic", "percentile_bootstrap"])
def test_of_a_percentile_plan_kappa_is_a_percentile_bootstrap_whatever_it_names(interval):
    settings = IntervalSettings.of(AnalysisPlan(interval=interval, kappa_interval="adjusted", draw=1), SUBJECTS)

    method = settings.kappa(cohen_kappa, FIRST, SECOND, **settings.by(SUBJECTS)).method

    assert method.startswith("cluster bootstrap, percentile" if interval == "percentile_bootstrap" else "large-sample")


STEPS = [0, 1, 2]
OF_STEPS = [0, 1, 2, 1, 0, 2], [0, 2, 2, 1, 1, 2]
RATED = list(zip(*OF_STEPS, strict=True))


@pytest.mark.parametrize(
    ("subjects", "kappa", "alpha"), [("stuvwx", "normal", "t"), ("ssttuu", "percentile", "percentile")]
)
def test_a_listed_plan_frozen_before_keeps_the_interval_of_weighted_kappa_and_ordinal_alpha(subjects, kappa, alpha):
    settings = replace(IntervalSettings.of(AnalysisPlan(draw=1), list(subjects)), scale="plain")
    by = settings.by(subjects)
    resampled = {"clusters": list(subjects), "seed": 1} if kappa == "percentile" else {}

    weighted = settings.weighted_kappa(*OF_STEPS, "linear", categories=STEPS, **by)
    ordinal = settings.ordinal_alpha(RATED, categories=STEPS, **by)

    assert weighted == cohen_kappa(*OF_STEPS, categories=STEPS, weights="linear", interval=kappa, **resampled)
    assert ordinal == krippendorff_alpha(RATED, "ordinal", categories=STEPS, interval=alpha, **resampled)


@pytest.mark.parametrize("settings", [{"scale": "plain"}, {"kind": "percentile"}])
def test_a_listed_plan_frozen_before_keeps_the_percentiles_of_scores_of_a_classification(settings):
    settings = replace(IntervalSettings.of(AnalysisPlan(draw=1), SUBJECTS), **settings)
    by = settings.by(SUBJECTS)
    drawn = {"clusters": SUBJECTS, "interval": "percentile", "seed": 1}

    assert settings.class_scores(FIRST, SECOND, **by) == classification_scores(FIRST, SECOND, **drawn)


def test_a_listed_plan_from_now_on_has_wilsons_interval_of_scores_of_a_classification():
    settings = IntervalSettings.of(AnalysisPlan(), SUBJECTS)

    scores = settings.class_scores(FIRST, SECOND, **settings.by(SUBJECTS))

    assert scores.accuracy.method.startswith("Wilson") and scores.macro_f1.method.startswith("Wilson")


def test_a_listed_plan_from_now_on_transforms_weighted_kappa_and_ordinal_alpha():
    settings = IntervalSettings.of(AnalysisPlan(), SUBJECTS)

    weighted = settings.weighted_kappa(*OF_STEPS, "linear", categories=STEPS, **settings.by(SUBJECTS))
    ordinal = settings.ordinal_alpha(RATED, categories=STEPS, **settings.by(SUBJECTS))

    assert weighted.method.startswith("Fisher's z") and ordinal.method.startswith("Fisher's z")


@pytest.mark.parametrize(
    ("frozen", "words", "of_areas"), [("widened", "widened by t", "score"), ("plain", ", percentile", "normal")]
)
def test_numbers_in_clusters_and_areas_have_the_interval_that_the_plan_names(frozen, words, of_areas):
    settings = IntervalSettings.of(AnalysisPlan(), SUBJECTS, of_numbers=frozen)

    assert words in settings.mean([0.1, 0.5, 0.2, 0.4, 0.9, 0.3], SUBJECTS).method
    assert words in paired_difference([1, 2, 5, 4, 3, 1], [1, 1, 2, 5, 4, 2], **settings.by(SUBJECTS)).method
    assert settings.of_areas == of_areas
