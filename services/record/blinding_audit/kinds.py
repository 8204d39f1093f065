"""What is hidden from raters, one row per kind: whose it is, and when its words in a text give something away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# What its values are: names of things and people; facts about what is shown; what counts as right; answers to it.
Sort = Literal["name", "fact", "reference", "answer"]
# What is done with a value that is one ordinary word: looked for everywhere, everywhere unless it is among the words
# that everybody gets, as a fact about what is shown, or not at all.
Plain = Literal["everywhere", "unless shared", "as a fact", "never"]


@dataclass(frozen=True)
class Kind:
    """One kind of hidden value.

    Attributes
    ----------
    key
        How the file calls it.
    title
        How docs and refusals call it.
    fewest_words
        A value of fewer words is too short to be looked for.
    topic
        Whether it says what is asked, so that a question may say it too.
    of_the_answer
        Whether it is a fact about the answer under judgement, whose words are looked at as those of a vignette are.
    of_a_model
        Whether it is an answer of a model, which was given the texts about the case and may repeat them.
    while_open
        Whether a value may be printed before the data lock.
    while_sealed
        Whether its values may be counted while test subjects are sealed; where it is no answer they may be printed.
    """

    key: str
    title: str
    sort: Sort
    plain: Plain = "as a fact"
    fewest_words: int = 1
    topic: bool = False
    of_the_answer: bool = False
    of_a_model: bool = False
    while_open: bool = True
    while_sealed: bool = True


KINDS: dict[str, Kind] = {
    kind.key: kind
    for kind in (
        Kind("reference", "accepted answers and ranges", "reference"),
        Kind("text_only_answer", "text-only answers", "answer", of_a_model=True),
        Kind("provenance", "provenance of references", "fact"),
        Kind("explanation", "explanations of references", "fact"),
        Kind("candidate", "answers of models", "answer", of_a_model=True),
        Kind("model", "names of models", "name", "everywhere"),
        Kind("condition", "attributes of candidates, as their condition", "fact", of_the_answer=True),
        Kind("attribute", "attributes of cases and items", "fact"),
        Kind("judge", "names of judges and of their runs", "name", "everywhere"),
        Kind("judge_verdict", "verdicts of judges", "fact", of_the_answer=True, while_open=False),
        Kind("judge_explanation", "explanations and errors of judges", "fact", fewest_words=4, while_open=False),
        Kind("labeller", "names of labellers and of their labels made elsewhere", "name", "unless shared"),
        Kind("label", "labels made elsewhere", "fact", of_the_answer=True, while_open=False, while_sealed=False),
        Kind(
            "remark_on_label",
            "remarks beside labels made elsewhere",
            "fact",
            fewest_words=4,
            while_open=False,
            while_sealed=False,
        ),
        Kind("answer_of_others", "answers of other members", "answer", while_open=False, while_sealed=False),
        Kind(
            "remark_of_others",
            "comments, notes and reasons of other members",
            "answer",
            while_open=False,
            while_sealed=False,
        ),
        Kind("person", "names, logins and pseudonyms of others", "name", "unless shared"),
        Kind("author", "receipts and slots of who gave an answer that is in a pool", "name", "never"),
        Kind("specialty", "specialties of members", "name", "never"),
        Kind("group", "keys and titles of other groups", "name", "never"),
        Kind("subject", "subjects", "name"),
        Kind("key", "keys of cases, items, candidates, volumes and overlays", "name"),
        Kind("file", "names of files", "name"),
        Kind("note", "notes on cases", "fact"),
        Kind("category", "categories of items", "fact", topic=True),
        Kind("grounding", "grounding of items", "fact"),
        Kind("vignette", "vignettes, where a phase does not show them", "fact", fewest_words=4),
        Kind("history", "histories, where a phase does not show them", "fact", fewest_words=4),
        Kind("age", "ages, where a phase does not show them", "fact"),
        Kind("date", "acquisition dates", "fact"),
        Kind("stratum", "strata of samples", "fact", topic=True),
        Kind("probability", "inclusion probabilities", "fact", while_sealed=False),
        Kind("phase", "keys of listed phases", "name", "never"),
        Kind("secret", "salt, seed, hashes of stored files and of the freeze", "name", "never"),
    )
}


def table() -> str:
    """Return the kinds in Markdown, as docs/how-to/audit-the-blinding.md shows them."""
    lines = ["| Kind in the file | What it is | Treated as |", "|---|---|---|"]
    lines += [f"| `{kind.key}` | {kind.title} | {kind.sort} |" for kind in KINDS.values()]
    return "\n".join(lines)
