"""What everybody does in the end-to-end test: a fixed plan, from which the test's own numbers are computed.

Raters are sometimes right and sometimes wrong, not on the same items; where both are wrong, they are so once with the
same answer and once with two answers. Open answers are written in several ways that mean the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.main_job.contents import CANDIDATES


@dataclass(frozen=True)
class Read:
    """What somebody fills in for an item.

    `answer` is an option's identity or a text; with `not_assessable` (a reason) there is none. `flag` is a kind with a
    note. `failure`: the images cannot be shown, so nothing is filled in at all.
    """

    answer: str | None = None
    confidence: int = 4
    not_assessable: str | None = None
    comment: str = ""
    flag: tuple[str, str] | None = None
    failure: bool = False


@dataclass(frozen=True)
class Review:
    """What the reviewer answers before and after seeing the opinions; None is "not assessable"."""

    own: str | None
    decision: str | None


RATER_1 = {
    "c01-side": Read("right", 5),
    "c01-explains": Read("yes", 4),
    "c01-signal": Read("no", 2),
    "c02-lesion": Read("yes", 3),
    "c02-side": Read("none", 4),
    "c02-ventricle": Read("none", 3, flag=("prompt", "Enlarged compared with what?")),
    "c03-count": Read("two", 3),
    "c03-both": Read("yes", 5, comment="Parietal on both sides; the frontal one is left."),
    "c03-bright-t1": Read("no", 4),
    "c04-change": Read("larger", 5),
    "c04-lobe": Read("The left temporal lobe.", 4),
    "c04-left": Read("yes", 4),
    "c05-new": Read("no", 2),
    "c05-count": Read("two", 3),
    "c05-parietal": Read(not_assessable="sequence"),
    "c06-region": Read("cerebellum", 5),
    "c06-pattern": Read("even_bright", 3),
    "c06-frontal": Read("no", 4),
    "c07-lesion": Read("no", 3),
    "c07-ventricle": Read("both", 2),
    "c07-age": Read("yes", 3),
    "c08-explains": Read("yes", 1),
    "c08-sequence": Read("t1", 4),
    "c08-structure": Read("Basal ganglia", 3),
}
RATER_2 = {
    "c01-side": Read("right", 4, comment="Borders are irregular."),
    "c01-explains": Read("no", 2),
    "c01-signal": Read("yes", 4, flag=("other", "The second sequence looks shifted.")),
    "c02-lesion": Read("yes", 2),
    "c02-side": Read("left", 1),
    "c02-ventricle": Read("none", 4),
    "c03-count": Read("3", 5),
    "c03-both": Read("yes", 4),
    "c03-bright-t1": Read("no", 3),
    "c04-change": Read("unchanged", 2),
    "c04-lobe": Read("temporal", 4),
    "c04-left": Read("no", 3),
    "c05-new": Read("yes", 4),
    "c05-count": Read("two", 4),
    "c05-parietal": Read("no", 3),
    "c06-region": Read("cerebellum", 4),
    "c06-pattern": Read("even_bright", 4),
    "c06-frontal": Read("yes", 2),
    "c07-lesion": Read("no", 4),
    "c07-ventricle": Read("none", 3),
    "c07-age": Read(not_assessable="quality"),
    "c08-explains": Read(failure=True),
    "c08-sequence": Read("T1.", 5),
    "c08-structure": Read("thalamus", 1),
}
READS = {"Rater 1": RATER_1, "Rater 2": RATER_2}

# Where the second rater looks at the other sequence and takes another window, before answering.
LOOKED_AROUND = ("c01-side", "c03-both", "c06-region")

# For every item, since the test cannot know which items are drawn as controls.
REVIEWS = {
    "c01-side": Review("right", "right"),
    "c01-explains": Review("no", "yes"),
    "c01-signal": Review("yes", "yes"),
    "c02-lesion": Review("no", "no"),
    "c02-side": Review("none", "none"),
    "c02-ventricle": Review("none", "none"),
    "c03-count": Review("3 lesions", "3"),
    "c03-both": Review("yes", "yes"),
    "c03-bright-t1": Review("yes", "no"),
    "c04-change": Review("unchanged", "unchanged"),
    "c04-lobe": Review("Temporal lobe", "temporal"),
    "c04-left": Review("yes", "yes"),
    "c05-new": Review("yes", "yes"),
    "c05-count": Review("one", "two"),
    "c05-parietal": Review("no", "no"),
    "c06-region": Review("cerebellum", "brainstem"),
    "c06-pattern": Review("bright_dark_rim", "bright_dark_rim"),
    "c06-frontal": Review("no", "no"),
    "c07-lesion": Review("no", "no"),
    "c07-ventricle": Review("left", "both"),
    "c07-age": Review("yes", None),
    "c08-explains": Review("no", "no"),
    "c08-sequence": Review("T1", "T1"),
    "c08-structure": Review(None, "thalamus"),
}

# Candidates that a rater scores otherwise than the judge; where the judge gave an error, "correct" by the judge's word
# would be nothing, so these two are named here.
UNLIKE_THE_JUDGE = {
    "Rater 1": {"k08", "k12", "k17", "k23", "k24", "k29", "k31", "k45", "k47", "k55"},
    "Rater 2": {"k06", "k12", "k20", "k22", "k31", "k33", "k47", "k55", "k57"},
}
WHERE_THE_JUDGE_FAILED = {"Rater 1": {"k18": True, "k38": False}, "Rater 2": {"k18": True, "k38": True}}


def score(rater: str, candidate: str) -> bool:
    """Return whether the rater marks the candidate correct."""
    judged = CANDIDATES[candidate].judged_correct
    if judged is None:
        return WHERE_THE_JUDGE_FAILED[rater][candidate]
    return judged != (candidate in UNLIKE_THE_JUDGE[rater])
