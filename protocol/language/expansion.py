"""The expansion of a protocol: every default written out, ordered content as lists, and shared lists inlined.

A freeze stores it beside the author's file, and the program works from it. Nothing here has a default.
"""

from __future__ import annotations

import json
from typing import Annotated, Literal

import pydantic

from protocol.hanging import Hanging
from protocol.language.authored_fields import AttributeType, FieldType
from protocol.language.authored_plan import AuthoredAnalysis
from protocol.language.wording import capital, spoken
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
    """Words for one answer, each as written: its id, then its text, then others."""

    answer: str
    words: list[str]


class When(Part):
    """The condition that a field above has one of these values."""

    field: str
    values: list[str]


class Offered(Part):
    """The options that a field offers while a field above has a value."""

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
    # The name of the shared list that the synonyms were taken from.
    synonym_list: str | None
    minimum: float | None
    maximum: float | None
    unit: str | None
    at_most: int | None
    # For a confidence in steps, their number.
    steps: int | None
    means: list[float] | None
    about: str | None
    # The id of the option whose answers are excluded from the denominator.
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
    # Defaults to none because studies frozen before this key existed lack it.
    bins: list[float] = []
    # Empty: the key in words. Left out then, because studies frozen before this key existed lack it in what is hashed.
    label: Annotated[str, pydantic.Field(exclude_if="".__eq__)] = ""

    @property
    def heading(self) -> str:
        """What stands before its value on a screen."""
        return self.label or capital(spoken(self.key))


class Group(Part):
    """People who do the same work."""

    key: str
    title: str
    people: int | None
    may_also_be: list[str]


class Condition(Part):
    """The condition that an attribute, or a field of a phase, has one of these values."""

    name: str
    values: list[str]


class Difference(Part):
    """The condition that answers to a field differ by at least this many steps."""

    field: str
    steps: int


class Entry(Part):
    """What lets a unit into a queue."""

    reason: Literal["differs", "flagged", "not_assessable", "answered"]
    differences: list[Difference]
    field: str | None


class StratumSize(Part):
    """How many units are drawn from one stratum."""

    stratum: str
    size: str


class Limit(Part):
    """The most units with the same value of an attribute."""

    attribute: str
    most: int


class Sample(Part):
    """A sample; `size` is "all", a number, a share such as "5%", or "by_stratum"."""

    size: str
    strata: list[str]
    allocation: Literal["proportional", "equal", "by_stratum"]
    sizes: list[StratumSize]
    at_most: list[Limit]
    not_in: list[str]
    keeps_items_together: bool


class Source(Part):
    """Where the units of a phase come from; with phase None, the whole study without practice and *no response*."""

    phase: str | None
    where: list[Condition]
    let_in: list[Entry]
    controls: int
    sample: Sample | None

    @property
    def practice(self) -> Literal["only", "never", "mixed"]:
        """Whether the source selects only practice, none of it, or both, which is refused."""
        asked = {value for condition in self.where if condition.name == "practice" for value in condition.values}
        for_practice = asked & {"yes", "true"}
        return "never" if not for_practice else "only" if asked == for_practice else "mixed"


class People(Part):
    """Who works in a phase; `groups` is never empty."""

    groups: list[str]
    per_unit: int | None
    design: Literal["balanced", "crossover"] | None
    not_in: list[str]
    together: bool

    @property
    def is_dealt(self) -> bool:
        """Whether units are dealt to some of the people instead of being rated by all."""
        return self.per_unit is not None or bool(self.not_in)


class Opening(Part):
    """When a phase opens."""

    kind: Literal["at_once", "after", "by_admin"]
    after: list[str]
    done_by: DoneBy


class Step(Part):
    """What is shown once the rater's own answer is locked."""

    shows: list[str]
    again: bool


class Pairs(Part):
    """Which two answers to an item are compared.

    Attributes
    ----------
    of
        The column of candidates.csv in which they differ; None if pairs.csv lists the pairs.
    same
        The columns in which they are alike.
    """

    of: str | None
    same: list[str]


class Phase(Part):
    """A phase, with all its settings."""

    key: str
    title: str
    instructions: str
    question: str
    rates: list[str]
    # The phase whose answers are rated, if any.
    answers_of: str | None
    source: Source
    shows: list[str]
    # The name of its form; "as_item" if each item names one of the study's forms.
    form: str
    fields: list[Field]
    by: People
    opens: Opening
    then: Step | None
    takes: list[str]
    # How a pool lays out points: as the crosshair shows them, or in mm even in an image without scale, as in studies
    # imported before this setting existed. Written out only for the former, so that other studies keep their hashes.
    places: Annotated[Literal["as_shown", "in_mm"], pydantic.Field(exclude_if="in_mm".__eq__)] = "in_mm"
    # None unless pairs are rated, and in expansions made before pairs existed.
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
        """The field that is compared; None if each item names its form."""
        return next((field for field in self.fields if field.primary), None)


class Form(Part):
    """A form that items name."""

    key: str
    fields: list[Field]


class Expansion(Part):
    """A study with everything written out."""

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
        """Return the phase with this key, which has to exist."""
        return next(phase for phase in self.phases if phase.key == key)

    @staticmethod
    def of_canonical_json(text: str) -> Expansion | None:
        """Return the expansion stored as this JSON, or None if it is a protocol of the first language."""
        content = json.loads(text)
        listed = isinstance(content, dict) and content.get("language") == LANGUAGE
        if listed and isinstance(content.get("analysis"), dict):
            content["analysis"].setdefault("interval_scale", "plain")
            content["analysis"].setdefault("interval_same", "percentile")
            content["analysis"].setdefault("p_from", 2)
            content["analysis"].setdefault("interval_of_numbers", "plain")
            content["analysis"].setdefault("p_in_clusters", "normal")
        return Expansion.model_validate(content) if listed else None

    def canonical_json(self) -> str:
        """Return the expansion as JSON without spaces, the text that is hashed and stored; lists keep their order."""
        return json.dumps(self.model_dump(mode="json", by_alias=True), separators=(",", ":"), ensure_ascii=False)
