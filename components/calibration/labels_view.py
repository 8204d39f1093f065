"""A study's labels made elsewhere, and the form that imports a file of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components.calibration.judges_view import ask_columns, draw_import
from components.session import current_actor, database
from services.judging import asked_fields, import_labels, import_runs, sources
from services.judging.slices import Progress
from services.studies.catalogue import StudyLine

_EXAMPLE = """item,candidate,labeller,verdict,explanation
i1,k1,Dr A,correct,
i1,k1,Dr B,incorrect,Wrong side."""


def draw_labels(line: StudyLine) -> None:
    """Draw the labels imported so far, and the form that imports more."""
    actor = current_actor()
    lines = import_labels.labels_of(database(), actor, line.key)
    if lines:
        st.markdown("**Labels made elsewhere**, not blinded here: only calibrations can use them, by name")
        st.dataframe(
            pd.DataFrame(
                [
                    (
                        each.name,
                        ", ".join(each.labellers),
                        each.field or "correct or incorrect",
                        each.labels,
                        each.candidates,
                        each.blinding or "not known",
                        "a random part" if each.is_random_part else "not known",
                        each.source,
                        f"{each.at}, {each.imported_by}",
                    )
                    for each in lines
                ],
                columns=[
                    "name",
                    "labellers",
                    "what they say",
                    "labels",
                    "candidates",
                    "blinding",
                    "how chosen",
                    "file",
                    "imported",
                ],
            ),
            hide_index=True,
            width="stretch",
        )
    if line.state == "draft":
        return
    refused = asked_fields.why_no_labels(database(), actor, line.key)
    if refused:
        st.caption(f"Labels made elsewhere cannot be imported here. {refused}")
        return
    with st.container(width=560, border=True):
        st.markdown("**Import labels that people gave elsewhere** on the candidates")
        _draw_form(line.key)


def _draw_form(study_key: str) -> None:
    st.caption(
        "Calibrations use them instead of raters' verdicts where you choose them. They are marked there, in "
        "certificates and in files as not blinded here. Raters never see them, and no figure of raters includes them."
    )
    # After an import, new keys give the form empty fields.
    form = f"labels-{st.session_state.setdefault('labels-imported', 0)}"
    left, right = st.columns(2)
    name = left.text_input("Name of the labels", key=f"{form}-name")
    labeller = right.text_input(
        "Labeller", key=f"{form}-labeller", placeholder="where the file does not say who labelled"
    )
    field = _choose_field(study_key, form)
    blinding = st.text_input(
        "How the labellers were blinded",
        key=f"{form}-blinding",
        placeholder="to the model, not to the judge; leave it empty where you do not know",
    )
    is_random_part = st.checkbox(
        "What they labelled is a simple random part of all answers",
        key=f"{form}-random",
        help="Otherwise they give a score only to models whose answers are all labelled.",
    )
    files = st.file_uploader(
        f"{import_runs.FORMATS_IN_WORDS}: item, candidate, labeller, verdict; or another program's",
        type=import_runs.ENDINGS,
        accept_multiple_files=True,
        help="Several files are imported together: they are checked and stored as one.",
        key=f"{form}-file",
    )
    st.caption("For example, as CSV:")
    st.code(_EXAMPLE, language=None)
    columns = st.text_input(
        "Columns of labellers, separated by commas",
        key=f"{form}-labellers",
        placeholder="only of a table with a column for each person",
        help="Each person is called by the heading of their column.",
    )
    asked, skip = ask_columns(form, of_people=True)
    if st.button("Import labels", disabled=not files) and files:
        said = {"name": name, "labeller": labeller, "field": field, "blinding": blinding}
        of_people = {**asked, "labellers": columns.split(",")}
        _import(study_key, files, said, of_people, is_random_part=is_random_part, skip=skip)


def _choose_field(study_key: str, form: str) -> str:
    fields = asked_fields.fields_for_labellers(database(), current_actor(), study_key)
    if not fields:
        return ""
    chosen = st.selectbox(
        "What they say", list(fields), format_func=lambda key: f"{fields[key]} ({key})", key=f"{form}-field"
    )
    return str(chosen)


def _import(
    study_key: str,
    files: Sequence[UploadedFile],
    said: Mapping[str, str],
    asked: Mapping[str, Any],
    *,
    is_random_part: bool,
    skip: bool,
) -> None:
    first, *further = (sources.RunFile(file.name, file.getvalue()) for file in files)

    def store(feed: Progress) -> str:
        return import_labels.import_labels(
            database(),
            current_actor(),
            study_key,
            content=first.content,
            file_name=first.name,
            further=further,
            is_random_part=is_random_part,
            asked=sources.asked_of(**asked),
            skip_unplaced=skip,
            progress=feed,
            name=said["name"],
            labeller=said["labeller"],
            field=said["field"],
            blinding=said["blinding"],
        ).in_words

    draw_import(store, "labels-imported", "Correct them in the file and upload it again.")
