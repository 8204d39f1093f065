"""A rater's or reviewer's worklist: one card per queue."""

from __future__ import annotations

import streamlit as st

from components.frame import PAGES, ROOM
from services.worklist import Desk

_WHAT = {"reading": "Read items", "scoring": "Mark answers", "review": "Adjudicate"}


def draw_worklist(desks: list[Desk]) -> None:
    """Draw every queue with its progress and the way into it."""
    if not desks:
        st.info("Nothing is waiting for you. You will find your items here as soon as a study opens.")
    for desk in desks:
        with st.container(border=True, width=900, key=f"desk-{desk.study_key}-{desk.queue}"):
            _draw_desk(desk)


def _draw_desk(desk: Desk) -> None:
    left, right = st.columns([4, 1], vertical_alignment="center")
    with left:
        st.markdown(f"**{_WHAT[desk.queue]}** · {desk.study_title}")
        if desk.simulated_readers:
            st.caption("Simulated readers: the verdicts of this copy were made by a program.")
        if desk.total:
            st.progress(desk.done / desk.total, text=_progress_text(desk))
        else:
            st.caption(_nothing_yet(desk))
    with right:
        if _can_enter(desk) and st.button(
            "Start" if desk.done == 0 else "Go on",
            key=f"enter-{desk.study_key}-{desk.queue}",
            type="primary",
            icon=":material/arrow_forward:",
            width="stretch",
        ):
            st.switch_page(PAGES / ROOM[0], query_params={"study": desk.study_key, "phase": desk.queue})


def _can_enter(desk: Desk) -> bool:
    return desk.state == "open" and not desk.waits_for_reads and desk.done < desk.total and desk.practice != "failed"


def _progress_text(desk: Desk) -> str:
    if desk.practice == "failed":
        return "The practice was not passed and no attempt is left; the study's admin sees this."
    if desk.practice == "open" and desk.state == "open":
        return f"Practice first: {desk.done} of {desk.total} done. The items open when it is passed."
    if desk.done == desk.total:
        return f"All {desk.total} done. Thank you."
    if desk.state == "closed":
        return f"{desk.done} of {desk.total} done. This study is closed; nothing more is needed."
    left = desk.total - desk.done
    text = f"{desk.done} of {desk.total} done, {left} left"
    return f"{text}. Opens when all your items are read." if desk.waits_for_reads else text


def _nothing_yet(desk: Desk) -> str:
    if desk.state == "draft":
        return "This study is not open yet."
    if desk.state == "closed":
        return "This study is closed; nothing more is needed."
    return "Your queue is empty; items appear here when there is something to decide."
