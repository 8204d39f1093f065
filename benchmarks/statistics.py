"""Speed and coverage of the statistics: ``python -m benchmarks.statistics [--coverage]``.

Speed is printed as the ratio to the naive way in the same run, since seconds depend on the machine. Coverage is shown
by simulation, at a nominal 95 %, and asserted nowhere.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.metrics import cohen_kappa_score

import agreement

RESAMPLES = 10_000
NAIVE = 20  # resamples of the naive loop that are timed; its total is extrapolated


def seconds(run: Callable[[], object], times: int = 1) -> float:
    """Least time of a few runs."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best


def two_raters(n: int, categories: list[str], rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """Verdicts of two raters who agree on most items."""
    a = rng.choice(np.array(categories), n)
    b = np.where(rng.random(n) < 0.8, a, rng.choice(np.array(categories), n))
    return a.tolist(), b.tolist()


def naive_kappa(a: list[str], b: list[str], rng: np.random.Generator) -> float:
    """Seconds that a loop around scikit-learn would take for all resamples."""
    first, second = np.array(a), np.array(b)

    def loop() -> None:
        for _ in range(NAIVE):
            items = rng.integers(0, len(first), len(first))
            cohen_kappa_score(first[items], second[items])

    return seconds(loop) * RESAMPLES / NAIVE


def speed() -> None:
    """Print seconds, and ratios to the naive loop."""
    rng = np.random.default_rng(1)
    print(f"{RESAMPLES}-resample interval of kappa         seconds   naive loop     ratio")
    for n, categories in ((1_365, ["no", "yes"]), (100_000, ["a", "b", "c", "d"]), (1_600_000, ["no", "yes"])):
        a, b = two_raters(n, categories, rng)
        ours = seconds(partial(agreement.cohen_kappa, a, b, interval="percentile"), 3)
        case = f"  n = {n:>9}, {len(categories)} categories, text     "
        if n <= 100_000:
            naive = naive_kappa(a, b, rng)
            print(f"{case} {ours:>10.4f} {naive:>12.1f} {naive / ours:>9.0f}")
        else:
            print(f"{case} {ours:>10.4f} {'-':>12} {'-':>9}")
    a, b = two_raters(100_000, ["no", "yes"], rng)
    patients = np.repeat(np.arange(10_000), 10)
    print("cluster bootstrap, 10000 patients, 100000 items")
    print(f"  kappa     {seconds(lambda: agreement.cohen_kappa(a, b, clusters=patients)):>10.4f}")
    correct = (np.array(a) == np.array(b)).astype(float)
    print(f"  accuracy  {seconds(lambda: agreement.accuracy_of_correctness(correct, clusters=patients)):>10.4f}")
    scores = rng.normal(size=100_000)
    of_numbers = partial(agreement.bootstrap, np.mean, scores, clusters=patients, seed=1)
    print(f"  a mean of any numbers {seconds(of_numbers):>10.4f}")


def coverage(runs: int) -> None:
    """Print the observed coverage of intervals that claim 95 %."""
    rng = np.random.default_rng(2)
    print(f"observed coverage in % of nominal 95 % intervals, {runs} runs (undefined in brackets)")
    print(f"{'interval':<44}" + "".join(f"{f'n={n} p={p}':>16}" for n in (30, 136, 1365) for p in (0.5, 0.9)))
    for name, draw in (
        ("Wilson", wilson_run),
        ("Clopper-Pearson", clopper_pearson_run),
        ("kappa, Fleiss-Cohen-Everitt", kappa_run),
        ("kappa, percentile bootstrap of items", kappa_bootstrap_run),
        ("AC1, Gwet", ac1_run),
        ("paired difference, Newcombe", newcombe_run),
        ("accuracy, clusters of 5, cluster bootstrap", clustered_run),
        ("accuracy, clusters of 5, Wilson (wrong)", clustered_wilson_run),
    ):
        cells = []
        for n in (30, 136, 1365):
            for p in (0.5, 0.9):
                held = [draw(n, p, rng) for _ in range(runs)]
                defined = [one for one in held if one is not None]
                share = f"{100 * np.mean(defined):.1f}" if defined else "-"
                lost = f" ({100 * (1 - len(defined) / runs):.0f})" if len(defined) < runs else ""
                cells.append(f"{share + lost:>16}")
        print(f"{name:<44}" + "".join(cells))


def holds(found: agreement.Estimate, truth: float) -> bool | None:
    """Whether the interval holds the truth; None where it is undefined."""
    return None if np.isnan(found.low) else bool(found.low <= truth <= found.high)


def wilson_run(n: int, p: float, rng: np.random.Generator) -> bool | None:
    return holds(agreement.wilson_interval(int(rng.binomial(n, p)), n), p)


def clopper_pearson_run(n: int, p: float, rng: np.random.Generator) -> bool | None:
    return holds(agreement.clopper_pearson_interval(int(rng.binomial(n, p)), n), p)


def rated(n: int, p: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two raters who see a truth of prevalence p, each wrong on 10 %."""
    truth = rng.random(n) < p
    return (truth ^ (rng.random(n) < 0.1)).astype(int), (truth ^ (rng.random(n) < 0.1)).astype(int)


def true_kappa(p: float) -> float:
    """Kappa of such raters in the long run."""
    observed, says = 0.82, 0.1 + 0.8 * p
    expected = says**2 + (1 - says) ** 2
    return (observed - expected) / (1 - expected)


def kappa_run(n: int, p: float, rng: np.random.Generator) -> bool | None:
    return holds(agreement.cohen_kappa(*rated(n, p, rng)), true_kappa(p))


def kappa_bootstrap_run(n: int, p: float, rng: np.random.Generator) -> bool | None:
    return holds(agreement.cohen_kappa(*rated(n, p, rng), interval="percentile", resamples=1_000), true_kappa(p))


def ac1_run(n: int, p: float, rng: np.random.Generator) -> bool | None:
    says = 0.1 + 0.8 * p
    expected = 2 * says * (1 - says)
    found = agreement.gwet_ac(np.column_stack(rated(n, p, rng)), categories=[0, 1])
    return holds(found, (0.82 - expected) / (1 - expected))


def newcombe_run(n: int, p: float, rng: np.random.Generator) -> bool | None:
    cells = rng.multinomial(n, [p - 0.05, 0.05, 0.02, 0.98 - p])
    return holds(agreement.paired_proportion_difference(*(int(cell) for cell in cells)), 0.03)


def clustered(n: int, p: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Correctness of n items, five to a subject, with an intraclass correlation of one third."""
    subjects = max(2, n // 5)
    chance = np.repeat(rng.beta(2 * p, 2 * (1 - p), subjects), 5)
    return (rng.random(chance.size) < chance).astype(int), np.repeat(np.arange(subjects), 5)


def clustered_run(n: int, p: float, rng: np.random.Generator) -> bool | None:
    correct, subjects = clustered(n, p, rng)
    return holds(agreement.accuracy_of_correctness(correct, clusters=subjects, resamples=1_000).primary, p)


def clustered_wilson_run(n: int, p: float, rng: np.random.Generator) -> bool | None:
    correct, _ = clustered(n, p, rng)
    return holds(agreement.accuracy_of_correctness(correct).primary, p)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Speed and coverage of the statistics.")
    parser.add_argument("--coverage", action="store_true", help="simulate coverage (minutes) instead of timing")
    parser.add_argument("--runs", type=int, default=2_000)
    options = parser.parse_args()
    if options.coverage:
        coverage(options.runs)
    else:
        speed()
