"""What the author of a study writes of fields, options and declared columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field

from protocol.fields import KINDS
from protocol.language.short_forms import Words, under_key
from protocol.parts import Finite, Key, Part, Says, ShortText

AttributeType = Literal["yes_no", "choice", "ordinal", "number", "text", "date", "list"]

# Drawn as another type, with more computed from them; only in a study that lists its phases.
ComputedType = Literal["as_item", "confidence", "correctness", "preference", "resolution", "guess"]

if TYPE_CHECKING:
    FieldType = str
else:
    FieldType = Literal[(*KINDS, *get_args(ComputedType))]


def _options(value: Any) -> Any:
    """Bring a list of texts, or texts by id, into options; a text alone names a shared list."""
    if isinstance(value, str):
        return {"shared": value.removeprefix("lists/")} if value.startswith("lists/") else value
    if isinstance(value, list):
        return {"listed": [part if isinstance(part, Mapping) else {"id": part, "text": part} for part in value]}
    if isinstance(value, Mapping) and not {"shared", "listed"} & set(value):
        pairs = value.items()
        return {"listed": [{"id": key, **said} if isinstance(said, Mapping) else {"id": key, "text": said}
                           for key, said in pairs]}  # fmt: skip
    return value


ListName = Annotated[str, Field(pattern=r"^lists/[a-z][a-z0-9_]{0,59}$")]


class AuthoredOption(Part):
    """One option: its identity, what is shown, and what helps to choose it."""

    id: Annotated[
        Annotated[str, Field(min_length=1, max_length=80)],
        Says("what is stored and exported; in a list of texts it is the text", "id: low"),
    ]
    text: Annotated[ShortText, Says("what raters see", "text: Low")]
    definition: Annotated[
        Annotated[str, Field(max_length=2_000)],
        Says("what defines it, shown below it", "definition: Nobody would ask", "none"),
    ] = ""
    example: Annotated[
        Annotated[str, Field(max_length=2_000)], Says("an example, shown below it", "example: How many pixels?", "none")
    ] = ""
    # Other words for it, where people write instead of choosing.
    synonyms: Annotated[
        Words,
        Says("only among `synonyms` of a field: other words for it", "synonyms: [glioblastoma multiforme]", "none"),
    ] = []


class OptionWords(Part):
    """What an option says under its id."""

    text: ShortText
    definition: Annotated[str, Field(max_length=2_000)] = ""
    example: Annotated[str, Field(max_length=2_000)] = ""
    synonyms: Words = []


class AuthoredOptions(Part):
    """Options listed here, or the name of a list that several studies share."""

    shared: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,59}$")] | None = None
    listed: list[AuthoredOption] = []


OptionList = list[str | AuthoredOption]

Options = Annotated[
    AuthoredOptions,
    BeforeValidator(_options, json_schema_input_type=ListName | OptionList | dict[str, str | OptionWords]),
]


class AuthoredField(Part):
    """A field of a form."""

    type: Annotated[
        FieldType, Says("what is filled in; `as_item` is what the format of the item asks", "type: ordinal")
    ]
    label: Annotated[ShortText | None, Says("the text above it", "label: Diagnosis", "the key in words")] = None
    help: Annotated[str | None, Says("a line below the label", "help: The most likely one", "no line")] = None
    required: Annotated[bool, Says("whether it has to be filled in", "required: no")] = True
    primary: Annotated[
        bool, Says("whether statistics take it first", "primary: yes", "the first field that is no confidence")
    ] = False
    when: Annotated[
        Annotated[dict[Key, Words], Field(min_length=1, max_length=1)] | None,
        Says("a field above, and its values for which this one is asked", "when: {verdict: incorrect}", "always"),
    ] = None
    options: Annotated[
        Options | None,
        Says(
            "of a choice, several, a scale or a ranked list: ids with their texts, a list of texts, or a list that "
            "several studies share",
            "options: {l: Left, r: Right}",
        ),
    ] = None
    # A field above, and for each of its options those that are offered then.
    options_by: Annotated[
        Annotated[dict[Key, dict[str, Words]], Field(min_length=1, max_length=1)] | None,
        Says(
            "a field above, and for each of its values the ids, of the field's own `options`, that are offered",
            "options_by: {site: {brain: [glioma, stroke]}}",
            "all of them",
        ),
    ] = None
    positive: Annotated[
        str | None,
        Says("of a choice, the option that counts as positive", "positive: present", "*yes*, *correct*, else none"),
    ] = None
    # Words that mean the same where people write: id, text and synonyms of each answer.
    synonyms: Annotated[
        Options | None,
        Says("of a text or a ranked list, words that mean the same", "synonyms: lists/diagnoses", "none"),
    ] = None
    range: Annotated[
        Annotated[list[Finite], Field(min_length=2, max_length=2)] | None,
        Says("of a number or a confidence, the lowest and the highest", "range: [0, 100]", "any number"),
    ] = None
    unit: Annotated[ShortText | None, Says("the text behind a number", "unit: mm", "none")] = None
    at_most: Annotated[
        Annotated[int, Field(ge=1, le=50)] | None,
        Says("of several options or a ranked list, how many are taken", "at_most: 3", "any number"),
    ] = None
    steps: Annotated[
        Annotated[int, Field(ge=2, le=100)] | None,
        Says("of a confidence, how many steps; a confidence in numbers has a `range`", "steps: 5"),
    ] = None
    # What each step of a confidence stands for, as probabilities; without it there is no Brier score.
    means: Annotated[
        list[Annotated[float, Field(ge=0.0, le=1.0)]] | None,
        Says(
            "of a confidence in steps, the probability that each stands for", "means: [0.1, 0.5, 0.9]", "no Brier score"
        ),
    ] = None
    about: Annotated[
        Key | None, Says("of a confidence, the field that it is about", "about: diagnosis", "the primary one")
    ] = None
    partly: Annotated[
        ShortText | None,
        Says("of a correctness, the text of a third choice", "partly: Partly correct", "no such choice"),
    ] = None
    excluded: Annotated[
        ShortText | None,
        Says(
            "of a correctness, the text of a choice that leaves the denominator",
            "excluded: Cannot be scored",
            "no such choice",
        ),
    ] = None


AnyField = Annotated[
    AuthoredField, BeforeValidator(under_key("type"), json_schema_input_type=FieldType | AuthoredField)
]

Fields = Annotated[dict[Key, AnyField], Field(min_length=1)]


class AuthoredAttribute(Part):
    """A column of cases, items, candidates or raters that the study declares."""

    type: Annotated[AttributeType, Says("what is in the column", "type: number")]
    options: Annotated[Options | None, Says("of a choice or a scale, as of a field", "options: [open, closed]")] = None
    range: Annotated[
        Annotated[list[Finite], Field(min_length=2, max_length=2)] | None,
        Says("of a number, the lowest and the highest", "range: [0, 60]", "any number"),
    ] = None
    # Bounds between the levels by which tables part a number.
    bins: Annotated[
        Annotated[list[Finite], Field(max_length=20)],
        Says(
            "of a number, the bounds between the levels by which tables and `by` part it; a bound belongs to the level "
            "above it",
            "bins: [5, 10]",
            "one level for each number",
        ),
    ] = []
    # It determines the reference: whoever is shown it has been told.
    tells: Annotated[
        Literal["reference"] | None,
        Says(
            "that the column gives the reference away, so that showing it counts as showing the reference",
            "tells: reference",
            "it tells as much as its table is about",
        ),
    ] = None


AnyAttribute = Annotated[
    AuthoredAttribute, BeforeValidator(under_key("type"), json_schema_input_type=AttributeType | AuthoredAttribute)
]


class AuthoredAttributes(Part):
    """Declared columns, by the table in which they stand."""

    cases: Annotated[dict[Key, AnyAttribute], Says("columns of `cases.csv`, by name", "cases: {site: text}")] = {}
    items: Annotated[
        dict[Key, AnyAttribute],
        Says("columns of `items.csv`, by name", "items: {tier: {type: ordinal, options: [1, 2, 3]}}"),
    ] = {}
    candidates: Annotated[
        dict[Key, AnyAttribute],
        Says(
            "columns of `candidates.csv`, by name", "candidates: {condition: {type: choice, options: [plain, primed]}}"
        ),
    ] = {}
    raters: Annotated[
        dict[Key, AnyAttribute],
        Says("what is known of each rater, by name", "raters: {specialty: text}"),
    ] = {}
