"""What a protocol says of the parts of its study: practice and reading, scoring, adjudication."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from protocol.forms import Form, Option
from protocol.parts import Part, Says, ShortText

# How long a verdict may be replaced: not at all, in the login session that gave it, until the study is closed.
RevisionRule = Literal["never", "session", "study"]


class Practice(Part):
    """Items that are read before the real ones, until enough of the answers are right."""

    pass_mark: Annotated[
        float, Field(ge=0.0, le=1.0), Says("the share of right answers that opens the real items", "pass_mark: 0.8")
    ]
    feedback: Annotated[
        bool, Says("whether each answer is followed by the reference and the explanation", "feedback: no")
    ] = True
    # None: as often as it takes.
    attempts: Annotated[
        Annotated[int, Field(ge=1)] | None, Says("how often it may be tried", "attempts: 3", "as often as it takes")
    ] = None


class Reading(Part):
    """The first phase: raters answer the items. `revision` says how long an answer may be replaced by another."""

    not_assessable: Annotated[
        list[Option],
        Says(
            "reasons for which an item cannot be assessed",
            "not_assessable: [{id: quality, text: Image quality}]",
            "every item has to be answered",
        ),
    ] = []
    flags: Annotated[
        list[Option],
        Says(
            "what raters can report of an item",
            "flags: [{id: prompt, text: The question is unclear}]",
            "nothing can be flagged",
        ),
    ] = []
    comment: Annotated[bool, Says("whether raters can leave a note", "comment: no")] = True
    order: Annotated[
        Literal["random_per_rater", "as_listed"],
        Says("the order of items, another for each rater or that of the table", "order: as_listed"),
    ] = "random_per_rater"
    subject_distance: Annotated[
        int,
        Field(ge=0, le=50),
        Says("the least number of other items between two of one subject", "subject_distance: 3"),
    ] = 0
    shuffle_options: Annotated[
        bool, Says("whether the options of an item are shuffled for each rater", "shuffle_options: yes")
    ] = False
    revision: Annotated[
        RevisionRule,
        Says(
            "how long a verdict may be revised, until the rater signs out or until the study is closed",
            "revision: session",
        ),
    ] = "never"
    practice: Annotated[
        Practice | None, Says("items that come first and count in nothing", "practice: {pass_mark: 0.8}", "no practice")
    ] = None


class Scoring(Part):
    """The second phase, where there are candidates: raters score a frozen sample of them against the reference."""

    instructions: Annotated[
        str,
        Field(min_length=1),
        Says(
            "what is read before the first answer, in Markdown",
            "instructions: Say whether the answer agrees with the reference.",
        ),
    ]
    prompt: Annotated[
        ShortText, Says("what is asked of each answer", "prompt: Does the answer agree with the reference?")
    ]
    sample: Annotated[int, Field(ge=1), Says("how many answers are drawn to be scored", "sample: 40")]
    form: Annotated[
        Form,
        Says(
            "what is filled in; its field `answer` needs the options `correct` and `incorrect`, or is `yes_no`",
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
    """When an item goes to a reviewer, and how many items on which the raters agree go along as controls."""

    instructions: Annotated[
        str,
        Field(min_length=1),
        Says(
            "what is read before the first item of the queue, in Markdown",
            "instructions: Read the item yourself, then decide.",
        ),
    ]
    controls: Annotated[int, Field(ge=0), Says("how many items on which the raters agree go along", "controls: 8")] = 4
