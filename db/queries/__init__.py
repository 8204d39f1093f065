"""Named read queries, in files by what they read. None that serves a reading phase is in `references`."""

from db.queries.assignments import (
    count_assignments,
    count_by_member,
    displays_of,
    is_done,
    last_assignment,
    members_with_open,
    open_assignments,
    review_task_of,
)
from db.queries.references import (
    reference_for_forms_that_show_it,
    reference_of_practice_item,
)
from db.queries.shown import (
    ShownItem,
    ShownOverlay,
    ShownVolume,
    candidate_answer,
    count_items,
    protocol_json,
    shown_item,
    shown_overlays,
    shown_volumes,
    turns_before,
    volume_files,
)
from db.queries.verdicts import (
    EarlierTurn,
    earlier_turns,
    flag_of,
    root_verdict,
    standing_verdicts,
    stands,
    verdict_chain,
)

__all__ = [
    "EarlierTurn",
    "ShownItem",
    "ShownOverlay",
    "ShownVolume",
    "candidate_answer",
    "count_assignments",
    "count_by_member",
    "count_items",
    "displays_of",
    "earlier_turns",
    "flag_of",
    "is_done",
    "last_assignment",
    "members_with_open",
    "open_assignments",
    "protocol_json",
    "reference_for_forms_that_show_it",
    "reference_of_practice_item",
    "review_task_of",
    "root_verdict",
    "shown_item",
    "shown_overlays",
    "shown_volumes",
    "standing_verdicts",
    "stands",
    "turns_before",
    "verdict_chain",
    "volume_files",
]
