"""The expansion of a protocol: every default written out, everything ordered as a list, shared lists as text.

It is what a freeze stores beside the author's file, and what the program goes by. Nothing here has a default.
"""

from __future__ import annotations

import json
from typing import Literal

from protocol.hanging import Hanging
from protocol.language.authored_fields import AttributeType, FieldType
from protocol.language.authored_plan import AuthoredAnalysis
from protocol.parts import Part

LANGUAGE = "2"
DoneBy = Literal["self", "everyone", "each_unit"]


class Option(Part):
    """One option."""

    id: str
    text: str
    definition: str
    example: str


class Synonyms(Part):
    """Words that mean one answer, each as it is written."""

    answer: str
    words: list[str]


class When(Part):
    """A field is asked only while a field above holds one of these values."""

    field: str
    values: list[str]


class Offered(Part):
    """The options that a field offers while a field above holds a value."""

    value: str
    options: list[str]


class OptionsBy(Part):
    """Options that depend on the answer to a field above."""

    field: str
    offered: list[Offered]


class Field(Part):
    """A field of a form."""

    key: str
    type: FieldType
    label: str
    help: str
    required: bool
    primary: bool
    when: When | None
    options: list[Option]
    # The name of the shared list that the options were taken from.
    shared_list: str | None
    options_by: OptionsBy | None
    positive: str | None
    synonyms: list[Synonyms]
    # The name of the shared list that they were taken from.
    synonym_list: str | None
    minimum: float | None
    maximum: float | None
    unit: str | None
    at_most: int | None
    # Of a confidence in steps, how many there are.
    steps: int | None
    means: list[float] | None
    about: str | None
    # Whose answers leave the denominator.
    excluded: str | None
    undetermined: bool


class Attribute(Part):
    """A declared column."""

    table: Literal["cases", "items", "candidates", "raters"]
    key: str
    type: AttributeType
    options: list[Option]
    minimum: float | None
    maximum: float | None
    tells_reference: bool
    # A study that was frozen before there was the key has none.
    bins: list[float] = []


class Group(Part):
    """People who do the same work."""

    key: str
    title: str
    people: int | None
    may_also_be: list[str]


class Condition(Part):
    """An attribute, or a field of a phase, has one of these values."""

    name: str
    values: list[str]


class Difference(Part):
    """Answers to a field differ by at least so many steps."""

    field: str
    steps: int


class Entry(Part):
    """What lets a unit into a queue."""

    reason: Literal["differs", "flagged", "not_assessable", "answered"]
    differences: list[Difference]
    field: str | None


class StratumSize(Part):
    """How many are drawn in one stratum."""

    stratum: str
    size: str


class Limit(Part):
    """At most so many units of one value of an attribute."""

    attribute: str
    most: int


class Sample(Part):
    """What is drawn: the size as it is written, "all", a number or a share."""

    size: str
    strata: list[str]
    allocation: Literal["proportional", "equal", "by_stratum"]
    sizes: list[StratumSize]
    at_most: list[Limit]
    not_in: list[str]
    keeps_items_together: bool


class Source(Part):
    """From which material the units of a phase come; phase None: the whole study, never practice or no response."""

    phase: str | None
    where: list[Condition]
    let_in: list[Entry]
    controls: int
    sample: Sample | None

    @property
    def practice(self) -> Literal["only", "never", "mixed"]:
        """Whether the units are those for practice, which nothing else takes, or whether both are asked for."""
        asked = {value for condition in self.where if condition.name == "practice" for value in condition.values}
        for_practice = asked & {"yes", "true"}
        return "never" if not for_practice else "only" if asked == for_practice else "mixed"


class People(Part):
    """Who works in a phase; groups is never empty."""

    groups: list[str]
    per_unit: int | None
    design: Literal["balanced", "crossover"] | None
    not_in: list[str]
    together: bool

    @property
    def is_dealt(self) -> bool:
        """Whether units are dealt to some of the people, and not rated by all of them."""
        return self.per_unit is not None or bool(self.not_in)


class Opening(Part):
    """When a phase opens."""

    kind: Literal["at_once", "after", "by_admin"]
    after: list[str]
    done_by: DoneBy


class Step(Part):
    """What is shown after the own answer is locked."""

    shows: list[str]
    again: bool


class Pairs(Part):
    """Which two answers to an item are compared.

    Attributes
    ----------
    of
        In which column of candidates.csv they differ; None where pairs.csv names them.
    same
        In which columns they are alike.
    """

    of: str | None
    same: list[str]


class Phase(Part):
    """A phase, with everything that holds for it."""

    key: str
    title: str
    instructions: str
    question: str
    rates: list[str]
    # The phase whose answers are rated, where any are.
    answers_of: str | None
    source: Source
    shows: list[str]
    # The name of its form; "as_item" where each item names one of the study's forms.
    form: str
    fields: list[Field]
    by: People
    opens: Opening
    then: Step | None
    takes: list[str]
    # How a pool lays a place out: as the crosshair reads it, or in mm also in an image without scale, as in what was
    # imported before there was a choice.
    places: Literal["as_shown", "in_mm"] = "in_mm"
    # Where pairs are rated; None in any other phase, and in what was expanded before there were any.
    pairs: Pairs | None = None
    order: Literal["random", "as_listed"]
    spacing: int
    shuffle_options: bool
    not_assessable: list[Option]
    flags: list[Option]
    comment: bool
    revise: Literal["never", "session", "until_closed"]
    counts: bool
    pass_mark: float | None
    attempts: int | None
    settles: str | None
    result: Literal["unanimous", "majority", "mean", "median"]

    @property
    def primary(self) -> Field | None:
        """The field that is compared; None where each item names its form."""
        return next((field for field in self.fields if field.primary), None)


class Form(Part):
    """A form that items name."""

    key: str
    fields: list[Field]


class Expansion(Part):
    """A study, with nothing left unsaid."""

    language: Literal["2"]
    expanded_by: str
    name: str
    title: str
    instructions: str
    consent: str
    notice: str
    seed: int
    dates: Literal["day_first", "month_first"] | None
    hanging: Hanging
    groups: list[Group]
    attributes: list[Attribute]
    forms: list[Form]
    phases: list[Phase]
    analysis: AuthoredAnalysis

    def phase(self, key: str) -> Phase:
        """Return the phase with this key, which has to be one of the study's."""
        return next(phase for phase in self.phases if phase.key == key)

    @staticmethod
    def of_canonical_json(text: str) -> Expansion | None:
        """Return the expansion that was stored as such JSON; None where that is a protocol of the first language."""
        content = json.loads(text)
        listed = isinstance(content, dict) and content.get("language") == LANGUAGE
        return Expansion.model_validate(content) if listed else None

    def canonical_json(self) -> str:
        """Return it as JSON without spaces: the text that is hashed and stored. Lists keep their order."""
        return json.dumps(self.model_dump(mode="json", by_alias=True), separators=(",", ":"), ensure_ascii=False)
