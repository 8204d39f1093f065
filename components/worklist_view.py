"""A rater's or reviewer's worklist: one card per queue."""

from __future__ import annotations

import streamlit as st

from components.frame import script_of
from components.problems import plain
from services.reading.worklist import Desk


def draw_worklist(desks: list[Desk], *, left: bool = False) -> None:
    """Draw every queue with its progress and a button to enter it.

    Parameters
    ----------
    left
        Whether this person was a member of a study and is in none any more.
    """
    if not desks and left:
        st.info("You are no longer a member of a study. If you did not expect this, ask the study's admin.")
    elif not desks:
        st.info("There is nothing for you to read yet. Your items will appear here as soon as a study opens.")
    for desk in desks:
        with st.container(border=True, width=900, key=f"desk-{desk.study_key}-{desk.queue.key}"):
            _draw_desk(desk)


def _draw_desk(desk: Desk) -> None:
    left, right = st.columns([4, 1], vertical_alignment="center")
    with left:
        st.markdown(f"**{plain(desk.queue.title)}** · {plain(desk.study_title)}")
        if desk.simulated_readers:
            st.caption("Simulated readers: the verdicts of this copy were made by a program.")
        if desk.total:
            st.progress((desk.done - desk.cut_off) / desk.total, text=plain(progress_text(desk)))
        else:
            st.caption(plain(_nothing_yet(desk)))
    with right:
        if desk.can_be_entered and st.button(
            "Start" if desk.done == 0 else "Continue",
            key=f"enter-{desk.study_key}-{desk.queue.key}",
            type="primary",
            icon=":material/arrow_forward:",
            width="stretch",
        ):
            _enter(desk)
        if desk.revisable and st.button(
            "Look at your items",
            key=f"look-{desk.study_key}-{desk.queue.key}",
            help="Your verdicts can still be revised.",
            width="stretch",
        ):
            _enter(desk, earlier="1")


def _enter(desk: Desk, **more: str) -> None:
    st.switch_page(script_of("reading"), query_params={"study": desk.study_key, "phase": desk.queue.key, **more})


def progress_text(desk: Desk) -> str:
    """Return somebody's progress in a queue, what is left, and roughly how long that takes."""
    if desk.practice == "failed":
        return "You did not pass the practice and have no attempts left; the study's admin can see this."
    if desk.practice == "open" and desk.state == "open":
        opens = "once you pass it" if desk.has_mark else "once all of it is done"
        return f"Practice first: {desk.done} of {desk.total} done. The {desk.queue.unit}s open {opens}."
    if desk.cut_off:
        return f"{desk.total - desk.cut_off} of {desk.total} done. This part is closed; nothing more is needed."
    if desk.is_shut and desk.state == "open":
        return f"{desk.done} of {desk.total} done. {desk.waits_for}" if desk.done else desk.waits_for
    if desk.done == desk.total:
        return f"All {desk.total} done. Thank you."
    if desk.state == "closed":
        return f"{desk.done} of {desk.total} done. This study is closed; nothing more is needed."
    text = ", ".join(part for part in (f"{desk.done} of {desk.total} done", _left(desk), desk.about) if part)
    return f"{text}. {desk.waits_for}" if desk.waits_for else text


def _left(desk: Desk) -> str:
    left = f"{desk.queue.counted(desk.total - desk.done)} {desk.queue.to_do}"
    # These are quick to finish: they are shown once more with further information, with or without a question.
    return f"{left} ({desk.halfway} of them answered, and shown once more)" if desk.halfway else left


def _nothing_yet(desk: Desk) -> str:
    if desk.state == "draft":
        return "This study is not open yet."
    if desk.state == "closed":
        return "This study is closed; nothing more is needed."
    return desk.nothing
