"""What was said in a study, from the test's own plan or from an exported report's data files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.main_job.contents import CANDIDATES, FLAGS, ITEMS, REASONS, Item, rows_of
from tests.main_job.independent import normalised, token_f1
from tests.main_job.plan import READS, REVIEWS, Read, Review, score

NOT_ASSESSABLE = "not assessable"
FAILED = Read(failure=True)


@dataclass(frozen=True)
class Facts:
    """Everything that the report's numbers follow from.

    Attributes
    ----------
    scores
        By rater: whether a candidate of the sample was scored correct.
    runs
        By run of a judge: whether a candidate was judged correct, None for an error.
    reviews
        By item in the reviewer's queue.
    """

    reads: Mapping[str, Mapping[str, Read]]
    scores: Mapping[str, Mapping[str, bool]]
    reviews: Mapping[str, Review]
    runs: Mapping[str, Mapping[str, bool | None]]

    @property
    def raters(self) -> list[str]:
        return sorted(self.reads)

    @property
    def sample(self) -> list[str]:
        """The candidates that were to be scored."""
        return [key for key in CANDIDATES if key in self.scores[self.raters[0]]]

    def answer(self, rater: str, key: str) -> str | None:
        """Return what is compared: the option's identity or the normalised text; None without an answer."""
        return canonical(ITEMS[key], self.reads[rater][key].answer)

    def said(self, rater: str, key: str) -> str | None:
        """Return the same, with "not assessable" as an answer of its own; None without a verdict."""
        return NOT_ASSESSABLE if self.reads[rater][key].not_assessable else self.answer(rater, key)

    def correct(self, rater: str, key: str) -> bool | None:
        return is_right(ITEMS[key], self.answer(rater, key))

    def token_f1(self, rater: str, key: str) -> float | None:
        answer = self.reads[rater][key].answer
        return None if answer is None or ITEMS[key].is_closed else token_f1(answer, ITEMS[key].accepted)

    def verdicts(self, key: str) -> list[str]:
        """Return what the raters said of an item, those without a verdict left out."""
        said = [self.said(rater, key) for rater in self.raters]
        return [answer for answer in said if answer is not None]

    def differs(self, key: str) -> bool:
        return len(set(self.verdicts(key))) > 1

    def agreed(self, key: str) -> str | None:
        """Return the one thing that both raters said; None where they differ or only one has a verdict."""
        verdicts = self.verdicts(key)
        return verdicts[0] if len(verdicts) >= 2 and not self.differs(key) else None

    def origin(self, key: str) -> str:
        """Return why an item is in the reviewer's queue."""
        if any(self.reads[rater][key].flag for rater in self.raters):
            return "flag"
        return "disagreement" if self.differs(key) else "control"

    def own_read(self, key: str) -> str:
        return canonical(ITEMS[key], self.reviews[key].own) or NOT_ASSESSABLE

    def decision(self, key: str) -> str:
        return canonical(ITEMS[key], self.reviews[key].decision) or NOT_ASSESSABLE

    def settled(self, key: str) -> str | None:
        """Return what holds after adjudication: the decision, but on control items what the raters agree on."""
        if key in self.reviews and self.origin(key) != "control":
            return self.decision(key)
        return self.agreed(key)


def canonical(item: Item, answer: str | None) -> str | None:
    """Return an answer as it is compared."""
    return answer if answer is None or item.is_closed else normalised(answer)


def is_right(item: Item, answer: str | None) -> bool | None:
    """Score a canonical answer; None where there is none."""
    if answer is None or answer == NOT_ASSESSABLE:
        return None
    return answer in ({*item.accepted} if item.is_closed else {normalised(text) for text in item.accepted})


def baseline_is_right(item: Item) -> bool:
    """Score the text-only baseline's answer."""
    return bool(is_right(item, canonical(item, item.text_only_answer)))


def planned(scored: Sequence[str], reviewed: Sequence[str], run: str) -> Facts:
    """Return the facts of the walk: the plan, for the candidates and items that came up."""
    return Facts(
        reads=READS,
        scores={rater: {key: score(rater, key) for key in scored} for rater in READS},
        reviews={key: REVIEWS[key] for key in reviewed},
        runs={run: {key: candidate.judged_correct for key, candidate in CANDIDATES.items()}},
    )


def exported(folder: Path) -> Facts:
    """Return the facts of a study whose report was exported, from its files of verdicts, scores and decisions."""
    reads: dict[str, dict[str, Read]] = {}
    reasons = {text: reason for reason, text in REASONS.items()} | {reason: reason for reason in REASONS}
    flags = {text: flag for flag, text in FLAGS.items()} | {flag: flag for flag in FLAGS}
    for row in rows_of(folder / "verdicts.csv"):
        read = FAILED
        if row["status"] != "technical_failure":
            read = Read(
                answer=row["answer"] or None,
                not_assessable=reasons[row["not_assessable"]] if row["not_assessable"] else None,
                comment=row["comment"],
                flag=(flags[row["flags"]], row["flag_notes"]) if row["flags"] else None,
            )
        reads.setdefault(row["rater"], {})[row["item"]] = read
    scores: dict[str, dict[str, bool]] = {}
    for row in rows_of(folder / "scores.csv"):
        scores.setdefault(row["rater"], {})[row["candidate"]] = row["score"] == "correct"
    runs: dict[str, dict[str, bool | None]] = {}
    for row in rows_of(folder / "judge.csv"):
        runs.setdefault(row["run"], {})[row["candidate"]] = row["verdict"] == "correct" if row["verdict"] else None
    reviews = {
        row["item"]: Review(_identity(row["item"], row["first_read"]), _identity(row["item"], row["decision"]))
        for row in rows_of(folder / "adjudications.csv")
    }
    return Facts(reads, scores, reviews, runs)


def _identity(key: str, words: str) -> str | None:
    """Return the option that stands behind the words of a decision; open answers are words already."""
    if words.lower().startswith(NOT_ASSESSABLE):
        return None
    item = ITEMS[key]
    return {text: option for option, text in item.texts.items()}[words] if item.is_closed else words
