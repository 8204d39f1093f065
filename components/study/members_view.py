"""The members of a study: their progress, invitations, and what goes to the reviewers."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from components.notice import notify
from components.session import current_actor, database
from components.study.invitations import draw_invitations
from services.adjudication import review_queue
from services.errors import Refused
from services.progress.overview import percent_done
from services.reading import member_progress
from services.reading.member_progress import MemberProgress
from services.studies.catalogue import StudyLine


def draw_members(line: StudyLine) -> None:
    """Draw progress (without any answers) and the forms that invite."""
    progress = member_progress.progress_of_members(database(), current_actor(), line.key)
    if progress:
        st.dataframe(
            _progress_table(progress),
            hide_index=True,
            width="stretch",
            column_config={
                "done": st.column_config.ProgressColumn("done", min_value=0, max_value=100, format="%d %%"),
            },
        )
    else:
        st.info("Nobody is invited yet.")
    _draw_queue_button(line, progress)
    draw_invitations(line)


def _progress_table(progress: list[MemberProgress]) -> pd.DataFrame:
    table = pd.DataFrame(
        [
            (
                member.pseudonym,
                member.name,
                member.queue.done_as,
                percent_done(member.done, member.total) if member.total else None,
                member.count_in_words,
                member.technical_failures,
                f"{member.last_saved:%Y-%m-%d %H:%M}" if member.last_saved else "–",
            )
            for member in progress
        ],
        columns=["pseudonym", "name", "what", "done", "count", "technical failures", "last saved (UTC)"],
    )
    # Before the freeze nobody has any work, so the column would have empty cells instead of bars.
    if not any(member.total for member in progress):
        table = table.drop(columns="done")
    if any(member.group for member in progress):
        table.insert(2, "group", [member.group or "–" for member in progress])
    # Most studies have neither, and an empty column only takes up space.
    if any(member.revised for member in progress):
        table["revised"] = [member.revised for member in progress]
    if any(member.practice for member in progress):
        table["practice"] = [member.practice or "–" for member in progress]
    return table


def _draw_queue_button(line: StudyLine, progress: list[MemberProgress]) -> None:
    if line.state != "open" or not any(member.role == "reviewer" for member in progress):
        return
    st.button(
        "Send flagged and disagreeing items to the reviewers",
        on_click=_open_queue,
        args=(line.key,),
        help="Only items that every rater has finished are sent; press again later for the rest.",
    )


def _open_queue(study_key: str) -> None:
    try:
        notify("done", review_queue.open_review_queue(database(), current_actor(), study_key).in_words)
    except Refused as refusal:
        notify("error", str(refusal))
