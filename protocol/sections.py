"""The sections of a protocol: practice and reading, scoring, adjudication."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from protocol.forms import Form, Option
from protocol.parts import Part, Says, ShortText

# How long a verdict may be revised: not at all, within the login session that gave it, or until the study is closed.
RevisionRule = Literal["never", "session", "study"]


class Practice(Part):
    """Items that are read before the real ones, until enough answers are right."""

    pass_mark: Annotated[
        float, Field(ge=0.0, le=1.0), Says("the share of right answers that opens the real items", "pass_mark: 0.8")
    ]
    feedback: Annotated[bool, Says("whether the reference and the explanation follow each answer", "feedback: no")] = (
        True
    )
    attempts: Annotated[
        Annotated[int, Field(ge=1)] | None, Says("how often it can be tried", "attempts: 3", "any number of times")
    ] = None


class Reading(Part):
    """The first phase, in which raters answer the items."""

    not_assessable: Annotated[
        list[Option],
        Says(
            "reasons why an item cannot be assessed",
            "not_assessable: [{id: quality, text: Image quality}]",
            "every item has to be answered",
        ),
    ] = []
    flags: Annotated[
        list[Option],
        Says(
            "what raters can report about an item",
            "flags: [{id: prompt, text: The question is unclear}]",
            "nothing can be flagged",
        ),
    ] = []
    comment: Annotated[bool, Says("whether raters can leave a note", "comment: no")] = True
    order: Annotated[
        Literal["random_per_rater", "as_listed"],
        Says("the order of items: drawn for each rater, or that of the table", "order: as_listed"),
    ] = "random_per_rater"
    subject_distance: Annotated[
        int,
        Field(ge=0, le=50),
        Says("the fewest other items between two of the same subject", "subject_distance: 3"),
    ] = 0
    shuffle_options: Annotated[
        bool, Says("whether the options of an item are shuffled for each rater", "shuffle_options: yes")
    ] = False
    revision: Annotated[
        RevisionRule,
        Says(
            "how long a verdict can be revised: until the rater signs out (`session`) or until the study is closed "
            "(`study`)",
            "revision: session",
        ),
    ] = "never"
    practice: Annotated[
        Practice | None,
        Says("items that come first and count in no statistic", "practice: {pass_mark: 0.8}", "no practice"),
    ] = None


class Scoring(Part):
    """The second phase, in which raters score a frozen sample of candidates against the reference."""

    instructions: Annotated[
        str,
        Field(min_length=1),
        Says(
            "instructions shown before the first answer, in Markdown",
            "instructions: Say whether the answer agrees with the reference.",
        ),
    ]
    prompt: Annotated[
        ShortText, Says("the question about each answer", "prompt: Does the answer agree with the reference?")
    ]
    sample: Annotated[int, Field(ge=1), Says("how many answers are drawn for scoring", "sample: 40")]
    form: Annotated[
        Form,
        Says(
            "the form; its field `answer` is a `yes_no` or has the options `correct` and `incorrect`",
            "form: {fields: [{key: answer, type: yes_no, label: Correct}]}",
        ),
    ]
    comment: Annotated[bool, Says("whether raters can leave a note", "comment: no")] = True

    @model_validator(mode="after")
    def _can_be_compared_with_a_judge(self) -> Scoring:
        answer = self.form.primary
        ids = {option.id for option in answer.options}
        if answer.type != "yes_no" and not {"correct", "incorrect"} <= ids:
            raise ValueError("the field 'answer' needs options with the ids correct and incorrect")
        return self


class Adjudication(Part):
    """The reviewers' instructions, and how many items on which the raters agree join their queue as controls."""

    instructions: Annotated[
        str,
        Field(min_length=1),
        Says(
            "instructions shown before the first item of the queue, in Markdown",
            "instructions: Read the item yourself, then decide.",
        ),
    ]
    controls: Annotated[
        int, Field(ge=0), Says("how many items on which the raters agree are added as controls", "controls: 8")
    ] = 4
