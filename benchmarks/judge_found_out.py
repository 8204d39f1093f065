"""A simulated judge whose errors differ by model: how often it is found out, and what is true of the scores.

python -m benchmarks.judge_found_out [--studies 400]

Four models, 1,000 items each, of which a simple random part is labelled by one human who never errs. In the first
judge all models have one sensitivity and specificity; in the second it is lenient to the family of its own (model A);
the third errs by a little everywhere. Coverage is of the true share correct in all items of a superpopulation.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field

import numpy as np

from agreement.judge.bases import main_basis
from agreement.judge.factors import Factor
from agreement.judge.material import Material, Verdicts
from agreement.judge.panels import corrected, uniformity
from agreement.judge.plan import Plan
from agreement.judge.pool import pool_of
from agreement.judge.scale import BINARY, Scale, State

TRUE = (0.75, 0.78, 0.70, 0.65)
MODELS = ("A", "B", "C", "D")
ITEMS = 1_000
PLAN = Plan(design="random", resamples=200)

JUDGES = {
    "alike on all models": ((0.93, 0.93, 0.93, 0.93), (0.85, 0.85, 0.85, 0.85)),
    "lenient to its family": ((0.99, 0.90, 0.90, 0.90), (0.55, 0.90, 0.90, 0.90)),
    "strict on one model": ((0.95, 0.95, 0.80, 0.95), (0.95, 0.95, 0.98, 0.95)),
}
"""Sensitivity and specificity on each model."""


@dataclass
class Counts:
    studies: int = 0
    found_out: int = 0
    withheld: int = 0
    warned: int = 0
    wrong_order: int = 0
    raw: list[bool] = field(default_factory=list)
    powered: list[bool] = field(default_factory=list)
    rogan_gladen: list[bool] = field(default_factory=list)
    differences: list[bool] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=400)
    studies = parser.parse_args().studies
    print(f"{studies} studies a line; shares in %, intervals of 95 %\n")
    print(f"{'judge':<24}{'labels':>7}{'found out':>11}{'RG withheld':>13}{'A-B warned':>12}{'raw wrong':>11}"
          f"   coverage:{'raw':>6}{'PPI':>7}{'RG':>7}{'difference':>12}")  # fmt: skip
    for name, rates in JUDGES.items():
        for labels in (60, 150):
            counts = simulate(rates, labels, studies)
            print(f"{name:<24}{labels:>7}{_rate(counts.found_out, studies):>11}{_rate(counts.withheld, studies):>13}"
                  f"{_rate(counts.warned, studies):>12}{_rate(counts.wrong_order, studies):>11}"
                  f"            {_share(counts.raw):>6}{_share(counts.powered):>7}{_share(counts.rogan_gladen):>7}"
                  f"{_share(counts.differences):>12}")  # fmt: skip
    print("\nlabels: of each model. raw wrong: the judge puts A above B, whose true score is higher. RG: Rogan-Gladen")
    print("where it is not withheld. difference: corrected differences of every two models, item by item.")


def simulate(rates: tuple[tuple[float, ...], tuple[float, ...]], labels: int, studies: int) -> Counts:
    counts = Counts(studies)
    for study in range(studies):
        given = material(rates, labels, np.random.default_rng([study, labels]))
        basis = main_basis(given, PLAN)
        test = uniformity.of_factors(given, "judge", basis, PLAN)["model"]
        counts.found_out += test.finding == "not uniform"
        panel = corrected.panel(given, PLAN)
        by_rates = panel.of(corrected.ROGAN_GLADEN)
        counts.withheld += not by_rates
        for statistic, covered in (
            (corrected.RAW, counts.raw),
            (corrected.CORRECTED, counts.powered),
            (corrected.ROGAN_GLADEN, counts.rogan_gladen),
        ):
            for row in panel.of(statistic):
                covered.append(_holds(row.estimate, TRUE[MODELS.index(row.parties[0])]))
        for row in panel.of("corrected difference"):
            first, second = (TRUE[MODELS.index(model)] for model in row.parties)
            counts.differences.append(_holds(row.estimate, first - second))
        pool = pool_of(given, "judge", basis, PLAN)
        counts.wrong_order += pool.raw("A").value > pool.raw("B").value
        orders = [row for row in uniformity.panel(given, PLAN).of(uniformity.ORDER) if row.parties == ("A", "B")]
        counts.warned += orders[0].sentence == uniformity.NOT_TRUSTED
    return counts


def material(rates: tuple[tuple[float, ...], tuple[float, ...]], labels: int, rng: np.random.Generator) -> Material:
    truth = rng.random((ITEMS, len(MODELS))) < np.array(TRUE)
    sensitivity, specificity = (np.array(of) for of in rates)
    judge = np.where(truth, rng.random(truth.shape) < sensitivity, rng.random(truth.shape) >= specificity)
    human = np.full(truth.shape, np.nan)
    human[rng.permutation(ITEMS)[:labels]] = 0.0
    human = np.where(np.isnan(human), np.nan, truth)
    return Material(
        Scale("binary", BINARY, BINARY[1:]),
        {"human": _verdicts(human.ravel())},
        {"judge": _verdicts(judge.ravel().astype(np.float64))},
        Factor(np.tile(np.arange(len(MODELS)), ITEMS), MODELS),
        items=np.repeat(np.arange(ITEMS), len(MODELS)),
    )


def _verdicts(codes: np.ndarray) -> Verdicts:
    return Verdicts(codes, np.where(np.isnan(codes), State.NO_VERDICT, State.VERDICT).astype(np.int8))


def _holds(estimate, true: float) -> bool:
    return bool(estimate.low <= true <= estimate.high)


def _rate(count: int, studies: int) -> str:
    return f"{100 * count / studies:.0f}"


def _share(covered: list[bool]) -> str:
    return f"{100 * np.mean(covered):.1f}" if covered else "-"


if __name__ == "__main__":
    main()
