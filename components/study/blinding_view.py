"""The blinding audits of a study as its admins see them: the last one's date and result, and the command."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from components.session import command_to_copy, current_actor, database
from components.study.verification_view import spoken_age
from services.record.blinding_audit import auditing
from services.record.blinding_audit.auditing import LastAudit
from services.studies.catalogue import StudyLine


def draw_last_audit(line: StudyLine) -> None:
    """Draw when the study's blinding was last audited, and with what result."""
    last = auditing.last_audit(database(), current_actor(), line.key)
    if last is not None and not last.holds:
        st.error(last_audit(last), icon=":material/visibility:")
    elif last is not None and not last.of_now:
        st.warning(last_audit(last), icon=":material/visibility:")
    else:
        st.markdown(last_audit(last))
    if last is not None and last.leaks:
        st.caption(last.advice)
    if last is not None and last.repeated:
        st.caption(last.repeated_in_words)
    st.caption(f"On the command line: `{command_to_copy(f'blinding-audit {line.key}')}`")


def last_audit(last: LastAudit | None, at: datetime | None = None) -> str:
    """Return the line about the last audit: its date, its age and its result."""
    if last is None:
        return "Blinding not audited yet: the audit searches every screen of every rater for what they may not know."
    age = spoken_age((at or datetime.now(UTC)) - last.at)
    said = f"Blinding audited {last.at:%Y-%m-%d %H:%M} UTC ({age}). {last.sentence}"
    return said if last.of_now else f"{said} What is frozen now was frozen later, and is not audited yet."
