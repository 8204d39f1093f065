"""What is hidden from raters, one row per kind: what its values are, and when one in a text reveals something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# What the values are: names of things and people; facts about what is shown; references; answers.
Sort = Literal["name", "fact", "reference", "answer"]
# How a value that is a single ordinary word is treated: searched for everywhere; everywhere unless it is among the
# words that everybody gets; only as a fact about what is shown; or not at all.
Plain = Literal["everywhere", "unless shared", "as a fact", "never"]


@dataclass(frozen=True)
class Kind:
    """One kind of hidden value.

    Attributes
    ----------
    key
        Its name in the file.
    title
        Its name in docs and refusals.
    fewest_words
        A value with fewer words is too short to be searched for.
    topic
        Whether it states what is asked, so that a question may state it too.
    of_the_answer
        Whether it is a fact about the answer under judgement, whose words are searched like those of a vignette.
    of_a_model
        Whether it is a model's answer: the model was given the texts about the case and may repeat them.
    while_open
        Whether a value may be printed before the data lock.
    while_sealed
        Whether its values may be counted while test subjects are sealed, and printed unless they are answers.
    is_searched
        Whether it has values that are searched for; if not, it is seen from how something is written.
    remedy
        What to do about a leak, if that is not what is done about others.
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
    is_searched: bool = True
    remedy: str = ""


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
        Kind(
            "writing",
            "who wrote an answer that is in a pool, by a place that is not written as people's are",
            "name",
            is_searched=False,
            remedy=(
                "Places of a study imported by an earlier release are written in mm on images, too: import its folder "
                "again, over the thawed study or under another key, or leave such answers out of the pool."
            ),
        ),
        Kind("specialty", "specialties of members, and texts that the protocol declares of raters", "name", "never"),
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
    """Return the kinds as a Markdown table, as shown in docs/how-to/audit-the-blinding.md."""
    lines = ["| Kind in the file | What it is | Treated as |", "|---|---|---|"]
    lines += [f"| `{kind.key}` | {kind.title} | {kind.sort} |" for kind in KINDS.values()]
    return "\n".join(lines)
