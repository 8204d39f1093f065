"""What somebody answered, as it is shown: nameless to those who decide on it, with their flag to themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from protocol.fields.pixels import WITH_SCALE, Places
from protocol.seen import COMMENT_LABEL, NOT_ASSESSABLE_LABEL
from services.reading.answers import ShownForm
from services.reading.payloads import ItemPayload, Line, OpinionPayload, OpinionsPayload
from services.reading.words_in_payloads import answer_text, opinion_name


def with_opinions(payload: ItemPayload, own: list[Line], opinions: list[list[Line]]) -> OpinionsPayload:
    """Add to an item what a reviewer decides on: the own first read, and the raters' opinions as A, B ... nameless."""
    return {**payload, "own": own, "opinions": opinions_payload(opinions)}


def opinions_payload(opinions: list[list[Line]], *, of_a_pair: bool = False) -> list[OpinionPayload]:
    """Return what others said as A, B ..., in the order that was drawn for it; nothing says who they are.

    Of a pair they are 1, 2 ...: its answers are A and B there.
    """
    return [
        {"name": str(place + 1) if of_a_pair else opinion_name(place), "lines": lines}
        for place, lines in enumerate(opinions)
    ]


def sides_in_words(*, exchanged: bool) -> Line:
    """Return what A and B mean in the words of an opinion on a pair, whose sides were drawn for its author anew."""
    return ["A and B in their words", "Their A is B here" if exchanged else "As here"]


def opinion_lines(
    form: ShownForm,
    fields: Mapping[str, Any],
    not_assessable: str | None,
    comment: str,
    places: Places = WITH_SCALE,
) -> list[Line]:
    """Return an answer as label and text, as it is shown to a reviewer; a place in the words of the crosshair."""
    if not_assessable is not None:
        lines = [[NOT_ASSESSABLE_LABEL, dict(form.not_assessable).get(not_assessable, not_assessable)]]
    else:
        lines = [
            [field.label, answer_text(field, fields[field.key], places)] for field in form.fields if field.key in fields
        ]
    return lines + ([[COMMENT_LABEL, comment]] if comment else [])


def own_flag_lines(form: ShownForm, flag: tuple[str, str] | None) -> list[Line]:
    """Return the flag of somebody's own verdict, kind and note, as label and text: it is shown to nobody else."""
    if flag is None:
        return []
    kind, note = flag
    words = dict(form.flags).get(kind, kind)
    return [["Flag", f"{words} ({note})" if note else words]]
