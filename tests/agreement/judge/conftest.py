"""The files of one judge and its certificate, made once for each test file."""

import numpy as np
import pytest

from agreement.judge.__main__ import main
from tests.agreement.judge.judged_files import BASIC, written


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A judge on two models, a second run of it, three humans on all of it, and a prompt."""
    folder = tmp_path_factory.mktemp("judge")
    rng = np.random.default_rng(9)
    truth = rng.random(400) < 0.6
    words = np.array(["incorrect", "correct"])

    def said(error):
        return words[(truth ^ (rng.random(400) < error)).astype(int)]

    humans, judge = [said(0.04) for _ in range(3)], said(0.02)
    names = [(f"q{place // 2}", "AB"[place % 2]) for place in range(400)]
    written(
        folder / "judged.csv", zip(*zip(*names, strict=True), *humans, judge, strict=True), "item,model,h1,h2,h3,judge"
    )
    lenient = np.where(np.arange(400) < 40, "correct", judge)
    for name, verdicts in (("same", judge), ("lenient", lenient)):
        written(folder / f"{name}.csv", zip(*zip(*names, strict=True), verdicts, strict=True), "item,model,judge")
    (folder / "prompt.txt").write_text("Is the answer right?")
    return folder


@pytest.fixture(scope="module")
def certified(files):
    target = files / "certificate.json"
    identity = (
        "--judge-model",
        "gpt-5-mini-2026-08",
        "--prompt",
        str(files / "prompt.txt"),
        "--blinded",
        "to the judge",
    )
    assert main([str(files / "judged.csv"), *BASIC, *identity, "--certificate", str(target)]) == 0
    return target
