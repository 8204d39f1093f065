"""The sealed test part: dividing the subjects before a judge is imported, and opening agreement on test later."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from components.notice import notify
from components.problems import plain
from components.session import current_actor, database, refusals
from services.errors import Refused
from services.judging import sealed_split
from services.judging.counted_verdicts import CountedVerdicts
from services.people.identity import Actor
from services.report import calibration
from services.studies.catalogue import StudyLine


def draw_split(line: StudyLine) -> None:
    """Show how a study's subjects are divided, or offer to divide them while nobody has seen anything."""
    actor = current_actor()
    split = sealed_split.split_of(database(), actor, line.key)
    if split is not None:
        st.info(split.in_words, icon=":material/lock_open:" if split.is_unsealed else ":material/lock:")
        return
    if line.state != "open" or not sealed_split.can_be_divided(database(), actor, line.key):
        return
    with st.expander("Seal a test part, before any judge is imported"):
        st.caption(
            "Subjects are divided once. What people answer about test subjects is missing from reports, files and "
            "figures, until you open agreement on them for a prompt that is final."
        )
        share = st.slider("Share of the items for test", 0.1, 0.9, sealed_split.USUAL_SHARE, 0.05, key="split-share")
        strata = st.text_input(
            "What is balanced between the two parts",
            key="split-strata",
            placeholder="category, format, an attribute of items",
        )
        names = [name.strip() for name in strata.split(",") if name.strip()]
        if st.button("Divide the subjects", icon=":material/lock:"):
            _act(lambda: _divided(line.key, share, names))


def draw_opening(
    actor: Actor,
    study_key: str,
    field: str,
    shown: tuple[tuple[str, ...], tuple[str, ...], str],
    stamp: str,
) -> None:
    """Offer to open agreement on test for a run's judge, and to unseal everything, each with a reason.

    The human verdicts shown on the page are those that count on test subjects. After unsealing, agreement can still be
    opened for a judge; without that nothing is certified. As it cannot be undone, the numbers that criteria depend on
    are said before.

    Parameters
    ----------
    shown
        The runs, imports of labels and basis that are shown.
    stamp
        Of the data.
    """
    runs, labels, basis = shown
    split = sealed_split.split_of(database(), current_actor(), study_key)
    if split is None:
        return
    lock = ":material/lock_open:" if split.is_unsealed else ":material/lock:"
    with st.expander("Test subjects: open agreement for a final prompt", icon=lock):
        by = CountedVerdicts(tuple(labels), basis).in_words
        st.caption(
            plain(
                f"{split.in_words} Agreement is opened for each prompt with figures and without rows, by the human "
                f"verdicts chosen above: {by}. From then on, only these count on test subjects, unless it is opened "
                "again by others."
            )
        )
        st.caption("Opening cannot be undone.")
        # Counted when asked for only: it reads all that is sealed, and a closed box is drawn too.
        if st.toggle("Count first what people labelled, and say what cannot pass for these numbers", key="open-counts"):
            with refusals():
                for said in _counts(actor, study_key, field, runs, labels, stamp):
                    st.caption(plain(said))
        run = st.selectbox("Run of the judge with that prompt", runs, key="open-run")
        reason = st.text_input("Reason, which is stored with the study", key="open-reason")
        if st.button("Open agreement on test"):
            _act(lambda: _opened(study_key, str(run), reason, labels, basis))
        if split.is_unsealed:
            return
        # Kept apart from the everyday action and not a single click: afterwards no prompt can be tested blind.
        sure = st.checkbox(
            "At the end of the study: bring all rows of test subjects back into reports and files, for good",
            key="unseal-sure",
        )
        if sure and st.button("Unseal all answers about test subjects"):
            _act(lambda: _unsealed(study_key, reason))


@st.cache_data(max_entries=6, show_spinner="Counting ...")
def _counts(
    _actor: Actor, study_key: str, field: str, runs: tuple[str, ...], labels: tuple[str, ...], stamp: str
) -> tuple[str, ...]:
    """Count once for each state of the data. Only people who may see the data are given the stamp."""
    return calibration.counts_before_opening(database(), _actor, study_key, field, runs, labels)


def _divided(study_key: str, share: float, strata: Sequence[str]) -> str:
    return sealed_split.make_split(database(), current_actor(), study_key, share, strata).as_divided


def _opened(study_key: str, run: str, reason: str, labels: Sequence[str], basis: str) -> str:
    judge = calibration.open_agreement(database(), current_actor(), study_key, run, reason, labels, basis)
    return f"Agreement on test subjects is open for {judge}: panels 5, 6 and 8, and its certificate."


def _unsealed(study_key: str, reason: str) -> str:
    sealed_split.unseal(database(), current_actor(), study_key, reason)
    return "The answers about test subjects are part of reports and files from now on."


def _act(act: Callable[[], str]) -> None:
    """Report success above the page; report a refusal beside the input, so that the form stays open."""
    try:
        notify("done", act())
    except Refused as refusal:
        st.error(str(refusal))
    else:
        st.rerun()
