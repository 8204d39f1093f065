"""What may reach a rater's or reviewer's browser: payloads are built here and nowhere else.

Every payload is built key by key from an allow-list, and this folder is that allow-list: `items` builds what is shown
to be answered, `hanging` its images, `opinions` what others answered, and `progress` how far a member is. No row is
ever copied as a whole, so a new column of a table stays hidden until somebody lets it through here.
"""

from __future__ import annotations

from services.reading.blinding.items import (
    Desk,
    Shown,
    attribute_lines,
    context_payload,
    form_payload,
    item_payload,
    judged_payload,
    text_payload,
    words_payload,
)
from services.reading.blinding.opinions import (
    opinion_lines,
    opinions_payload,
    own_flag_lines,
    sides_in_words,
    with_opinions,
)
from services.reading.blinding.progress import (
    ahead_payload,
    done_payload,
    draft_payload,
    feedback_payload,
    next_payload,
    practice_payload,
    prompt_of_turn,
    revisable_payload,
    revision_payload,
    summary_payload,
    turn_payload,
)

__all__ = [
    "Desk",
    "Shown",
    "ahead_payload",
    "attribute_lines",
    "context_payload",
    "done_payload",
    "draft_payload",
    "feedback_payload",
    "form_payload",
    "item_payload",
    "judged_payload",
    "next_payload",
    "opinion_lines",
    "opinions_payload",
    "own_flag_lines",
    "practice_payload",
    "prompt_of_turn",
    "revisable_payload",
    "revision_payload",
    "sides_in_words",
    "summary_payload",
    "text_payload",
    "turn_payload",
    "with_opinions",
    "words_payload",
]
