"""What the tests of the panels are given: a judge of MRI-Eval, and three humans whose judge errs by model."""

from dataclasses import replace
from functools import cache

import numpy as np

from agreement.judge.factors import Factor
from agreement.judge.material import Material, Verdicts
from agreement.judge.plan import Plan
from agreement.judge.scale import BINARY, Scale, State

YES_NO = Scale("binary", BINARY, BINARY[1:])
PLAN = Plan(design="random", resamples=400)
SEALED = replace(PLAN, fewest_shown=5)
WIDE = Plan(design="random", resamples=400, margin=0.3)
"""Whose labels are few, and soon counted."""


def verdicts(codes, states=None):
    codes = np.asarray(codes, dtype=np.float64)
    usual = np.where(np.isnan(codes), State.NO_VERDICT, State.VERDICT)
    return Verdicts(codes, np.asarray(usual if states is None else states, dtype=np.int8))


def material(humans, judges, scale=YES_NO, **parts):
    return Material(
        scale,
        {f"h{place + 1}": verdicts(codes) for place, codes in enumerate(humans)},
        {name: verdicts(codes) for name, codes in judges.items()},
        **parts,
    )


@cache
def mri_eval():
    """122 of 136 agree, 13 strict, 1 lenient, of one model of four; how the agreements divide is made up."""
    human = np.r_[np.ones(98), np.zeros(24), np.ones(13), np.zeros(1)]
    judge = np.r_[np.ones(98), np.zeros(24), np.zeros(13), np.ones(1)]
    rng = np.random.default_rng(1)
    rest = [(rng.random(1365 - (136 if k == 0 else 0)) < p).astype(float) for k, p in enumerate((0.8, 0.78, 0.75, 0.7))]
    of_model = np.repeat([0, 0, 1, 2, 3], [136, *map(len, rest)])
    items = np.r_[np.arange(136), np.arange(136, 1365), np.tile(np.arange(1365), 3)]
    return material(
        [np.r_[human, np.full(4 * 1365 - 136, np.nan)]],
        {"grok": np.r_[judge, np.concatenate(rest)]},
        models=Factor(of_model, ("GPT-5.4", "Opus 4.6", "Gemini", "Grok")),
        factors={"tier": Factor(items % 3, ("1", "2", "3"))},
        items=items,
    )


@cache
def three_humans(seed=5, items=120, errors=(0.05, 0.05, 0.3), n_labelled=80):
    """Three models, whose answers the judge errs on with these rates; three humans who err alike."""
    rng = np.random.default_rng(seed)
    truth = rng.random((items, 3)) < 0.6
    human = [np.where(rng.random(truth.shape) < 0.06, ~truth, truth).astype(float) for _ in range(3)]
    for codes in human:
        codes[n_labelled:] = np.nan
    judge = np.where(rng.random(truth.shape) < np.array(errors), ~truth, truth).astype(float)
    return material(
        [codes.ravel() for codes in human],
        {"judge": judge.ravel()},
        models=Factor(np.tile([0, 1, 2], items), ("A", "B", "C")),
        items=np.repeat(np.arange(items), 3),
        clusters=np.repeat(np.arange(items) // 2, 3),
    )


LIKERT = Scale("ordinal", ("1", "2", "3", "4", "5"))


def graded(scale=LIKERT, lower=0.0):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 5, 150).astype(float)
    humans = [np.clip(truth + rng.integers(-1, 2, 150), 0, 4) for _ in range(3)]
    judge = np.clip(truth - (rng.random(150) < lower), 0, 4)
    return material(humans, {"judge": judge}, scale, models=Factor(np.arange(150) % 2, ("A", "B")))


def agreeing(n):
    """Verdicts of so many candidates, wrong and right in turn."""
    return np.tile([0.0, 1.0], (n + 1) // 2)[:n]


def with_difference(human, places):
    """The same verdicts but on some candidates."""
    other = human.copy()
    other[places] = 1.0 - other[places]
    return other
