"""Closing a study on its page, with the open work listed before the button."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from components.notice import notify
from components.session import current_actor, database
from services.errors import SHORTEST_REASON, Refused
from services.progress import data_lock, outstanding
from services.progress.outstanding import OpenWork
from services.reading import opening, settling
from services.studies.catalogue import StudyLine


def draw_closing(line: StudyLine) -> None:
    """Draw the open work and the button that locks the data or, for a closed study, the way to re-open it."""
    if line.state == "open":
        _draw_openings(line)
        _draw_phases(line)
        _draw_close(line)
    elif line.state == "closed":
        _draw_reopen(line)
    _draw_events(line)


def _draw_openings(line: StudyLine) -> None:
    """Draw the form that opens a phase which waits for an admin, if there is one that is not open."""
    phases = opening.phases_to_open(database(), current_actor(), line.key)
    if not phases:
        return
    st.markdown("These phases wait to be opened here, for everybody who works in them. This cannot be undone.")
    with st.container(width=560):
        st.selectbox("Phase to open", options=list(phases), format_func=lambda key: phases[key], key="phase-to-open")
        st.text_input(f"Reason for opening it now, at least {SHORTEST_REASON} characters", key="open-phase-reason")
        st.button("Open the phase", on_click=_open_phase, args=(line.key,))


def _draw_phases(line: StudyLine) -> None:
    """Draw the form that closes a phase which others wait for everybody to finish, if there is one that is open."""
    phases = settling.phases_to_close(database(), current_actor(), line.key)
    if not phases:
        return
    st.markdown(
        "Later phases wait until everybody is done with these. Closing a phase ends the waiting and draws what follows "
        "from its answers: what is unanswered in it stays unanswered, and none of its answers can be revised."
    )
    with st.container(width=560):
        st.selectbox("Phase", options=list(phases), format_func=lambda key: phases[key], key="phase-to-close")
        st.text_input(f"Reason for closing the phase, at least {SHORTEST_REASON} characters", key="close-phase-reason")
        st.button("Close the phase", on_click=_close_phase, args=(line.key,))


def _draw_close(line: StudyLine) -> None:
    actor = current_actor()
    work = outstanding.open_work_of(database(), actor, line.key)
    is_open = [entry for entry in work if entry.is_open]
    if is_open:
        people = len({entry.who for entry in is_open if entry.name})
        st.warning(
            f"There is open work{f' for {people} people' if people > 1 else ''}. Closing the study ends it: what is "
            "missing stays missing, and the report says so.",
            icon=":material/pending_actions:",
        )
    elif outstanding.is_anything_assigned(database(), actor, line.key):
        st.success("No open work: what was assigned is done, or its phase is closed.", icon=":material/task_alt:")
    else:
        st.info(
            "Nobody has been assigned anything yet: invite people before you close the study, or close it where all "
            "labels were made elsewhere."
        )
    if work:
        st.dataframe(_table(work), hide_index=True, width="stretch")
    remark = data_lock.remark_on_report(database(), actor, line.key)
    st.markdown(f"Closing is the data lock: no more verdicts are accepted, and the report opens. {remark}")
    with st.container(width=560):
        if is_open:
            st.text_input(
                f"Reason for closing with open work, at least {SHORTEST_REASON} characters",
                key="close-reason",
                placeholder="Stored with the study and shown in the report",
            )
        st.button("Close the study", type="primary", on_click=_close, args=(line.key,))


def _table(work: list[OpenWork]) -> pd.DataFrame:
    return pd.DataFrame(
        [(entry.who, entry.name or "–", entry.how_much) for entry in work],
        columns=["who", "name", "open work"],
    )


def _draw_reopen(line: StudyLine) -> None:
    st.markdown("The data are locked, and the report is open. With a reason, the study can accept verdicts again.")
    with st.container(width=560):
        st.text_input(f"Reason for re-opening the study, at least {SHORTEST_REASON} characters", key="reopen-reason")
        st.button("Re-open", on_click=_reopen, args=(line.key,))


def _draw_events(line: StudyLine) -> None:
    events = data_lock.events_of(database(), current_actor(), line.key)
    if not events:
        st.info("The study is not frozen yet, so there is nothing to close. Freeze it under *Freeze*.")
        return
    st.markdown("**Events so far**")
    st.dataframe(
        pd.DataFrame(
            [(f"{event.at:%Y-%m-%d %H:%M}", event.kind, event.reason or "–", event.by) for event in events],
            columns=["when (UTC)", "what", "reason", "by"],
        ),
        hide_index=True,
        width="stretch",
    )


def _open_phase(study_key: str) -> None:
    phase, reason = str(st.session_state["phase-to-open"]), str(st.session_state["open-phase-reason"])
    try:
        opening.open_phase(database(), current_actor(), study_key, phase, reason)
        st.session_state["open-phase-reason"] = ""
        notify("done", "Opened. Its people find it on their worklists.")
    except Refused as refusal:
        notify("error", str(refusal))


def _close_phase(study_key: str) -> None:
    phase, reason = str(st.session_state["phase-to-close"]), str(st.session_state["close-phase-reason"])
    try:
        title = settling.phases_to_close(database(), current_actor(), study_key).get(phase, phase)
        drawn = settling.close_phase(database(), current_actor(), study_key, phase, reason)
        # The list goes on to the next phase, which a second press must not close for this one's reason.
        st.session_state["close-phase-reason"] = ""
        units = f" Units drawn from its answers: {sum(drawn.values())}." if drawn else ""
        notify("done", f"“{title}” is closed: what is unanswered in it stays unanswered.{units}")
    except Refused as refusal:
        notify("error", str(refusal))


def _close(study_key: str) -> None:
    try:
        data_lock.close_study(database(), current_actor(), study_key, str(st.session_state.get("close-reason", "")))
        remark = data_lock.remark_on_report(database(), current_actor(), study_key)
        notify("done", f"Closed. The report is open now. {remark}")
    except Refused as refusal:
        notify("error", str(refusal))


def _reopen(study_key: str) -> None:
    try:
        data_lock.reopen_study(database(), current_actor(), study_key, str(st.session_state["reopen-reason"]))
        notify("done", "The study is open again; the reason is recorded.")
    except Refused as refusal:
        notify("error", str(refusal))
