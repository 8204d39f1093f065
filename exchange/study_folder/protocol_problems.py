"""Problems with a protocol's keys, in our own words instead of the validator's."""

from __future__ import annotations

import reprlib
import types
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import islice
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from exchange.refusal import Problems, nearest, shown
from exchange.study_folder.written_places import place_of
from protocol.language.authored_plan import AuthoredCriterion, AuthoredEstimate
from protocol.language.criteria import cannot_hold

# What is allowed under keys that take several kinds of value.
_EITHER = {"start": "middle, or a point in mm as [12, -30, 8]"}
_PATTERNS = {
    "name": "at most 60 lower-case letters, digits and hyphens, beginning with a letter or digit",
    "": "at most 40 lower-case letters, digits and _, beginning with a letter",
    "field": "PHASE.FIELD, the keys of a phase and of a field of it, as read.answer",
    "size": "a number of units from 1 to 9,999,999, a share as 20 % (0 % for none), or all",
}
_KINDS = {
    "string": "text; put it in quotes",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "list": "a list, as [a, b]",
    "tuple": "a list, as [a, b]",
    "dict": "keys and values below it",
    "model": "keys and values below it",
    "mapping": "keys and values below it",
}
_SYNONYMS = ", or keys below it, as {text: Stroke, synonyms: [infarct, ischaemia]}"
# The number of keys named of a mapping that should be something else.
_MOST_KEYS = 4
_CRITERIA, _BOUNDS = ("analysis", "criteria"), ("above", "below")
# The keys of a plan's line that only criteria have.
_OF_CRITERIA = AuthoredCriterion.model_fields.keys() - AuthoredEstimate.model_fields.keys()


def add_problems(
    problems: Problems,
    error: ValidationError,
    model: type[BaseModel],
    file: str,
    known: set[tuple[str, ...]],
    document: Any,
) -> None:
    """Note every problem of a protocol, except those under keys that are already noted.

    `document` is the parsed YAML of the file, used to translate places in the model to where the author finds them.
    """
    said = set()
    for detail in error.errors(include_url=False):
        path = tuple(str(part) for part in _without_kinds(detail["loc"]))
        if path in said or any(path[: len(key)] == key for key in known):
            continue
        if path[:2] == _CRITERIA and path[-1] in _BOUNDS and (held := _not_held(path, document)):
            # A bound within range would be just as wrong.
            path = (*path[:-1], "estimate")
            if path not in said:
                said.add(path)
                problems.add(file, place_of(path, document), held)
            continue
        either = len(path) < len(detail["loc"]) and path and _EITHER.get(path[-1])
        if either:
            # A value that fits none of several kinds is one problem, not one per kind.
            said.add(path)
            says = f"found {_abbreviated(detail['input'])}, expected {either}; {_correct(detail)}."
        else:
            says = _said(dict(detail), path, model)
        problems.add(file, place_of(path, document), says)


def _not_held(path: Sequence[str], document: Any) -> str:
    """Return why a criterion with a wrong bound could not be valid with any bound; empty if it could."""
    at = document
    for part in path[:-1]:
        if isinstance(at, list) and part.isdigit() and int(part) < len(at):
            at = at[int(part)]
        else:
            at = at.get(part) if isinstance(at, Mapping) else None
    estimate = at.get("estimate") if isinstance(at, Mapping) else None
    return cannot_hold(estimate) if isinstance(estimate, str) else ""


def places_of(error: ValidationError) -> set[tuple[str, ...]]:
    """Return the keys under which something is wrong."""
    return {tuple(str(part) for part in _without_kinds(detail["loc"])) for detail in error.errors(include_url=False)}


def _without_kinds(loc: tuple[int | str, ...]) -> Iterator[int | str]:
    """Leave out the parts that pydantic adds for the kinds of value it tried."""
    for part in loc:
        if isinstance(part, str) and part.startswith(("literal[", "tuple[", "function-")):
            return
        # This marks that a key of a mapping is wrong, not its value.
        if part != "[key]":
            yield part


def _said(error: dict[str, Any], path: tuple[str, ...], model: type[BaseModel]) -> str:
    if error["type"] == "missing":
        return "it is missing; add it."
    if error["type"] == "extra_forbidden":
        names = _keys_at(model, path[:-1])
        if path[-1] in _OF_CRITERIA and "estimate" in names:
            return f"{path[-1]} is a key of a criterion; list the line under analysis.criteria, with a key of its own."
        return f"there is no such key{nearest(path[-1], names)}, expected {', '.join(names)}; correct or remove it."
    if error["type"] == "model_type" and (names := _keys_at(model, path)):
        word = error["input"]
        # The key of a single entry in place of the whole mapping: its content is missing.
        like = f"{{{word}: ...}}" if word in names else "{key: value}"
        return f"found {_abbreviated(word)}, expected keys below it ({', '.join(names)}); write {like}."
    return f"{_found_and_expected(error, path)}; {_correct(error)}."


def _correct(error: Mapping[str, Any]) -> str:
    """Return what to do, depending on whether a key's name or its value is wrong."""
    if "[key]" in error["loc"]:
        return "correct the key"
    return "correct it" if isinstance(error["input"], dict | list) else "correct the value"


def _found_and_expected(error: dict[str, Any], path: tuple[str, ...]) -> str:
    kind, context = error["type"], error.get("ctx", {})
    value = _abbreviated(error["input"])
    if kind == "value_error":
        return str(error["msg"]).removeprefix("Value error, ")
    if kind == "literal_error":
        expected = str(context["expected"])
        near = nearest(str(error["input"]), expected.replace(" or ", ", ").replace("'", "").split(", "))
        return f"found {value}, expected {expected}{near}"
    if kind == "string_pattern_mismatch":
        # A percentage can contain a dot too, so it is looked for first.
        of = "size" if "%" in context["pattern"] else "field" if r"\." in context["pattern"] else ""
        return f"found {value}, expected {_PATTERNS['name' if path == ('name',) else of]}"
    if kind == "string_too_short" or (kind == "string_type" and error["input"] is None):
        return "it is empty, expected text"
    if kind == "string_too_long":
        return f"it has {len(error['input'])} letters, at most {context['max_length']} are taken"
    if kind in ("too_short", "too_long"):
        bound = f"at least {context.get('min_length')}" if kind == "too_short" else f"at most {context['max_length']}"
        return f"it has {context['actual_length']} entries, expected {bound}"
    bounds = {"gt": "more than", "ge": "at least", "lt": "less than", "le": "at most"}
    for name, words in bounds.items():
        if kind.startswith(("greater_than", "less_than")) and name in context:
            return f"found {value}, expected {words} {context[name]:g}"
    if kind == "finite_number":
        return f"found {value}, expected a finite number"
    if isinstance(error["input"], bool) and kind == "string_type":
        return f"found {value}, which is how YAML reads yes, no, on and off; put it in quotes"
    if "options_by" in path and kind in ("string_type", "list_type"):
        return f"found {value}, expected a list of ids of the field's own options, which say the texts there"
    if kind == "string_type" and isinstance(error["input"], list | dict):
        # Not in quotes, or it would read as one text with brackets.
        return f"found {value}, expected text" + (_SYNONYMS if "synonyms" in path else "")
    expected = next((words for begins, words in _KINDS.items() if kind.startswith(begins)), "")
    return f"found {value}, expected {expected}" if expected else f"found {value}: {error['msg']}"


def kind_in_words(value: Any) -> str:
    """Return the kind of a YAML value, in the words of its author."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, date):
        return "a date"
    if isinstance(value, Mapping):
        return "keys and values"
    return "a list" if isinstance(value, list) else "text"


def _abbreviated(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        keys = [shown(str(key), 20) for key in islice(value, _MOST_KEYS)]
        more = ", ..." if len(value) > _MOST_KEYS else ""
        return f"keys and values ({', '.join(keys)}{more})" if keys else "{}"
    if isinstance(value, list) and any(isinstance(entry, Mapping) for entry in value):
        return "a list of one entry with keys" if len(value) == 1 else f"a list of {len(value)} entries, some with keys"
    # A few lines of YAML can produce a value whose full text would fill the memory.
    text = reprlib.repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _keys_at(model: type[BaseModel], path: tuple[str, ...]) -> list[str]:
    """Return the keys allowed at a place of the protocol."""
    at: Any = model
    for part in path:
        at = _below(at, part)
    at = _model_in(at)
    return [field.alias or name for name, field in at.model_fields.items()] if at is not None else []


def _below(at: Any, part: str) -> Any:
    model = _model_in(at)
    fields = {} if model is None else {field.alias or name: field for name, field in model.model_fields.items()}
    if part in fields and get_origin(_bare(at)) not in (list, dict):
        return fields[part].annotation
    bare = _bare(at)
    return get_args(bare)[-1] if get_origin(bare) in (list, dict) else Any


def _bare(annotation: Any) -> Any:
    """Return an annotation without its constraints and without `None`."""
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        elif get_origin(annotation) in (Union, types.UnionType):
            annotation = next(member for member in get_args(annotation) if member is not type(None))
        else:
            return annotation


def _model_in(annotation: Any) -> type[BaseModel] | None:
    bare = _bare(annotation)
    return bare if isinstance(bare, type) and issubclass(bare, BaseModel) else None
