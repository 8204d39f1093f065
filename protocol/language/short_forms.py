"""Short forms that authors may write, normalised to one shape: a word for a list of one, a value for a mapping."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

from protocol.parts import Key


def under_key(key: str) -> Callable[[Any], Any]:
    """Return a function that wraps a bare text or list as `{key: ...}`."""

    def shaped(value: Any) -> Any:
        return value if isinstance(value, Mapping) else {key: value}

    return shaped


def as_list(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


def as_words(value: Any) -> Any:
    """Wrap a single text in a list; an empty text becomes an empty list."""
    return [] if value == "" else as_list(value)


def as_lists_of_words(value: Any) -> Any:
    return {key: as_words(said) for key, said in value.items()} if isinstance(value, Mapping) else value


Words = Annotated[list[str], BeforeValidator(as_words, json_schema_input_type=str | list[str])]

Keys = Annotated[list[Key], BeforeValidator(as_words, json_schema_input_type=Key | list[Key])]

Where = Annotated[
    dict[str, list[str]], BeforeValidator(as_lists_of_words, json_schema_input_type=dict[str, str | list[str]])
]
