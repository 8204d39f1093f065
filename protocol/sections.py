"""What a protocol says of the parts of its study: practice and reading, scoring, adjudication."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from protocol.forms import Form, Option
from protocol.parts import Part, ShortText

# How long a verdict may be replaced: not at all, in the login session that gave it, until the study is closed.
RevisionRule = Literal["never", "session", "study"]


class Practice(Part):
    """Items that are read before the real ones, until enough of the answers are right."""

    pass_mark: Annotated[float, Field(ge=0.0, le=1.0)]
    feedback: bool = True
    # None: as often as it takes.
    attempts: Annotated[int, Field(ge=1)] | None = None


class Reading(Part):
    """The first phase: raters answer the items. `revision` says how long an answer may be replaced by another."""

    not_assessable: list[Option] = []
    flags: list[Option] = []
    comment: bool = True
    order: Literal["random_per_rater", "as_listed"] = "random_per_rater"
    subject_distance: Annotated[int, Field(ge=0, le=50)] = 0
    shuffle_options: bool = False
    revision: RevisionRule = "never"
    practice: Practice | None = None


class Scoring(Part):
    """The second phase, where there are candidates: raters score a frozen sample of them against the reference."""

    instructions: Annotated[str, Field(min_length=1)]
    prompt: ShortText
    sample: Annotated[int, Field(ge=1)]
    form: Form
    comment: bool = True

    @model_validator(mode="after")
    def _can_be_compared_with_a_judge(self) -> Scoring:
        answer = self.form.primary
        ids = {option.id for option in answer.options}
        if answer.type != "yes_no" and not {"correct", "incorrect"} <= ids:
            raise ValueError("the field 'answer' needs options with the ids correct and incorrect")
        return self


class Adjudication(Part):
    """When an item goes to a reviewer, and how many items on which the raters agree go along as controls."""

    instructions: Annotated[str, Field(min_length=1)]
    controls: Annotated[int, Field(ge=0)] = 4
