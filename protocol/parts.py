"""What every part of a protocol is made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Key = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
ShortText = Annotated[str, Field(min_length=1, max_length=200)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


class Part(BaseModel):
    """Base of every part of a protocol: immutable, and no unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def require_rising(what: str, window: tuple[float, float]) -> None:
    """Refuse two numbers of which the second is not above the first; `what` begins the sentence."""
    low, high = window
    if low >= high:
        raise ValueError(f"{what} is {low:g} to {high:g}, expected two rising numbers")
