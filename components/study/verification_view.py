"""A study's verification as its admins see it: the last one, and what failed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import streamlit as st

from components.session import current_actor, database
from services.errors import counted
from services.record import daily_verification
from services.record.daily_verification import VerificationState
from services.studies.catalogue import StudyLine

# The command line prints any further problems.
LINES = 5


def draw_alarm(line: StudyLine) -> None:
    """Draw at the top of the page what failed verification; nothing if everything is intact."""
    state = daily_verification.state_of_verification(database(), current_actor(), line.key)
    problems = [*state.damaged_volumes, *state.problems]
    if not problems:
        return
    more = [f"and {len(problems) - LINES} more"] if len(problems) > LINES else []
    listed = "".join(f"\n- {_plain(problem)}" for problem in [*problems[:LINES], *more])
    head = "**Part of this study has changed.** A scan can be restored from a backup; then verify again."
    st.error(f"{head}\n{listed}", icon=":material/gpp_bad:")


def draw_last_verification(line: StudyLine) -> None:
    """Draw when the study was last verified, and with what result."""
    st.markdown(last_verification(daily_verification.state_of_verification(database(), current_actor(), line.key)))


def last_verification(state: VerificationState, at: datetime | None = None) -> str:
    """Return the line about the last verification: its age and result."""
    parts = []
    if state.ended_at is None:
        parts.append("Not verified yet: the server verifies it within an hour, and then daily.")
    else:
        age = spoken_age((at or datetime.now(UTC)) - state.ended_at)
        result = counted(len(state.problems), "problem") if state.problems else "no problems"
        parts.append(f"Last verified {age}: {result}.")
    if state.under_way is not None:
        done, total = state.under_way
        parts.append(f"The next verification is running: {done} of {total} files.")
    return " ".join(parts)


def spoken_age(age: timedelta) -> str:
    """Return how long ago something was, in the largest unit that fits."""
    seconds = age.total_seconds()
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length:
            return f"{counted(int(seconds // length), unit)} ago"
    return "just now"


def _plain(text: str) -> str:
    """Return a text with Markdown's special characters escaped: keys may contain them."""
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]<>()#+!|~:$" else sign for sign in text)
