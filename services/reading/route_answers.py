"""What the server's routes answer the reading room, key by key; the payloads in them are those of `payloads`."""

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
    """The verdict is stored. `next` is None where what comes next could not be built."""

    receipt: str
    saved_at: str
    next: Payload | None
    feedback: NotRequired[FeedbackPayload]


class FailureAnswer(TypedDict):
    """That the images could not be shown is stored."""

    saved_at: str
    next: Payload | None


class DamageAnswer(TypedDict):
    """The damage is noted; there is nothing to be said about it."""


class RevisableAnswer(TypedDict):
    """The verdicts that may be revised, the last item first."""

    verdicts: list[RevisablePayload]


class ReopenAnswer(TypedDict):
    """The item that was opened again."""

    payload: AnyItemPayload


class ResumeAnswer(TypedDict):
    """What is on the desk."""

    payload: Payload


class ScansAnswer(TypedDict):
    """The images of the item on the screen, and what may be fetched ahead, at addresses that are good."""

    images: ImagesPayload | None
    prefetch: list[str]


class RefusedAnswer(TypedDict):
    """Why a request was refused: the field that is wrong, the newer draft's number, what is on the desk instead."""

    error: str
    field: NotRequired[str]
    sequence: NotRequired[int]
    next: NotRequired[Payload | None]
