"""Comparing the prompts of one judge: their texts, and how the verdicts changed."""

from __future__ import annotations

import streamlit as st

from components.session import database
from services.people.identity import Actor
from services.report.calibration import Calibration
from services.report.calibration.prompts import ChangeOfPrompt, changes_of_prompts


def draw_prompts(actor: Actor, shown: Calibration, stamp: str) -> None:
    """Draw each change of prompt among the chosen runs; nothing if no judge has two prompts."""
    labels = tuple(line.name for line in shown.labels)
    changes = _changes(actor, shown, shown.study_key, shown.field, shown.runs, labels, stamp)
    if not changes:
        return
    with st.expander("Prompts: what changed in their texts, and in the verdicts"):
        for change in changes:
            st.markdown("  \n".join(change.verdicts))
            if change.said:
                st.caption(change.said)
            elif change.texts:
                st.code(change.texts, language="diff", wrap_lines=True)


@st.cache_data(max_entries=6, show_spinner="Comparing prompts ...")
def _changes(
    _actor: Actor,
    _shown: Calibration,
    study_key: str,
    field: str,
    runs: tuple[str, ...],
    labels: tuple[str, ...],
    stamp: str,
) -> list[ChangeOfPrompt]:
    """Compare the prompts once for each state of the data. Only people who may see the data are given the stamp."""
    return list(changes_of_prompts(database(), _actor, _shown))
