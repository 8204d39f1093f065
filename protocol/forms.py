"""Forms: the fields that are filled in for an item or a candidate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, model_validator

from protocol.fields import KINDS
from protocol.parts import Key, Part, Says, ShortText

# The field whose answer is compared with the reference and between raters.
PRIMARY = "answer"

if TYPE_CHECKING:
    FieldType = str
else:
    FieldType = Literal[tuple(KINDS)]


class Option(Part):
    """One answer that can be chosen: `id` is its canonical identity, and `text` is what is shown."""

    id: Annotated[
        str,
        Field(min_length=1, max_length=80),
        Says("its identity in answers, references and exported files", "id: left"),
    ]
    text: Annotated[ShortText, Says("the text that is shown", "text: On the left")]


class Dependence(Part):
    """Show a field only while another field holds one of these option ids."""

    field: Annotated[Key, Says("the key of the other field", "field: answer")]
    values: Annotated[
        list[str],
        Field(min_length=1),
        Says("the ids of that field's options for which this field is shown", "values: [left]"),
    ]


class FormField(Part):
    """One entry of a form.

    The `options` of a `choice` field may be empty; they then come from the item. `ordinal` fields list their options
    in rising order.
    """

    key: Annotated[
        Key,
        Says(
            "its name in answers and exported files; the field `answer` is compared with the reference", "key: answer"
        ),
    ]
    type: Annotated[FieldType, Says("the type of answer that it takes", "type: choice")]
    label: Annotated[ShortText, Says("its heading", "label: Which side?")]
    help: Annotated[str | None, Says("a sentence below the label", "help: As it is in the patient.", "no sentence")] = (
        None
    )
    required: Annotated[bool, Says("whether it has to be filled in", "required: no")] = True
    options: Annotated[
        list[Option],
        Says(
            "the options to choose from; those of a scale in rising order",
            "options: [{id: left, text: Left}, {id: right, text: Right}]",
            "those of the item, or none",
        ),
    ] = []
    shuffle: Annotated[
        bool,
        Says(
            "always `no`, as options in a form keep their order; the key is kept for stored protocols",
            "shuffle: no",
        ),
    ] = False  # Kept because stored protocols have it; `yes` is refused below.
    unit: Annotated[str | None, Says("the unit shown after a number", "unit: mm", "no unit")] = None
    minimum: Annotated[float | None, Says("the smallest number that is accepted", "minimum: 0", "no bound")] = None
    maximum: Annotated[float | None, Says("the largest number that is accepted", "maximum: 20", "no bound")] = None
    depends_on: Annotated[
        Dependence | None,
        Says(
            "a field above, and the answers to it for which alone this field is shown",
            "depends_on: {field: answer, values: [left]}",
            "it is always shown",
        ),
    ] = None

    @property
    def offered(self) -> list[Option]:
        """Return its own options, or else those of its type."""
        return self.options or [Option(id=option, text=text) for option, text in KINDS[self.type].own_options]

    @model_validator(mode="after")
    def _is_consistent(self) -> FormField:
        ids = [option.id for option in self.options]
        if self.shuffle:
            raise ValueError(
                f"field '{self.key}' has shuffle: true, but options in a form keep their order; "
                "for the options of items set reading.shuffle_options"
            )
        if len(ids) != len(set(ids)):
            raise ValueError(f"field '{self.key}' lists an option id twice; give every option its own id")
        if KINDS[self.type].scale == "ordinal" and len(ids) < 2:
            raise ValueError(f"field '{self.key}' is {self.type} and needs at least two options in rising order")
        if self.minimum is not None and self.maximum is not None and self.minimum > self.maximum:
            raise ValueError(f"field '{self.key}' has minimum {self.minimum} above maximum {self.maximum}")
        return self


class OptionsBy(Part):
    """The options that a field offers for each value of a field above; for any other value it offers none."""

    field: Key
    offered: dict[str, list[str]]


class PhaseField(FormField):
    """A field as a phase asks it, with the settings that only a protocol that lists its phases can give it.

    Kept apart from `FormField`, whose keys appear in stored protocols and in their hashes.

    Attributes
    ----------
    at_most
        The most options, or lines, that an answer may have.
    undetermined
        Whether a rater may abstain because the answer cannot be determined.
    options_by
        The field above that decides which options are offered.
    meanings
        The definition of each option, by its id.
    synonyms
        Groups of words that mean the same in a free-text answer, each with its id first and then its text.
    """

    at_most: int | None = None
    undetermined: bool = False
    options_by: OptionsBy | None = None
    meanings: dict[str, str] = {}
    synonyms: list[list[str]] = []

    @property
    def texts_of_synonyms(self) -> dict[str, str]:
        """The text of each group of synonyms, by its id."""
        return {group[0]: group[1] for group in self.synonyms if len(group) > 1}

    @staticmethod
    def of(field: FormField) -> PhaseField:
        """Return a field of the first language as a phase asks it."""
        return PhaseField.model_validate(dict(field))

    def offered_with(self, chosen: Sequence[str]) -> PhaseField | None:
        """Return the field with the options that go with what was chosen above, or None if it is not asked."""
        if self.options_by is None:
            return self
        fitting = {option for value in chosen for option in self.options_by.offered.get(value, ())}
        options = [option for option in self.options if option.id in fitting]
        return self.model_copy(update={"options": options}) if options else None


class Form(Part):
    """The fields that are filled in for one kind of item; `answer` is the field compared with the reference."""

    fields: Annotated[
        list[FormField],
        Field(min_length=1),
        Says("the fields, in order", "fields: [{key: answer, type: yes_no, label: Answer}]"),
    ]

    @property
    def primary(self) -> FormField:
        """The field whose answer is compared."""
        return next(field for field in self.fields if field.key == PRIMARY)

    @model_validator(mode="after")
    def _has_an_answer(self) -> Form:
        keys = [field.key for field in self.fields]
        if len(keys) != len(set(keys)):
            raise ValueError("a form names a field key twice; every field needs its own key")
        if "answer" not in keys:
            raise ValueError(
                "a form needs one field with the key 'answer', the one that is compared with the reference"
            )
        for place, field in enumerate(self.fields):
            if field.depends_on is not None and field.depends_on.field not in keys[:place]:
                raise ValueError(
                    f"field '{field.key}' depends on '{field.depends_on.field}', which is not a field above it"
                )
            if field.key != "answer" and KINDS[field.type].needs_options and not field.options:
                raise ValueError(f"field '{field.key}' is a {field.type} field without options; list them")
        return self
