"""Fields, options and declared columns as the author of a study writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field

from protocol.fields import KINDS
from protocol.language.short_forms import Words, under_key
from protocol.parts import Finite, Key, Part, Says, ShortText

AttributeType = Literal["yes_no", "choice", "ordinal", "number", "text", "date", "list"]

# Displayed as another type, with additional statistics; only in studies that list their phases.
ComputedType = Literal["as_item", "confidence", "correctness", "preference", "resolution", "guess"]

if TYPE_CHECKING:
    FieldType = str
else:
    FieldType = Literal[(*KINDS, *get_args(ComputedType))]


def _options(value: Any) -> Any:
    """Convert a list of texts, or texts by id, to options; a single text names a shared list."""
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
    """One option: its id, its text, and a definition and example that help to choose it."""

    id: Annotated[
        Annotated[str, Field(min_length=1, max_length=80)],
        Says("the id that is stored and exported; in a plain list of texts, the text itself", "id: low"),
    ]
    text: Annotated[ShortText, Says("what raters see", "text: Low")]
    definition: Annotated[
        Annotated[str, Field(max_length=2_000)],
        Says("its definition, shown below it", "definition: Nobody would ask", "none"),
    ] = ""
    example: Annotated[
        Annotated[str, Field(max_length=2_000)], Says("an example, shown below it", "example: How many pixels?", "none")
    ] = ""
    # Other words for it, for fields in which people write instead of choosing.
    synonyms: Annotated[
        Words,
        Says("other words for it; only in the `synonyms` of a field", "synonyms: [glioblastoma multiforme]", "none"),
    ] = []


class OptionWords(Part):
    """An option's words, listed under its id."""

    text: ShortText
    definition: Annotated[str, Field(max_length=2_000)] = ""
    example: Annotated[str, Field(max_length=2_000)] = ""
    synonyms: Words = []


class AuthoredOptions(Part):
    """Options listed in place, or the name of a list shared by several studies."""

    shared: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,59}$")] | None = None
    listed: list[AuthoredOption] = []


OptionList = list[str | AuthoredOption]

Options = Annotated[
    AuthoredOptions,
    BeforeValidator(_options, json_schema_input_type=ListName | OptionList | dict[str, str | OptionWords]),
]


class AuthoredField(Part):
    """A field of a form."""

    type: Annotated[FieldType, Says("the type of answer; `as_item` takes it from the item's format", "type: ordinal")]
    label: Annotated[ShortText | None, Says("the text above it", "label: Diagnosis", "the key in words")] = None
    help: Annotated[str | None, Says("a line of help below the label", "help: The most likely one", "no line")] = None
    required: Annotated[bool, Says("whether it has to be filled in", "required: no")] = True
    primary: Annotated[
        bool,
        Says("whether it is the field that is compared", "primary: yes", "the first field that is not a confidence"),
    ] = False
    when: Annotated[
        Annotated[dict[Key, Words], Field(min_length=1, max_length=1)] | None,
        Says(
            "a field above, and the values of it for which this field is asked", "when: {verdict: incorrect}", "always"
        ),
    ] = None
    options: Annotated[
        Options | None,
        Says(
            "for a choice, several options, a scale or a ranked list: ids with their texts, a list of texts, or a list "
            "shared by several studies",
            "options: {l: Left, r: Right}",
        ),
    ] = None
    # A field above and, for each of its options, the options that this field then offers.
    options_by: Annotated[
        Annotated[dict[Key, dict[str, Words]], Field(min_length=1, max_length=1)] | None,
        Says(
            "a field above and, for each of its values, the ids of this field's `options` that are then offered",
            "options_by: {site: {brain: [glioma, stroke]}}",
            "all of them",
        ),
    ] = None
    positive: Annotated[
        str | None,
        Says("for a choice, the option that counts as positive", "positive: present", "*yes* or *correct*, else none"),
    ] = None
    # For free text, the words that mean the same: id, text and synonyms of each answer.
    synonyms: Annotated[
        Options | None,
        Says("for a text or a ranked list, words that mean the same", "synonyms: lists/diagnoses", "none"),
    ] = None
    range: Annotated[
        Annotated[list[Finite], Field(min_length=2, max_length=2)] | None,
        Says("for a number or a confidence, the lowest and highest value", "range: [0, 100]", "any number"),
    ] = None
    unit: Annotated[ShortText | None, Says("for a number, its unit", "unit: mm", "none")] = None
    at_most: Annotated[
        Annotated[int, Field(ge=1, le=50)] | None,
        Says("for several options or a ranked list, the most that can be given", "at_most: 3", "any number"),
    ] = None
    steps: Annotated[
        Annotated[int, Field(ge=2, le=100)] | None,
        Says("for a confidence, the number of steps; a numeric confidence has a `range` instead", "steps: 5"),
    ] = None
    # The probability that each step of a confidence stands for; without it there is no Brier score.
    means: Annotated[
        list[Annotated[float, Field(ge=0.0, le=1.0)]] | None,
        Says(
            "for a confidence in steps, the probability that each stands for",
            "means: [0.1, 0.5, 0.9]",
            "no Brier score",
        ),
    ] = None
    about: Annotated[
        Key | None, Says("for a confidence, the field that it is about", "about: diagnosis", "the primary field")
    ] = None
    partly: Annotated[
        ShortText | None,
        Says("for a correctness, the text of a third option", "partly: Partly correct", "no such option"),
    ] = None
    excluded: Annotated[
        ShortText | None,
        Says(
            "for a correctness, the text of an option that is excluded from the denominator",
            "excluded: Cannot be scored",
            "no such option",
        ),
    ] = None


AnyField = Annotated[
    AuthoredField, BeforeValidator(under_key("type"), json_schema_input_type=FieldType | AuthoredField)
]

Fields = Annotated[dict[Key, AnyField], Field(min_length=1)]


class AuthoredAttribute(Part):
    """A column of cases, items, candidates or raters that the study declares."""

    type: Annotated[AttributeType, Says("the type of its values", "type: number")]
    options: Annotated[
        Options | None, Says("for a choice or a scale, written as for a field", "options: [open, closed]")
    ] = None
    range: Annotated[
        Annotated[list[Finite], Field(min_length=2, max_length=2)] | None,
        Says("for a number, the lowest and highest value", "range: [0, 60]", "any number"),
    ] = None
    # Bounds of the levels into which tables divide a number.
    bins: Annotated[
        Annotated[list[Finite], Field(max_length=20)],
        Says(
            "for a number, the bounds of the levels into which tables, `by` and `compare` divide it; a bound belongs "
            "to the level above it",
            "bins: [5, 10]",
            "each number is a level",
        ),
    ] = []
    label: Annotated[
        ShortText | None,
        Says(
            "its heading where raters are shown it, and where admins enter it for a rater",
            "label: AI opinion",
            "its name in words",
        ),
    ] = None
    # It determines the reference: anyone who is shown it has been told the reference.
    tells: Annotated[
        Literal["reference"] | None,
        Says(
            "that the column gives away the reference, so that showing it counts as showing the reference",
            "tells: reference",
            "it tells only of the subject, item or candidate of its row",
        ),
    ] = None


AnyAttribute = Annotated[
    AuthoredAttribute, BeforeValidator(under_key("type"), json_schema_input_type=AttributeType | AuthoredAttribute)
]


class AuthoredAttributes(Part):
    """Declared columns, by table."""

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
