"""The building blocks of every part of a protocol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

Key = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
ShortText = Annotated[str, Field(min_length=1, max_length=200)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


def _storable(value: int) -> int:
    if not -(2**63) <= value < 2**63:
        raise ValueError(f"found {value}, expected a whole number of at most 64 bits")
    return value


# Whole numbers that every database can hold.
FromZero = Annotated[int, Field(ge=0), AfterValidator(_storable)]
FromOne = Annotated[int, Field(ge=1), AfterValidator(_storable)]


class Part(BaseModel):
    """Base class of every part of a protocol: immutable, and without unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def require_rising(what: str, window: tuple[float, float]) -> None:
    """Raise ValueError unless the second number is above the first; `what` begins the message."""
    low, high = window
    if low >= high:
        raise ValueError(f"{what} is {low:g} to {high:g}, expected two rising numbers")


@dataclass(frozen=True)
class Says:
    """The description of a key, with an example; printed in the reference of keys and shown by editors.

    Attributes
    ----------
    text
        What the key is, as a phrase that starts in lower case.
    example
        The key with a value, as written in a protocol.
    without
        What applies without the key, if its default is not a value that could be written there.
    """

    text: str
    example: str
    without: str = ""

    def __get_pydantic_json_schema__(self, core: Any, handler: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        return {**handler(core), "description": f"{self.text[0].upper()}{self.text[1:]}, as in: {self.example}"}
