"""The expansion of a form's fields: labels, options, dependence on fields above, and the primary field."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from protocol.fields import KINDS, ranked
from protocol.language import expansion as expanded
from protocol.language.authored_fields import AuthoredField, AuthoredOption, AuthoredOptions
from protocol.seen import problems_of_labels, problems_of_options

SharedLists = Mapping[str, Sequence[AuthoredOption]]
EMPTY_LISTS: SharedLists = {}
Note = Callable[[Sequence[str], str], None]

# Types with built-in options, as id and text.
_OWN_OPTIONS: Mapping[str, tuple[tuple[str, str], ...]] = {
    **{kind.name: kind.own_options for kind in KINDS.values() if kind.own_options},
    "correctness": (("correct", "Correct"), ("incorrect", "Incorrect")),
    "preference": (("a", "A is better"), ("b", "B is better"), ("tie", "Equally good"), ("neither", "Neither")),
    "guess": (("person", "A person"), ("model", "A model"), ("unsure", "Cannot tell")),
    "resolution": (("keep", "Keep"), ("reword", "Reword"), ("remove", "Remove"), ("fix", "Fix the answer")),
}
_NEED_OPTIONS = tuple(kind.name for kind in KINDS.values() if kind.needs_options)
_RANKINGS = tuple(kind.name for kind in KINDS.values() if kind.scale == "ranking")
_SETS = tuple(kind.name for kind in KINDS.values() if kind.scale == "set")
_NOMINAL = tuple(kind.name for kind in KINDS.values() if kind.scale == "nominal")
_MEASURED = tuple(kind.name for kind in KINDS.values() if kind.scale == "interval")
# Types that are written in words, which can have synonyms.
_IN_WORDS = tuple(kind.name for kind in KINDS.values() if kind.scale in ("text", "ranking"))
# The option that counts as positive, by type.
_POSITIVE = {"yes_no": "yes", "correctness": "correct"}
# Keys that only some types take.
_ONLY_FOR: Mapping[str, tuple[str, ...]] = {
    "options": (*_NEED_OPTIONS, *_RANKINGS),
    "options_by": _NEED_OPTIONS,
    "range": (*_MEASURED, "confidence"),
    "unit": _MEASURED,
    "at_most": (*_RANKINGS, *_SETS),
    "steps": ("confidence",),
    "means": ("confidence",),
    "about": ("confidence",),
    "partly": ("correctness",),
    "excluded": ("correctness",),
    "positive": _NOMINAL,
    "synonyms": (*_IN_WORDS, "as_item"),
}


def listed_in(
    written: AuthoredOptions, lists: SharedLists, note: Note, place: Sequence[str]
) -> Sequence[AuthoredOption]:
    """Return the listed options, either in place or from the named shared list."""
    if written.shared is None:
        return written.listed
    if written.shared not in lists:
        note(place, f"there is no list 'lists/{written.shared}' beside the protocol; add the file.")
    return lists.get(written.shared, ())


def options_of(
    written: AuthoredOptions | None, lists: SharedLists, note: Note, place: Sequence[str]
) -> tuple[list[expanded.Option], str | None]:
    """Return the expanded options, and the name of the shared list that they come from."""
    if written is None:
        return [], None
    options = listed_in(written, lists, note, place)
    ids = [option.id for option in options]
    for option in written.listed:
        if option.synonyms:
            note(place, f"option '{option.id}' is chosen and not written; remove its synonyms.")
    for twice in sorted({option for option in ids if ids.count(option) > 1}):
        note(place, f"option '{twice}' is listed twice; give every option its own id.")
    listed = [
        expanded.Option(id=option.id, text=option.text, definition=option.definition, example=option.example)
        for option in options
    ]
    _note_alike(listed, note, place)
    return listed, written.shared


def _synonyms(
    asked: AuthoredField, lists: SharedLists, note: Note, place: Sequence[str]
) -> tuple[list[expanded.Synonyms], str | None]:
    """Return groups of synonyms, and the list that they come from; note words that are in two groups."""
    written = asked.synonyms
    if written is None:
        return [], None
    if asked.options is not None:
        note(place, "synonyms are of words that people write, and this field has options; remove one of the two.")
    answers = listed_in(written, lists, note, place)
    groups = [
        expanded.Synonyms(answer=answer.id, words=_words_for(answer.id, answer.text, answer.synonyms))
        for answer in answers
    ]
    claimed: dict[str, str] = {}
    for group in groups:
        for word in group.words:
            compared = KINDS["text"].canonical(word)
            if not compared:
                note(place, f"'{word}' among the words of '{group.answer}' says nothing; write the word, or remove it.")
                continue
            first = claimed.setdefault(compared, group.answer)
            if first != group.answer:
                note(
                    place,
                    f"'{word}' means both '{first}' and '{group.answer}'; leave it with one of them.",
                )
    return groups, written.shared


def _words_for(key: str, text: str, synonyms: Sequence[str]) -> list[str]:
    """Return the words for an answer: its id, then its text, even if that is the id, then others."""
    others = [word for word in dict.fromkeys(synonyms) if word not in (key, text)]
    return [key, text, *others] if others or text != key else [key]


def _note_alike(options: Sequence[expanded.Option], note: Note, place: Sequence[str]) -> None:
    for says in problems_of_options([(option.id, option.text) for option in options]):
        note(place, says)


def expand_fields(
    written: Mapping[str, AuthoredField], lists: SharedLists, note: Note, place: Sequence[str]
) -> list[expanded.Field]:
    """Return the fields of a form; the first that is not a confidence is primary unless another says that it is."""
    fields: list[expanded.Field] = []
    said_primary = [key for key, asked in written.items() if asked.primary]
    if len(said_primary) > 1:
        note(place, f"{' and '.join(said_primary)} are both primary; a form has one primary field.")
    primary = said_primary[0] if said_primary else _first_answer(written)
    for key, asked in written.items():
        fields.append(_field(key, asked, key == primary, fields, lists, note, (*place, key)))
    for key, says in problems_of_labels([(field.key, field.label) for field in fields]):
        note((*place, key, "label"), says)
    for key, asked in written.items():
        if asked.about is not None and asked.about not in written:
            note((*place, key, "about"), f"there is no field '{asked.about}' in this form; name one that is.")
    return fields


def _first_answer(written: Mapping[str, AuthoredField]) -> str:
    """Return the first field that is not a confidence, since a confidence is about another field."""
    return next((key for key, asked in written.items() if asked.type != "confidence"), next(iter(written)))


def _field(
    key: str,
    asked: AuthoredField,
    primary: bool,
    above: Sequence[expanded.Field],
    lists: SharedLists,
    note: Note,
    place: tuple[str, ...],
) -> expanded.Field:
    for name, types in _ONLY_FOR.items():
        if name in asked.model_fields_set and asked.type not in types:
            note((*place, name), f"a field of type {asked.type} takes no {name} ({', '.join(types)} do); remove it.")
    options, shared = options_of(asked.options, lists, note, (*place, "options"))
    if asked.type in _OWN_OPTIONS:
        options = [_plain(*own) for own in _OWN_OPTIONS[asked.type]]
        options += [_plain(name, text) for name in ("partly", "excluded") if (text := getattr(asked, name))]
        _note_alike(options, note, place)
    by = _options_by(asked, options, above, note, (*place, "options_by"))
    if by is not None and not options:
        options = [_plain(name, name) for name in dict.fromkeys(name for part in by.offered for name in part.options)]
        _note_alike(options, note, (*place, "options_by"))
    if asked.type in _NEED_OPTIONS and len(options) < 2:
        note(place, f"field '{key}' is {asked.type} and needs at least two options; list them.")
    for says in ranked.problems_of_ids([option.id for option in options]) if asked.type in _RANKINGS else ():
        note((*place, "options"), says)
    if asked.positive is not None and asked.positive not in [option.id for option in options]:
        note(
            (*place, "positive"), f"positive is '{asked.positive}', which is not one of the options; name one of them."
        )
    synonyms, synonym_list = _synonyms(asked, lists, note, (*place, "synonyms"))
    low, high = _limits(asked, note, place)
    return expanded.Field(
        key=key,
        type=asked.type,
        label=asked.label or key.replace("_", " ").capitalize(),
        help=asked.help or "",
        required=asked.required,
        primary=primary,
        when=_when(asked, above, note, (*place, "when")),
        options=options,
        shared_list=shared,
        options_by=by,
        positive=asked.positive or _POSITIVE.get(asked.type),
        synonyms=synonyms,
        synonym_list=synonym_list,
        minimum=low,
        maximum=high,
        unit=asked.unit,
        at_most=asked.at_most,
        steps=asked.steps,
        means=asked.means,
        about=asked.about or (_about(above) if asked.type == "confidence" else None),
        excluded="excluded" if asked.excluded else None,
        undetermined=False,
    )


def _plain(key: str, text: str) -> expanded.Option:
    return expanded.Option(id=key, text=text, definition="", example="")


def _about(above: Sequence[expanded.Field]) -> str | None:
    return next((asked.key for asked in above if asked.primary), None)


def _limits(asked: AuthoredField, note: Note, place: tuple[str, ...]) -> tuple[float | None, float | None]:
    """Return the smallest and largest number; a confidence in steps ranges from 1 to the number of steps."""
    if asked.type == "confidence" and (asked.steps is None) == (asked.range is None):
        note(place, "a confidence needs either steps (as 5) or range (as [0, 1]).")
    if asked.means is not None and len(asked.means) != (asked.steps or 0):
        note((*place, "means"), f"{len(asked.means)} means for {asked.steps or 0} steps; give one for each step.")
    if asked.steps is not None:
        return 1.0, float(asked.steps)
    if asked.range is None:
        return None, None
    low, high = asked.range
    if low >= high:
        note((*place, "range"), f"the range is {low:g} to {high:g}, expected two rising numbers; correct it.")
    return low, high


def _when(
    asked: AuthoredField, above: Sequence[expanded.Field], note: Note, place: tuple[str, ...]
) -> expanded.When | None:
    if asked.when is None:
        return None
    ((key, values),) = asked.when.items()
    _require_option_values(key, values, above, note, place)
    return expanded.When(field=key, values=list(values))


def _options_by(
    asked: AuthoredField,
    options: Sequence[expanded.Option],
    above: Sequence[expanded.Field],
    note: Note,
    place: tuple[str, ...],
) -> expanded.OptionsBy | None:
    if asked.options_by is None:
        return None
    ((key, offered),) = asked.options_by.items()
    _require_option_values(key, list(offered), above, note, place)
    ids = [option.id for option in options]
    for option in dict.fromkeys(option for part in offered.values() for option in part) if ids else ():
        if option not in ids:
            note(place, f"'{option}' is not one of the options of this field ({', '.join(ids)}); correct it or add it.")
    parts = [expanded.Offered(value=value, options=list(options)) for value, options in offered.items()]
    return expanded.OptionsBy(field=key, offered=parts)


def _require_option_values(
    key: str, values: Sequence[str], above: Sequence[expanded.Field], note: Note, place: tuple[str, ...]
) -> None:
    """Note a dependence on a field that is not above, or on a value that it cannot have."""
    field = next((field for field in above if field.key == key), None)
    if field is None:
        note(place, f"'{key}' is not a field above this one; a field can depend on those above it.")
        return
    ids = [option.id for option in field.options]
    for value in values if ids else ():
        if value not in ids:
            note(place, f"'{value}' is not one of the options of '{key}' ({', '.join(ids)}); correct the value.")
