"""What the server's routes return to the reading room, key by key; payloads in them are those of `payloads`."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from services.reading.payloads import AnyItemPayload, FeedbackPayload, ImagesPayload, Payload, RevisablePayload


class ShownAnswer(TypedDict):
    """The display is stored."""

    shown_at: str


class DraftAnswer(TypedDict):
    """The draft is stored."""

    sequence: int
    saved_at: str


class VerdictAnswer(TypedDict):
    """The verdict is stored. `next` is None if the next payload could not be built."""

    receipt: str
    saved_at: str
    next: Payload | None
    feedback: NotRequired[FeedbackPayload]


class FailureAnswer(TypedDict):
    """The failure to show the images is stored."""

    saved_at: str
    next: Payload | None


class DamageAnswer(TypedDict):
    """The damage has been noted; the response is empty."""


class RevisableAnswer(TypedDict):
    """The verdicts that may be revised, last item first."""

    verdicts: list[RevisablePayload]


class ReopenAnswer(TypedDict):
    """The item that was reopened."""

    payload: AnyItemPayload


class ResumeAnswer(TypedDict):
    """What is on the desk."""

    payload: Payload


class ScansAnswer(TypedDict):
    """The images of the item on the screen and what may be prefetched, at addresses that are currently valid."""

    images: ImagesPayload | None
    prefetch: list[str]


class RefusedAnswer(TypedDict):
    """Why a request was refused, with the field at fault, the newer draft's number, or what is on the desk instead.

    With `instructions` the page shows the instructions of the part, which have to be acknowledged first.
    """

    error: str
    field: NotRequired[str]
    sequence: NotRequired[int]
    instructions: NotRequired[bool]
    next: NotRequired[Payload | None]
