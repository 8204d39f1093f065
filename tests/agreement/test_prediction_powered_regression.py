"""Prediction-powered coefficients: other programs, brute force, designs, clusters, where there are none."""

import json
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import optimize

from agreement import prediction_powered_mean, prediction_powered_regression
from agreement.regression_fit import Sample, fit


def drawn(n, model, seed, subjects=None):
    """Covariates far from 0 and of unlike spread, human verdicts, and a judge who errs more at high ones."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2)) * [3, 0.01] + [50, 7]
    predictor = 0.3 * (x[:, 0] - 50) - 40 * (x[:, 1] - 7)
    if model == "logistic":
        human = (rng.random(n) < 1 / (1 + np.exp(-predictor))).astype(float)
        judge = np.where(rng.random(n) < np.where(x[:, 0] > 50, 0.25, 0.1), 1 - human, human)
    else:
        human = predictor + rng.normal(size=n) * (1 + np.abs(x[:, 0] - 50) / 3)
        judge = 0.8 * human + rng.normal(size=n) + 0.1 * x[:, 0]
    return x, human, judge, rng.integers(0, subjects or n, n)


def least(x, y, f, others_x, others_f, model, share):
    """The coefficients by an optimiser that knows the loss alone."""
    x, others_x = sm.add_constant(x), sm.add_constant(others_x)

    def loss(b):
        def mean(x, y):
            predictor = x @ b
            if model == "linear":
                return np.mean((y - predictor) ** 2) / 2
            return np.mean(np.logaddexp(0, predictor) - y * predictor)

        return mean(x, y) + share * (mean(others_x, others_f) - mean(x, f))

    return optimize.minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-9}).x


@pytest.mark.parametrize("model", ["linear", "logistic"])
def test_the_labelled_alone_have_the_coefficients_of_statsmodels(model):
    x, human, judge, _ = drawn(120, model, 1)
    others_x, _, unlabelled, _ = drawn(300, model, 2)

    coefficients = prediction_powered_regression(human, judge, x, unlabelled, others_x, model=model)

    usual = (sm.OLS if model == "linear" else sm.Logit)(human, sm.add_constant(x))
    fitted = usual.fit() if model == "linear" else usual.fit(disp=0, tol=1e-12, maxiter=100)
    assert [part.labelled_only.value for part in coefficients] == pytest.approx(fitted.params, rel=1e-9)
    assert [part.name for part in coefficients] == ["intercept", "covariate 1", "covariate 2"]


def test_the_labelled_alone_have_the_robust_standard_errors_of_statsmodels():
    x, human, judge, _ = drawn(120, "linear", 1)

    coefficients = prediction_powered_regression(human, judge, x, judge, x, model="linear")

    robust = sm.OLS(human, sm.add_constant(x)).fit(cov_type="HC3")
    errors = [part.labelled_only.se for part in coefficients]
    assert errors == pytest.approx(robust.bse * np.sqrt(119 / 120), rel=1e-8)  # ours those of a jackknife


def test_standard_errors_in_clusters_are_those_of_leaving_out_each_cluster():
    x, human, judge, subject = drawn(90, "linear", 3, subjects=15)

    coefficients = prediction_powered_regression(human, judge, x, judge, x, model="linear", clusters=subject)

    x = sm.add_constant(x)
    whole = np.linalg.lstsq(x, human, rcond=None)[0]
    without = [np.linalg.lstsq(x[subject != out], human[subject != out], rcond=None)[0] for out in range(15)]
    jackknife = np.sqrt(14 / 15 * ((np.array(without) - whole) ** 2).sum(axis=0))
    assert [part.labelled_only.se for part in coefficients] == pytest.approx(jackknife, rel=1e-6)
    assert coefficients[1].coefficient.n_clusters == 15


@pytest.mark.parametrize("model", ["linear", "logistic"])
@pytest.mark.parametrize("tuned", [True, False])
def test_coefficients_make_the_corrected_loss_least(model, tuned):
    x, human, judge, _ = drawn(150, model, 4)
    others_x, _, unlabelled, _ = drawn(400, model, 5)
    x, others_x = (x - [50, 7]) / [3, 0.01], (others_x - [50, 7]) / [3, 0.01]

    coefficients = prediction_powered_regression(human, judge, x, unlabelled, others_x, model=model, tuned=tuned)

    for place, part in enumerate(coefficients):
        share = float(part.coefficient.method.split("lambda ")[1].split(";")[0]) if tuned else 1.0
        expected = least(x, human, judge, others_x, unlabelled, model, share)[place]
        assert part.coefficient.value == pytest.approx(expected, abs=2e-4 if tuned else 1e-5)  # lambda in print


def test_untuned_least_squares_by_hand():
    x, human, judge, _ = drawn(80, "linear", 6)
    others_x, _, unlabelled, _ = drawn(200, "linear", 7)

    coefficients = prediction_powered_regression(human, judge, x, unlabelled, others_x, model="linear", tuned=False)

    x, others_x = sm.add_constant(x), sm.add_constant(others_x)
    of_judge = np.linalg.lstsq(others_x, unlabelled, rcond=None)[0]
    correction = np.linalg.solve(others_x.T @ others_x / 200, x.T @ (human - judge) / 80)
    assert [part.coefficient.value for part in coefficients] == pytest.approx(of_judge + correction, rel=1e-6)
    assert "PPI, 200 unlabelled" in coefficients[0].coefficient.method


# ppi_py 0.2.3, ppi_logistic_pointestimate(X, Y, Yhat, X_unlabeled, Yhat_unlabeled, lam) of the sample below
PPI_PYTHON = {1.0: (0.8242696395, 0.6554584516), 0.5: (0.9509376864, 0.9237859546)}
SAMPLE = json.loads("""
{"x": [0.03, 1.36, 1.22, -0.51, -0.3, -0.53, 0.57, -0.06, 0.75, -1.85, 1.57, -0.1, 0.68, -0.14, -0.38, 0.46, 0.82,
-0.2, -0.15, 0.69, -0.87, -1.51, 0.39, -0.67, -1.92, -0.81, -0.47, -1.19, -1.49, 0.04, 0.9, -0.23, -0.74, 0.38,
0.72, -0.3, 0.54, 1.04, -0.21, -0.81], "human": [1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0,
1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1], "judge": [1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 1, 1,
1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1], "others_x": [-0.65, 0.6, -0.83, -0.27, -0.35,
0.19, 1.09, 0.02, 0.92, -0.42, 0.33, -2.14, -1.45, 0.8, -0.59, 0.58, 0.54, 1.32, 0.81, 1.02, -0.11, -0.7, -0.73,
-0.49, -1.13, -0.55, -0.09, 0.25, -0.34, -1.92, -0.07, 0.23, 1.08, 0.58, -0.64, -0.72, 2.01, 0.76, 1.83, 2.13,
-0.82, 0.39, 0.46, 0.56, 0.54, 0.2, 0.17, -1.5, -0.17, -0.75, 0.13, -0.47, 0.62, 0.82, 0.31, 0.32, 0.09, -0.45,
-0.16, -0.5, 0.39, 0.01, 0.58, -1.33, 0.89, -0.76, -0.73, -0.2, -0.56, 0.29, -0.57, -1.07, -0.85, 1.31, 0.04, -1.17,
0.01, -1.56, 1.79, -1.52, 0.48, 0.54, -1.45, 0.3, 1.0, 0.47, 0.26, 0.95, 0.16, 0.34, -0.13, 0.63, -0.94, 0.79,
-0.51, -1.09, 0.37, 1.69, 0.96, -0.52, 0.7, -0.45, -0.12, 0.09, -2.32, 0.19, -1.03, -0.7, -1.47, -1.52, -0.94, 0.83,
1.67, -0.03, 1.09, -0.26, -1.91, 0.15, 0.45, -0.43, 0.3, 0.57, -0.86, -1.48, -0.22, -0.21, -0.35, 0.99, 1.73, -0.42,
0.7, 0.94, 0.71, 1.05, -0.39, 0.74, 2.02, 0.8, -0.62, 0.61, 1.26, 0.37, -0.56, 1.54, -1.25, 0.5, -0.02, -1.19, 1.22,
0.35], "unlabelled": [0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1,
1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 1,
1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0,
0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1,
1, 1]}
""")


def test_log_odds_are_those_of_ppi_python():
    x, others_x = (sm.add_constant(np.array(SAMPLE[name])) for name in ("x", "others_x"))
    human, judge, unlabelled = (np.array(SAMPLE[name], dtype=float) for name in ("human", "judge", "unlabelled"))

    sample = Sample(x, others_x, human, judge, unlabelled, None, True)

    for share, expected in PPI_PYTHON.items():
        assert fit(sample, share).coefficients == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("design", ["simple", "probabilities", "clusters"])
def test_the_intercept_alone_is_the_prediction_powered_mean(design):
    rng = np.random.default_rng(8)
    human = (rng.random(40) < 0.4).astype(int)
    judge = np.where(rng.random(40) < 0.2, 1 - human, human)
    unlabelled = rng.integers(0, 2, 200)
    chosen = {
        "simple": {},
        "probabilities": {"probabilities": np.where(judge == 1, 0.8, 0.2)},
        "clusters": {"clusters": np.arange(40) // 2, "unlabelled_clusters": np.arange(200) // 3},
    }[design]

    (coefficients,) = prediction_powered_regression(
        human, judge, np.ones(40), unlabelled, np.ones(200), model="linear", intercept=False, **chosen
    )

    mean = prediction_powered_mean(human, judge, unlabelled, interval="normal", **chosen)
    assert coefficients.coefficient.value == pytest.approx(mean.value, abs=1e-12)
    # the mean's is over n, not n - 1, and does not allow for the leverage of greater weights
    assert coefficients.coefficient.se == pytest.approx(mean.se, rel=1e-9 if design == "clusters" else 0.03)


@pytest.mark.parametrize("model", ["linear", "logistic"])
def test_standard_errors_are_those_of_a_bootstrap(model):
    x, human, judge, _ = drawn(300, model, 9)
    others_x, _, unlabelled, _ = drawn(600, model, 10)
    x, others_x = (x - [50, 7]) / [3, 0.01], (others_x - [50, 7]) / [3, 0.01]
    rng, values = np.random.default_rng(11), []

    coefficients = prediction_powered_regression(human, judge, x, unlabelled, others_x, model=model)
    for _ in range(300):
        own, other = rng.integers(0, 300, 300), rng.integers(0, 600, 600)
        again = prediction_powered_regression(
            human[own], judge[own], x[own], unlabelled[other], others_x[other], model=model
        )
        values.append([part.coefficient.value for part in again])

    # 300 values give their standard deviation to about 4 %
    assert [part.coefficient.se for part in coefficients] == pytest.approx(np.std(values, axis=0), rel=0.15)


def test_a_flag_and_sample_design_is_weighted_back():
    rng, slopes, errors = np.random.default_rng(12), [], []
    for _ in range(300):
        x = rng.normal(size=300)
        human = 0.5 * x + rng.normal(size=300)
        judge = human + 0.4 * x + 0.5 * rng.normal(size=300)
        chance = np.where(judge > 0.5, 0.7, 0.2)
        labelled = rng.random(300) < chance
        _, slope = prediction_powered_regression(
            human[labelled], judge[labelled], x[labelled], judge[~labelled], x[~labelled],
            model="linear", probabilities=chance[labelled],
        )  # fmt: skip
        slopes.append(slope.coefficient.value)
        errors.append(slope.coefficient.se**2)

    assert np.mean(slopes) == pytest.approx(0.5, abs=0.02)
    assert np.mean(errors) ** 0.5 == pytest.approx(np.std(slopes), rel=0.15)


def test_units_of_measurement_change_nothing():
    x, human, judge, _ = drawn(60, "linear", 13)
    others_x, _, unlabelled, _ = drawn(90, "linear", 14)

    plain = prediction_powered_regression(human, judge, x, unlabelled, others_x, model="linear")
    other = prediction_powered_regression(
        human * 1e100, judge * 1e100, x * 1e-100, unlabelled * 1e100, others_x * 1e-100, model="linear"
    )

    assert other[1].coefficient.value / 1e100 * 1e-100 == pytest.approx(plain[1].coefficient.value, rel=1e-9)
    assert other[1].coefficient.p == pytest.approx(plain[1].coefficient.p, rel=1e-6)


def test_a_judge_who_knows_gains_labels_and_one_who_does_not_loses_none():
    x, human, _, _ = drawn(100, "linear", 15)
    others_x, others, _, _ = drawn(900, "linear", 16)
    rng = np.random.default_rng(17)

    judge, unlabelled = human + 0.3 * rng.normal(size=100), others + 0.3 * rng.normal(size=900)
    good = prediction_powered_regression(human, judge, x, unlabelled, others_x, model="linear")[1]
    blind = prediction_powered_regression(
        human, rng.normal(size=100), x, rng.normal(size=900), others_x, model="linear"
    )[1]

    assert good.effective_labels > 150
    assert blind.effective_labels == pytest.approx(100, rel=0.1)
    assert good.as_dict()["coefficient"]["name"] == "coefficient of covariate 1, linear"


def test_missing_entries_are_left_out_and_counted():
    given: dict[str, Any] = {
        "human": [1, 0, 2, 1, None, 3],
        "judge": [1, 1, 2, 0, 1, 3],
        "covariates": [1, 2, 3, 4, 5, None],
    }

    _, slope = prediction_powered_regression(
        **given, unlabelled=[1, None, 2, 2], unlabelled_covariates=[1, 2, 3, None], model="linear"
    )

    assert slope.coefficient.n == 4
    assert "2 labelled without both verdicts or a covariate left out" in slope.coefficient.method
    assert "2 unlabelled without a verdict or a covariate left out" in slope.coefficient.method


BINARY, OTHER, X = [1, 0, 1, 0, 1, 0, 1, 1], [1, 0, 1, 1, 1, 0, 0, 1], [3.0, 1.0, 4.0, 1.5, 5.0, 9.0, 2.0, 6.0]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"human": [1, 0], "judge": [1, 0], "covariates": [1, 2]}, "2 labelled for 2 coefficients"),
        ({"covariates": [1] * 8}, "a covariate is constant, or a sum of others"),
        ({"covariates": [[x, 2 * x + 1] for x in X], "unlabelled_covariates": [[x, 3] for x in X]}, "a sum of others"),
        ({"human": [1] * 8}, "all labelled have the same outcome"),
        ({"human": [0, 0, 0, 1, 1, 1, 1, 1], "covariates": range(8)}, "separates the outcomes 0 and 1"),
        ({"clusters": [1] * 8}, "fewer than two clusters"),
    ],
)
def test_what_cannot_be_fitted_says_why(changed, reason):
    given: dict[str, Any] = {
        "human": BINARY,
        "judge": OTHER,
        "covariates": X,
        "unlabelled": OTHER,
        "unlabelled_covariates": X,
    }

    coefficients = prediction_powered_regression(**{**given, **changed}, model="logistic")

    assert all(reason in part.coefficient.undefined_because for part in coefficients)
    assert all(reason in part.labelled_only.undefined_because for part in coefficients)
    assert coefficients[1].effective_labels is None


def test_without_unlabelled_the_fit_of_the_labelled_stays():
    _, slope = prediction_powered_regression(BINARY, OTHER, X, [], [], model="logistic")

    assert slope.coefficient.undefined_because == "no unlabelled verdicts"
    assert slope.labelled_only.low < slope.labelled_only.value < slope.labelled_only.high
    assert "fewer than 5 right, or wrong" in slope.labelled_only.warning


@pytest.mark.parametrize("model", ["linear", "logistic"])
def test_unlabelled_with_one_value_of_a_covariate_say_nothing_untuned(model):
    _, slope = prediction_powered_regression(BINARY, OTHER, X, OTHER, [1.0] * 8, model=model, tuned=False)

    assert slope.coefficient.undefined_because == "a covariate is constant, or a sum of others, among the unlabelled"
    assert slope.labelled_only.low < slope.labelled_only.high


def test_no_limits_where_one_unit_decides_and_none_without_spread():
    only = [1] + [0] * 7

    _, alone = prediction_powered_regression(X, OTHER, only, OTHER, BINARY, model="linear")
    _, exact = prediction_powered_regression([2 * x for x in X], X, X, X, X, model="linear")

    assert "one candidate alone decides" in alone.labelled_only.undefined_because
    assert exact.labelled_only.value == pytest.approx(2)
    assert exact.labelled_only.undefined_because == "the standard error is 0"


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"model": "probit"}, "model is 'probit'; expected 'linear' or 'logistic'"),
        ({"judge": [1]}, "human has shape .* and judge"),
        ({"covariates": X[:3]}, "human has shape .* and covariates"),
        ({"unlabelled": OTHER[:3]}, "unlabelled has shape .* and unlabelled_covariates"),
        ({"covariates": [[x, x] for x in X]}, "covariates has 2 columns and unlabelled_covariates 1"),
        ({"covariates": [[1, 2]] * 7 + [[1]]}, r"covariates has 2 values in row 0 and 1 in row 7"),
        ({"covariates": np.zeros((8, 2, 2))}, r"covariates has shape .*; expected \(items, covariates\)"),
        ({"covariates": [*X[:7], np.inf]}, "covariates holds .*infinite"),
        ({"covariates": ["a"] * 8}, "covariates holds"),
        ({"human": [2] * 8}, "human holds numbers other than 0 and 1"),
        ({"unlabelled": [1.5] * 8}, "unlabelled holds a value outside 0 to 1"),
        ({"names": ["age", "sex"]}, "names has 2 entries for 1 covariates"),
        ({"names": "age"}, "names is 'age'"),
        ({"intercept": "no"}, "intercept is 'no'; expected True or False"),
        ({"probabilities": [0] * 8}, r"probabilities holds a value outside \(0, 1\]"),
        ({"unlabelled_clusters": X}, "unlabelled_clusters without clusters"),
        ({"confidence": 95}, "confidence is 95"),
    ],
)
def test_what_cannot_be_used_is_named(changed, sentence):
    given: dict[str, Any] = {
        "human": BINARY,
        "judge": OTHER,
        "covariates": X,
        "unlabelled": OTHER,
        "unlabelled_covariates": X,
    }

    with pytest.raises(ValueError, match=sentence):
        prediction_powered_regression(**{**given, "model": "logistic", **changed})


def test_columns_of_a_table_name_the_coefficients_and_must_be_the_same_in_both():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"age": X, "tier": BINARY})

    coefficients = prediction_powered_regression(X, OTHER, table, OTHER, table, model="linear")

    assert [part.name for part in coefficients] == ["intercept", "age", "tier"]
    with pytest.raises(ValueError, match="expected the same in the same order"):
        prediction_powered_regression(X, OTHER, table, OTHER, table[["tier", "age"]], model="linear")
