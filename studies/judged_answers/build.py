"""Writes the example of a calibration as a study folder, and what its judges say.

Run `python -m studies.judged_answers.build FOLDER`. Questions, references and wrong answers are in `facts.csv`. Which
model answers what, and what each judge says of it, is drawn from one seed, so that everybody gets the same study.
"""

import argparse
import csv
import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
FACTS = HERE / "facts.csv"
_SEED = 20_261_124
# Of each model how often it is right, and how it puts an answer.
_MODELS = {
    "Alder": (0.85, "{answer}."),
    "Birch": (0.75, "Answer: {answer}."),
    "Cedar": (0.5, "In short: {answer}."),
    "Elm": (0.5, "{answer}, as far as the question tells."),
    "Fir": (0.9, "{answer}, without doubt."),
}
_FAILURES = {7: "refusal", 151: "unreadable"}


@dataclass(frozen=True)
class Judge:
    """A judge with its prompt.

    Attributes
    ----------
    name
        Of the run.
    judge, model
        What judges, and the provider's model string.
    prompt, version
        Text of the prompt, and what its authors call it.
    sensitivity, specificity
        How often it calls a right answer correct, and a wrong one incorrect.
    favours
        A model whose wrong answers it calls correct more often than not.
    sample
        Number of the run with this prompt.
    """

    name: str
    judge: str
    model: str
    prompt: str
    version: str
    sensitivity: float
    specificity: float
    favours: str = ""
    sample: int | None = None


_STRICT = """Compare the answer with the reference.
Say "correct" only if every word of the reference is in the answer.
"""
_FACT = """Compare the answer with the reference.
Say "correct" if it states the same fact, in whatever words.
"""
JUDGES = (
    Judge("birch strict", "Birch as judge", "birch-2026-09", _STRICT, "strict", 0.78, 0.99),
    Judge("birch fact, sample 1", "Birch as judge", "birch-2026-09", _FACT, "fact", 0.94, 0.92, sample=1),
    Judge("birch fact, sample 2", "Birch as judge", "birch-2026-09", _FACT, "fact", 0.94, 0.92, sample=2),
    Judge("cedar", "Cedar as judge", "cedar-2026-08", _FACT, "fact", 0.97, 0.95, favours="Cedar"),
    Judge("hazel", "Hazel", "hazel-3.1", _FACT, "fact", 0.995, 0.995),
)


@dataclass(frozen=True)
class Answer:
    """What a model answers to an item, and whether it is right."""

    item: str
    key: str
    model: str
    text: str
    right: bool


def build(target: Path) -> Path:
    """Write protocol, items, references and candidates of the example into a folder; made if missing."""
    target.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(HERE / "protocol.yaml", target / "protocol.yaml")
    rows = _facts()
    _write(
        target / "items.csv",
        ("item", "category", "tier", "format", "prompt"),
        ((row["item"], row["category"], row["tier"], "open", row["prompt"]) for row in rows),
    )
    _write(
        target / "references.csv",
        ("item", "accepted", "low", "high", "text_only_answer", "provenance"),
        ((row["item"], row["reference"], "", "", "", "Written for this example") for row in rows),
    )
    _write(
        target / "candidates.csv",
        ("candidate", "item", "model", "answer"),
        ((answer.key, answer.item, answer.model, answer.text) for answer in answers()),
    )
    return target


def answers() -> list[Answer]:
    """Return what each model answers to each item."""
    rng = random.Random(f"{_SEED}|answers")
    made: list[Answer] = []
    for row in _facts():
        for model, (skill, words) in _MODELS.items():
            right = rng.random() < skill
            said = row["reference"] if right else rng.choice((row["wrong"], row["also_wrong"]))
            made.append(Answer(row["item"], f"k{len(made) + 1:03}", model, words.format(answer=said), right))
    return made


def judged(judge: Judge) -> str:
    """Return the file of a judge's verdicts on all answers, as CSV."""
    rng = random.Random(f"{_SEED}|{judge.name}")
    lines = ["item,candidate,verdict,failure,explanation"]
    for place, answer in enumerate(answers()):
        if place in _FAILURES and judge.name == "hazel":
            lines.append(f"{answer.item},{answer.key},,{_FAILURES[place]},")
            continue
        specificity = 0.1 if answer.model == judge.favours else judge.specificity
        correct = rng.random() < (judge.sensitivity if answer.right else 1 - specificity)
        why = "States what the reference states." if correct else "States something else than the reference."
        lines.append(f"{answer.item},{answer.key},{'correct' if correct else 'incorrect'},,{why}")
    return "\n".join(lines) + "\n"


def _facts() -> list[dict[str, str]]:
    with FACTS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _write(path: Path, columns: Sequence[str], rows: Iterator[tuple[str, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)


def main() -> None:
    """Write the folder, and the judges' files beside its tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    folder = build(parser.parse_args().folder)
    (folder / "judges").mkdir(exist_ok=True)
    for judge in JUDGES:
        (folder / "judges" / f"{judge.name}.csv").write_text(judged(judge), encoding="utf-8")


if __name__ == "__main__":
    main()
