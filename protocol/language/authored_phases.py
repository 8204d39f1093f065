"""What the author of a study writes of phases: what is rated, from where, by whom, seeing what, and when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from protocol.language.authored_fields import Fields, Options
from protocol.language.short_forms import Keys, Where, Words, as_list, as_words, under_key
from protocol.language.things import THINGS
from protocol.parts import FromOne, FromZero, Key, Part, Says, ShortText

_THINGS = ", ".join(f"`{thing}`" for thing in THINGS)
# Of a size: a number of units, a share of them, or all.
Size = Annotated[str, Field(pattern=r"^(all|[1-9]\d{0,6}|(100|[1-9]?\d(\.\d+)?) ?%)$")]


def _let_in(value: Any) -> Any:
    return [{entry: ""} if isinstance(entry, str) else entry for entry in as_list(value)]


def _differing(value: Any) -> Any:
    """Bring the fields in which answers may differ into field and number of steps."""
    if isinstance(value, Mapping):
        return dict(value)
    words = as_words(value)
    return dict.fromkeys(words, "1") if all(isinstance(word, str) for word in words) else value


class AuthoredSample(Part):
    """How much is drawn of what was selected, and how."""

    size: Annotated[Size, Says("how many units are drawn", "size: 20 %")] = "all"
    strata: Annotated[Keys, Says("attributes within which they are drawn", "strata: model", "none")] = []
    allocation: Annotated[
        Literal["proportional", "equal"], Says("how they are shared out over the strata", "allocation: equal")
    ] = "proportional"
    sizes: Annotated[
        dict[str, Size], Says("a size for each stratum, instead of `size`", "sizes: {easy: 10, hard: all}")
    ] = {}
    at_most: Annotated[
        dict[Key, FromOne],
        Says("so many with the same value of an attribute", "at_most: {subject: 1}", "any number"),
    ] = {}
    not_in: Annotated[
        Words, Says("phases above, or frozen studies, with which it shares no subject", "not_in: read", "none")
    ] = []
    unit: Annotated[
        Literal["item"] | None,
        Says("that all candidates of a drawn item are drawn", "unit: item", "each candidate on its own"),
    ] = None


Steps = dict[Key, FromOne]


class AuthoredEntry(Part):
    """What lets a unit into a queue: that answers differ, a flag, not assessable, an answer in a field."""

    differs: Annotated[
        Annotated[Steps, BeforeValidator(_differing, json_schema_input_type=Key | list[Key] | Steps)] | None,
        Says(
            "that answers of two people differ in the primary field, in these fields, or by so many steps",
            "differs: {grade: 2}",
        ),
    ] = None
    flagged: Annotated[Literal[""] | None, Says("that somebody flagged the unit; written alone", "flagged:")] = None
    not_assessable: Annotated[
        Literal[""] | None, Says("that somebody called it not assessable; written alone", "not_assessable:")
    ] = None
    answered: Annotated[Key | None, Says("that this field was answered", "answered: findings")] = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> AuthoredEntry:
        if len(self.model_fields_set) != 1:
            raise ValueError("expected one of differs, flagged, not_assessable, answered in each entry")
        return self

    @property
    def reason(self) -> Literal["differs", "flagged", "not_assessable", "answered"]:
        """Which of them it is."""
        if self.differs is not None:
            return "differs"
        if self.answered is not None:
            return "answered"
        return "flagged" if self.flagged is not None else "not_assessable"


Reason = Literal["differs", "flagged", "not_assessable"]


class AuthoredSource(Part):
    """From which material the units come: selected, narrowed, drawn."""

    phase: Annotated[Key | None, Says("a phase above, whose units they are", "phase: read", "the whole study")] = None
    where: Annotated[Where, Says("values of an attribute, or of `PHASE.FIELD`", "where: {tier: [1, 2]}", "all")] = {}
    let_in: Annotated[
        Annotated[
            list[AuthoredEntry],
            BeforeValidator(_let_in, json_schema_input_type=Reason | AuthoredEntry | list[Reason | AuthoredEntry]),
        ],
        Says(
            "of that phase, only units that are `flagged`, `not_assessable`, `differs`, or of which a field was "
            "`answered`",
            "let_in: [flagged, {answered: findings}]",
            "all",
        ),
    ] = []
    controls: Annotated[FromZero, Says("so many others beside them", "controls: 10")] = 0
    sample: Annotated[AuthoredSample | None, Says("how much is drawn of it", "sample: {size: 100}", "all")] = None


class AuthoredPeople(Part):
    """Who works in a phase."""

    groups: Annotated[Keys, Says("whose members rate", "groups: [residents]", "all")] = []
    per_unit: Annotated[FromOne | None, Says("by how many of them each unit is rated", "per_unit: 2", "by all")] = None
    design: Annotated[
        Literal["balanced", "crossover"] | None,
        Says(
            "how units are dealt; `crossover` is [refused](#what-is-refused-and-what-to-write-instead)",
            "design: balanced",
            "`balanced` where there is `per_unit`",
        ),
    ] = None
    not_in: Annotated[Keys, Says("phases above in which they have not rated the unit", "not_in: read", "none")] = []
    together: Annotated[
        bool,
        Says(
            "that they give one answer together, which is [refused](#what-is-refused-and-what-to-write-instead)",
            "together: yes",
        ),
    ] = False


class AuthoredOpening(Part):
    """When a phase opens: after others, done by whom; or at once, or by an act of an admin."""

    after: Annotated[
        Keys, Says("the phases that come before", "after: read", "all phases above in which the same people work")
    ] = []
    done_by: Annotated[
        Literal["self", "everyone", "each_unit"] | None,
        Says(
            "who has to be done with them; `each_unit` is [refused](#what-is-refused-and-what-to-write-instead)",
            "done_by: everyone",
            "`self`, or `everyone` where other people's answers are needed",
        ),
    ] = None
    at_once: Annotated[bool, Says("that it is open from the beginning", "at_once: yes")] = False
    by_admin: Annotated[bool, Says("that it opens when an admin opens it", "by_admin: yes")] = False


class AuthoredStep(Part):
    """What is shown after the own answer is locked, and whether it is asked again."""

    shows: Annotated[Words, Says("what is shown beside what the phase shows", "shows: [reference]")]
    again: Annotated[bool, Says("whether the form is filled in a second time", "again: yes")] = False


class AuthoredForm(Part):
    """The name of a form, or the fields themselves."""

    name: Key | None = None
    fields: Fields | None = None


def _form(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else {"fields": value}


class AuthoredPairs(Part):
    """Which two answers to an item are compared: those that differ in `of` and are alike in `same`, or those listed."""

    of: Annotated[
        Key, Says("the column in which the two differ: `model`, or an attribute of candidates", "of: condition")
    ] = "model"
    same: Annotated[
        Keys | None,
        Says("columns in which they are alike", "same: condition", "`model` where `of` is another column, else none"),
    ] = None
    # Or the pairs that pairs.csv names.
    table: Annotated[bool, Says("whether they are the pairs that `pairs.csv` names", "table: yes")] = False


def _which_pairs(value: Any) -> Any:
    return {"table": "yes"} if value == "table" else {"of": value} if isinstance(value, str) else value


class AuthoredPhase(Part):
    """One phase, as it is written."""

    key: Annotated[Key, Says("its name in tables and files; raters never see it", "key: read")]
    rates: Annotated[
        Annotated[Words, Field(min_length=1)],
        Says(
            "what is judged: `items`, `candidates`, `pairs`, `references`, `answers of PHASE`, or candidates and "
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
            "the fields, the name of a form, or `as_item` for the form that the item names",
            "form: {verdict: correctness}",
        ),
    ]
    title: Annotated[ShortText | None, Says("what raters see", "title: Reads", "the key in words")] = None
    instructions: Annotated[
        str | None,
        Says(
            "what is read before its first unit, in Markdown", "instructions: Score every answer.", "those of the study"
        ),
    ] = None
    question: Annotated[
        str | None, Says("what is asked of a unit, above the form", "question: Is the answer right?", "no line")
    ] = None
    source: Annotated[
        Annotated[AuthoredSource, BeforeValidator(under_key("phase"), json_schema_input_type=Key | AuthoredSource)],
        Says(
            "which units: those of a phase above, or what the keys of [From](#from) say",
            "from: read",
            "the whole study, but for practice",
        ),
    ] = Field(AuthoredSource(), alias="from")
    by: Annotated[
        Annotated[
            AuthoredPeople,
            BeforeValidator(under_key("groups"), json_schema_input_type=Key | list[Key] | AuthoredPeople),
        ],
        Says("a group, several, or the keys of [By](#by)", "by: scorers", "all groups"),
    ] = AuthoredPeople()
    opens: Annotated[
        AuthoredOpening,
        Says("when it opens", "opens: {after: read}", "after all phases above in which the same people work"),
    ] = AuthoredOpening()
    then: Annotated[
        AuthoredStep | None,
        Says(
            "what is shown after the own answer, and whether it is asked again",
            "then: {shows: [reference], again: no}",
            "nothing",
        ),
    ] = None
    takes: Annotated[
        Keys,
        Says(
            "the fields that are laid out of answers in a pool; `candidates.csv` has columns of these names",
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
            "of pairs: the column of `candidates.csv` in which two answers to an item differ, `table` for those of "
            "`pairs.csv`, or the keys of [Pairs](#pairs)",
            "pairs: condition",
            "`model`",
        ),
    ] = None
    order: Annotated[
        Literal["random", "as_listed"],
        Says("in which order units come: drawn for each rater, or that of the table", "order: as_listed"),
    ] = "random"
    spacing: Annotated[
        Annotated[int, Field(ge=0, le=50)], Says("at least so many units between two of one subject", "spacing: 5")
    ] = 0
    shuffle_options: Annotated[
        bool, Says("whether options of the item come in another order for each rater", "shuffle_options: yes")
    ] = False
    not_assessable: Annotated[
        Options | None,
        Says("the reasons for which no answer is given", "not_assessable: {quality: Image quality}", "none"),
    ] = None
    flags: Annotated[
        Options | None, Says("what can be flagged", "flags: {prompt: The question is unclear}", "none")
    ] = None
    # True for every field, or those that are named.
    undetermined: Annotated[
        Words, Says("`yes`, or the fields in which people may abstain", "undetermined: [diagnosis]", "`no`")
    ] = []
    comment: Annotated[bool, Says("whether a note can be left", "comment: no")] = True
    revise: Annotated[
        Literal["never", "session", "until_closed"],
        Says("how long a verdict can be revised: `session` is until they sign out", "revise: session"),
    ] = "never"
    counts: Annotated[bool, Says("`no` for what is no blind verdict and may come after anything", "counts: no")] = True
    pass_mark: Annotated[
        Annotated[float, Field(ge=0.0, le=1.0)] | None,
        Says("of practice, the share that has to be right", "pass_mark: 0.8", "it is over at its end"),
    ] = None
    attempts: Annotated[
        FromOne | None,
        Says("of practice, how often it can be tried", "attempts: 2", "any number of times"),
    ] = None
    settles: Annotated[Key | None, Says("the phase whose answers are decided about", "settles: read", "none")] = None
    result: Annotated[
        Literal["unanimous", "majority", "mean", "median"],
        Says("how several answers become one where something follows from them", "result: majority"),
    ] = "unanimous"
