"""A certificate of models that answered under several conditions holds a later run to each of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agreement.judge.__main__ import main

Row = tuple[str, ...]
HEADINGS = "item,model,condition,h1,h2,h3,judge"
WORDS = ("incorrect", "correct")


def rows() -> list[Row]:
    """Three humans and a judge on 60 items of two models under two conditions; each errs now and then."""
    random = np.random.default_rng(5)
    truth = random.random((60, 2, 2)) < 0.6
    said = truth[..., None] ^ (random.random((*truth.shape, 4)) < 0.03)
    return [
        (f"q{i}", "AB"[m], ("primed", "stem only")[c], *(WORDS[int(word)] for word in said[i, m, c]))
        for i, m, c in np.ndindex(truth.shape)
    ]


def turned(lines: list[Row]) -> list[Row]:
    """As many verdicts become wrong under one condition as become right under the other, which cancels out over all."""
    left = {("primed", "correct"): 12, ("stem only", "incorrect"): 12}
    new = []
    for line in lines:
        is_turned = left.get((line[2], line[-1]), 0) > 0
        if is_turned:
            left[line[2], line[-1]] -= 1
        new.append((*line[:-1], WORDS[line[-1] == "incorrect"]) if is_turned else line)
    return new


def written(path: Path, lines: list[Row], headings: str = HEADINGS) -> Path:
    path.write_text("\n".join([headings, *(",".join(line) for line in lines)]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a certificate, and runs to hold against it."""
    folder, lines = tmp_path_factory.mktemp("conditions"), rows()
    (folder / "PROMPT").write_text("Is it right?", encoding="utf-8")
    judged = written(folder / "same.csv", lines)
    written(folder / "turned.csv", turned(lines))
    written(folder / "primed.csv", [line for line in lines if line[2] == "primed"])
    written(folder / "twice.csv", [*lines, lines[0]])
    written(folder / "new.csv", [*lines[:-1], (*lines[-1][:2], "with image", *lines[-1][3:])])
    written(folder / "empty.csv", [*lines[:-1], (*lines[-1][:2], "", *lines[-1][3:])])
    written(folder / "without.csv", [(*line[:2], *line[3:]) for line in lines], HEADINGS.replace("condition,", ""))
    options = ["--human", "h1,h2,h3", "--judge", "judge", "--item", "item", "--model", "model", "--resamples", "200"]
    options += ["--condition", "condition", "--certificate", str(folder / "certificate.json")]
    assert main([str(judged), *options, "--judge-model", "j-1", "--prompt", str(folder / "PROMPT")]) == 0
    return folder


@pytest.mark.parametrize(
    ("run", "status", "words"),
    [
        ("same", 0, "Within the certificate: of 240 repeated candidates"),
        ("primed", 0, "The certificate names 120 candidates more, not in this run."),
        ("turned", 1, "12 became incorrect and 12 correct"),
        ("turned", 1, "of 120 of condition "),
        ("new", 2, "condition with image is not covered by the certificate"),
        ("empty", 2, "has no 'condition', which names the candidate"),
        ("without", 2, "has no column 'condition'"),
        # What names a candidate stands in the certificate: no option of the check tells verdicts apart.
        ("twice", 2, "(incorrect); expected one.\n"),
    ],
)
def test_a_run_is_held_to_each_condition(
    folder: Path, capsys: pytest.CaptureFixture[str], run: str, status: int, words: str
) -> None:
    identity = ("--judge-model", "j-1", "--prompt", str(folder / "PROMPT"))

    assert main(["check", str(folder / "certificate.json"), str(folder / f"{run}.csv"), *identity]) == status

    assert words in capsys.readouterr().out
