"""A member's answers as they are shown: without a name to those who decide on them, the flag to the author alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from protocol.fields.pixels import WITH_SCALE, Places
from protocol.seen import COMMENT_LABEL, NOT_ASSESSABLE_LABEL
from services.reading.answers import ShownForm
from services.reading.payloads import ItemPayload, Line, OpinionPayload, OpinionsPayload
from services.reading.words_in_payloads import answer_text, opinion_name


def with_opinions(payload: ItemPayload, own: list[Line], opinions: list[list[Line]]) -> OpinionsPayload:
    """Add to an item what a reviewer decides on: their own first read, and the raters' opinions as A, B ..."""
    return {**payload, "own": own, "opinions": opinions_payload(opinions)}


def opinions_payload(opinions: list[list[Line]], *, of_a_pair: bool = False) -> list[OpinionPayload]:
    """Return others' answers as A, B ... in the order drawn for this assignment, without any hint of who they are.

    For a pair they are numbered 1, 2 ..., because A and B are its answers.
    """
    return [
        {"name": str(place + 1) if of_a_pair else opinion_name(place), "lines": lines}
        for place, lines in enumerate(opinions)
    ]


def sides_in_words(*, exchanged: bool) -> Line:
    """Return what A and B mean in the words of an opinion on a pair, whose sides were drawn anew for its author."""
    return ["A and B in their words", "Their A is B here" if exchanged else "As here"]


def opinion_lines(
    form: ShownForm,
    fields: Mapping[str, Any],
    not_assessable: str | None,
    comment: str,
    places: Places = WITH_SCALE,
) -> list[Line]:
    """Return an answer as labels and texts as a reviewer sees it; a place is given as at the crosshair."""
    if not_assessable is not None:
        lines = [[NOT_ASSESSABLE_LABEL, dict(form.not_assessable).get(not_assessable, not_assessable)]]
    else:
        lines = [
            [field.label, answer_text(field, fields[field.key], places)] for field in form.fields if field.key in fields
        ]
    return lines + ([[COMMENT_LABEL, comment]] if comment else [])


def own_flag_lines(form: ShownForm, flag: tuple[str, str] | None) -> list[Line]:
    """Return the kind and note of the flag on the reader's own verdict; nobody else is shown it."""
    if flag is None:
        return []
    kind, note = flag
    words = dict(form.flags).get(kind, kind)
    return [["Flag", f"{words} ({note})" if note else words]]
