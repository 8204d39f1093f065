"""Phases as the author of a study writes them: what is rated, its source, the raters, what they see, and when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from protocol.language.authored_fields import Fields, Options
from protocol.language.short_forms import Keys, Where, Words, as_list, as_words, under_key
from protocol.language.things import THINGS
from protocol.parts import FromOne, FromZero, Key, Part, Says, ShortText

_THINGS = ", ".join(f"`{thing}`" for thing in THINGS)
# A number of units, a share of them, or all.
Size = Annotated[str, Field(pattern=r"^(all|[1-9]\d{0,6}|(100|[1-9]?\d(\.\d+)?) ?%)$")]


def _let_in(value: Any) -> Any:
    return [{entry: ""} if isinstance(entry, str) else entry for entry in as_list(value)]


def _differing(value: Any) -> Any:
    """Convert the fields in which answers may differ to a number of steps by field."""
    if isinstance(value, Mapping):
        return dict(value)
    words = as_words(value)
    return dict.fromkeys(words, "1") if all(isinstance(word, str) for word in words) else value


class AuthoredSample(Part):
    """How many of the selected units are drawn, and how."""

    size: Annotated[Size, Says("how many units are drawn", "size: 20 %")] = "all"
    strata: Annotated[Keys, Says("attributes by which the draw is stratified", "strata: model", "none")] = []
    allocation: Annotated[
        Literal["proportional", "equal"], Says("how the sample is allocated to the strata", "allocation: equal")
    ] = "proportional"
    sizes: Annotated[
        dict[str, Size], Says("a size for each stratum, instead of `size`", "sizes: {easy: 10, hard: all}")
    ] = {}
    at_most: Annotated[
        dict[Key, FromOne],
        Says("the most units with the same value of an attribute", "at_most: {subject: 1}", "any number"),
    ] = {}
    not_in: Annotated[
        Words, Says("phases above, or frozen studies, with which the sample shares no subject", "not_in: read", "none")
    ] = []
    unit: Annotated[
        Literal["item"] | None,
        Says("`item` draws items, each with all its candidates", "unit: item", "each candidate is drawn on its own"),
    ] = None


Steps = dict[Key, FromOne]


class AuthoredEntry(Part):
    """What lets a unit into a queue: answers that differ, a flag, *not assessable*, or an answer in a field."""

    differs: Annotated[
        Annotated[Steps, BeforeValidator(_differing, json_schema_input_type=Key | list[Key] | Steps)] | None,
        Says(
            "two people's answers differ: in the primary field, in one of these fields, or by this many steps",
            "differs: {grade: 2}",
        ),
    ] = None
    flagged: Annotated[Literal[""] | None, Says("somebody flagged the unit; written without a value", "flagged:")] = (
        None
    )
    not_assessable: Annotated[
        Literal[""] | None, Says("somebody answered *not assessable*; written without a value", "not_assessable:")
    ] = None
    answered: Annotated[Key | None, Says("somebody filled in this field", "answered: findings")] = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> AuthoredEntry:
        if len(self.model_fields_set) != 1:
            raise ValueError("expected one of differs, flagged, not_assessable, answered in each entry")
        return self

    @property
    def reason(self) -> Literal["differs", "flagged", "not_assessable", "answered"]:
        """The one reason that this entry names."""
        if self.differs is not None:
            return "differs"
        if self.answered is not None:
            return "answered"
        return "flagged" if self.flagged is not None else "not_assessable"


Reason = Literal["differs", "flagged", "not_assessable"]


class AuthoredSource(Part):
    """Where the units come from: selected, narrowed and drawn."""

    phase: Annotated[
        Key | None, Says("a phase above, from which the units are taken", "phase: read", "the whole study")
    ] = None
    where: Annotated[
        Where, Says("only units with these values of an attribute or of `PHASE.FIELD`", "where: {tier: [1, 2]}", "all")
    ] = {}
    let_in: Annotated[
        Annotated[
            list[AuthoredEntry],
            BeforeValidator(_let_in, json_schema_input_type=Reason | AuthoredEntry | list[Reason | AuthoredEntry]),
        ],
        Says(
            "only units of that phase that were `flagged` or `not_assessable`, whose answers differ (`differs`), or in "
            "which a field was `answered`",
            "let_in: [flagged, {answered: findings}]",
            "all",
        ),
    ] = []
    controls: Annotated[FromZero, Says("how many units that were not let in are added as controls", "controls: 10")] = 0
    sample: Annotated[
        AuthoredSample | None, Says("how many of these units are drawn, and how", "sample: {size: 100}", "all")
    ] = None


class AuthoredPeople(Part):
    """Who works in a phase."""

    groups: Annotated[Keys, Says("the groups whose members rate", "groups: [residents]", "all")] = []
    per_unit: Annotated[FromOne | None, Says("how many of them rate each unit", "per_unit: 2", "all")] = None
    design: Annotated[
        Literal["balanced", "crossover"] | None,
        Says(
            "how units are dealt; `crossover` is [refused](#what-is-refused-and-what-to-write-instead)",
            "design: balanced",
            "`balanced` if `per_unit` is set",
        ),
    ] = None
    not_in: Annotated[Keys, Says("phases above; nobody gets a unit that they rated there", "not_in: read", "none")] = []
    together: Annotated[
        bool,
        Says(
            "whether they give one joint answer; `yes` is [refused](#what-is-refused-and-what-to-write-instead)",
            "together: yes",
        ),
    ] = False


class AuthoredOpening(Part):
    """When a phase opens: after other phases (and who must have done them), at once, or when an admin opens it."""

    after: Annotated[
        Keys,
        Says("the phases that must be done first", "after: read", "all phases above in which the same people work"),
    ] = []
    done_by: Annotated[
        Literal["self", "everyone", "each_unit"] | None,
        Says(
            "who has to have done them; `each_unit` is [refused](#what-is-refused-and-what-to-write-instead)",
            "done_by: everyone",
            "`self`, or `everyone` if other people's answers are needed",
        ),
    ] = None
    at_once: Annotated[bool, Says("whether it is open from the start", "at_once: yes")] = False
    by_admin: Annotated[bool, Says("whether it waits until an admin opens it", "by_admin: yes")] = False


class AuthoredStep(Part):
    """What a rater is shown once their own answer is locked, and whether they answer again."""

    shows: Annotated[Words, Says("what is shown in addition to what the phase shows", "shows: [reference]")]
    again: Annotated[bool, Says("whether the form is filled in a second time", "again: yes")] = False


class AuthoredForm(Part):
    """The name of a form, or the fields themselves."""

    name: Key | None = None
    fields: Fields | None = None


def _form(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else {"fields": value}


class AuthoredPairs(Part):
    """The two answers to an item that are compared: they differ in `of` and are alike in `same`, or are listed."""

    of: Annotated[
        Key, Says("the column in which the two answers differ: `model`, or an attribute of candidates", "of: condition")
    ] = "model"
    same: Annotated[
        Keys | None,
        Says("columns in which they are alike", "same: condition", "`model` if `of` is another column, else none"),
    ] = None
    table: Annotated[bool, Says("whether the pairs are those that `pairs.csv` lists", "table: yes")] = False


def _which_pairs(value: Any) -> Any:
    return {"table": "yes"} if value == "table" else {"of": value} if isinstance(value, str) else value


class AuthoredPhase(Part):
    """One phase as its author writes it."""

    key: Annotated[Key, Says("its name in tables and files; raters never see it", "key: read")]
    rates: Annotated[
        Annotated[Words, Field(min_length=1)],
        Says(
            "what is rated: `items`, `candidates`, `pairs`, `references`, `answers of PHASE`, or candidates and "
            "answers in one pool",
            "rates: candidates",
        ),
    ]
    shows: Annotated[
        Words,
        Says(
            f"what is on the screen: {_THINGS}, a field of the reference, or an attribute",
            "shows: [scans, prompt]",
        ),
    ]
    form: Annotated[
        Annotated[AuthoredForm, BeforeValidator(_form, json_schema_input_type=Key | Fields)],
        Says(
            "its fields, the name of a form, or `as_item` for the form that each item names",
            "form: {verdict: correctness}",
        ),
    ]
    title: Annotated[ShortText | None, Says("the title that raters see", "title: Reads", "the key in words")] = None
    instructions: Annotated[
        str | None,
        Says(
            "instructions shown before its first unit, in Markdown",
            "instructions: Score every answer.",
            "those of the study",
        ),
    ] = None
    question: Annotated[
        str | None, Says("the question above the form", "question: Is the answer right?", "no line")
    ] = None
    source: Annotated[
        Annotated[AuthoredSource, BeforeValidator(under_key("phase"), json_schema_input_type=Key | AuthoredSource)],
        Says(
            "where its units come from: a phase above, or the keys of [From](#from)",
            "from: read",
            "the whole study except practice",
        ),
    ] = Field(AuthoredSource(), alias="from")
    by: Annotated[
        Annotated[
            AuthoredPeople,
            BeforeValidator(under_key("groups"), json_schema_input_type=Key | list[Key] | AuthoredPeople),
        ],
        Says("who rates: a group, several groups, or the keys of [By](#by)", "by: scorers", "all groups"),
    ] = AuthoredPeople()
    opens: Annotated[
        AuthoredOpening,
        Says("when it opens", "opens: {after: read}", "after all phases above in which the same people work"),
    ] = AuthoredOpening()
    then: Annotated[
        AuthoredStep | None,
        Says(
            "what raters are shown once their answer is locked, and whether they answer again",
            "then: {shows: [reference], again: no}",
            "nothing",
        ),
    ] = None
    takes: Annotated[
        Keys,
        Says(
            "for a pool, the fields of an answer that are laid out; `candidates.csv` has columns with these names",
            "takes: rationale",
            "the primary field",
        ),
    ] = []
    pairs: Annotated[
        Annotated[
            AuthoredPairs, BeforeValidator(_which_pairs, json_schema_input_type=Key | Literal["table"] | AuthoredPairs)
        ]
        | None,
        Says(
            "for pairs, the column of `candidates.csv` in which the two answers to an item differ, `table` for the "
            "pairs in `pairs.csv`, or the keys of [Pairs](#pairs)",
            "pairs: condition",
            "those of the phase under `from`, else `model`",
        ),
    ] = None
    order: Annotated[
        Literal["random", "as_listed"],
        Says("the order of units: drawn for each rater, or that of the table", "order: as_listed"),
    ] = "random"
    spacing: Annotated[
        Annotated[int, Field(ge=0, le=50)],
        Says("the fewest other units between two of the same subject, where any order keeps them apart", "spacing: 5"),
    ] = 0
    shuffle_options: Annotated[
        bool, Says("whether the item's options are shuffled for each rater", "shuffle_options: yes")
    ] = False
    not_assessable: Annotated[
        Options | None,
        Says("reasons why a unit cannot be assessed", "not_assessable: {quality: Image quality}", "none"),
    ] = None
    flags: Annotated[
        Options | None, Says("what can be flagged", "flags: {prompt: The question is unclear}", "none")
    ] = None
    undetermined: Annotated[
        Words, Says("fields in which raters may abstain; `yes` for all", "undetermined: [diagnosis]", "`no`")
    ] = []
    comment: Annotated[bool, Says("whether raters can leave a note", "comment: no")] = True
    revise: Annotated[
        Literal["never", "session", "until_closed"],
        Says("how long a verdict can be revised; `session` means until the rater signs out", "revise: session"),
    ] = "never"
    counts: Annotated[
        bool, Says("`no` if its verdicts are not blind reads, so that anything may be shown before it", "counts: no")
    ] = True
    pass_mark: Annotated[
        Annotated[float, Field(ge=0.0, le=1.0)] | None,
        Says("for practice, the share that has to be right", "pass_mark: 0.8", "practice ends after one pass"),
    ] = None
    attempts: Annotated[
        FromOne | None,
        Says("for practice, how often it can be tried", "attempts: 2", "any number of times"),
    ] = None
    settles: Annotated[Key | None, Says("the phase whose answers this one settles", "settles: read", "none")] = None
    result: Annotated[
        Literal["unanimous", "majority", "mean", "median"],
        Says("how several answers to a unit become one when later units depend on it", "result: majority"),
    ] = "unanimous"
