"""Where judge and people differ: the answers themselves, to show what is behind a figure."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.session import database
from services import report
from services.people.identity import Actor
from services.report.calibration import exports
from services.report.calibration.differing import Differing, differing_in, table_of

_AT_ONCE = 10


def draw_differing(
    actor: Actor, study_key: str, field: str, runs: Sequence[str], labels: tuple[str, ...], stamp: str
) -> None:
    """Offer the candidates on which a run disagrees with somebody, one page at a time, with all texts."""
    with st.expander("Where judge and people differ"):
        if not st.toggle("Show the answers", key=f"differing-{field}"):
            return
        run = st.selectbox("Run", runs, key=f"differing-run-{field}")
        labelled, rows = _differing(actor, study_key, field, run, labels, stamp)
        all_see = sum(row.against == 1.0 for row in rows)
        st.caption(
            f"{len(rows)} of the {labelled} answers with human verdicts; for {all_see} of them every human verdict "
            "differs from the judge's, and these come first. The whole list is among the files below."
        )
        if not rows:
            return
        pages = -(-len(rows) // _AT_ONCE)
        page = st.number_input("Page", 1, pages, key=f"differing-page-{field}-{run}") if pages > 1 else 1
        start = (int(page) - 1) * _AT_ONCE
        st.html(report.table_markup(table_of(rows[start : start + _AT_ONCE])))


@st.cache_data(max_entries=6, show_spinner="Comparing answers ...")
def _differing(
    _actor: Actor, study_key: str, field: str, run: str, labels: tuple[str, ...], stamp: str
) -> tuple[int, list[Differing]]:
    """Read them once for each state of the data. Only people who may see the data are given the stamp."""
    exported = exports.read_exported(database(), _actor, study_key, field, [run], labels)
    (judge,) = (party for party in exported.parties if party.kind == "judge")
    return len(exported.labelled), differing_in(exported, judge)
