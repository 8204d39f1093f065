"""Importing a study folder: upload, contents, a scan to look at, and the button that stores it."""

from __future__ import annotations

from typing import IO

import pandas as pd
import streamlit as st
from niivue_component import niivue_viewer

from components.frame import script_of
from components.problems import draw_problems, plain
from components.progress_bar import progress_bar
from components.session import command_to_copy, database
from services.errors import InputRefused, Refused, counted
from services.people.identity import Actor
from services.studies.folders import importing, starter, uploads
from services.studies.folders.uploads import Incoming

_REMEDY = "Correct them, pack the folder again and upload it."


def receive(actor: Actor) -> Incoming | None:
    """Draw the upload form, and return the upload once it has been checked."""
    st.markdown(
        "Pack the study folder (`protocol.yaml`, the CSV tables, `volumes/`) as a ZIP file. Everything is checked "
        f"before anything is stored. Large folders import faster with `{command_to_copy('import FOLDER')}`."
    )
    _draw_examples()
    _draw_columns()
    file = st.file_uploader("Study folder as ZIP", type=uploads.ENDINGS, key="study-zip")
    if file is None:
        _forget(actor)
        return None
    cached: tuple[str, Incoming | InputRefused] | None = st.session_state.get("incoming")
    if cached is None or cached[0] != file.file_id:
        _forget(actor)
        with st.spinner("Unpacking and checking"):
            cached = (file.file_id, _received(actor, file, file.name))
        st.session_state["incoming"] = cached
    if isinstance(cached[1], InputRefused):
        draw_problems(cached[1], _REMEDY)
        return None
    return cached[1]


def _received(actor: Actor, file: IO[bytes], name: str) -> Incoming | InputRefused:
    try:
        return uploads.receive_upload(database(), actor, file, name)
    except InputRefused as refusal:
        return refusal


def _draw_examples() -> None:
    """Offer complete example studies: one with three items, or the shapes of published studies."""
    shapes = {shape.name: shape for shape in starter.shapes()}

    def said(name: str) -> str:
        if name == starter.NAME:
            return "Three items with scans: read, scored and reviewed"
        return f"I have {shapes[name].serves}: {shapes[name].title}"

    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox("Example study to start from", [starter.NAME, *shapes], format_func=said)
        st.link_button(
            "Download",
            f"/download/new-study/{chosen}.zip",
            icon=":material/download:",
            help="Made-up tables and simulated images; it can be imported without changes.",
        )


def _draw_columns() -> None:
    with st.expander("Columns of each table"):
        for title, says, columns in uploads.documented_tables():
            st.markdown(f"**{title}** {says}\n\n{columns}")


def draw_remarks(incoming: Incoming) -> None:
    """Draw what was converted and what may have been meant differently."""
    if incoming.warnings:
        st.warning(
            "\n".join(["Check this before you import:", "", *(f"- {plain(warning)}" for warning in incoming.warnings)])
        )
    if incoming.conversions:
        with st.expander(counted(len(incoming.conversions), "conversion"), expanded=True):
            st.dataframe(
                pd.DataFrame(
                    [str(conversion) for conversion in incoming.conversions], columns=["what was converted, and where"]
                ),
                hide_index=True,
                width="stretch",
            )


def draw_contents(incoming: Incoming) -> None:
    """Draw what the folder contains."""
    st.success(f"The tables of “{plain(incoming.title)}” ({incoming.name}) are consistent.")
    for column, (label, count) in zip(
        st.columns(4),
        (
            ("Cases", incoming.cases),
            ("Volumes", len(incoming.volumes)),
            ("Items", incoming.items - incoming.practice),
            ("Candidates", incoming.candidates),
        ),
        strict=True,
    ):
        column.metric(label, count)
        if label == "Items" and incoming.practice:
            column.caption(f"and {incoming.practice} for practice")


def draw_volume(actor: Actor, incoming: Incoming) -> None:
    """Draw one scan of the upload, if it has any and the admin wants to see one."""
    if not incoming.volumes:
        return
    by_key = {volume.key: volume for volume in incoming.volumes}
    with st.expander("View a scan from the upload"):
        chosen = st.selectbox(
            "Scan",
            list(by_key),
            index=None,
            placeholder="Choose a scan",
            format_func=lambda key: f"{key} · {by_key[key].label} · {by_key[key].file_name}",
        )
        if chosen is not None:
            content = uploads.volume_for_preview(database(), actor, incoming.ticket, chosen)
            with st.container(width=560):
                niivue_viewer(
                    nifti_data=content,
                    filename=by_key[chosen].preview_name,
                    height=540,
                    styled=False,
                    settings={"radiological": True, "crosshair": True},
                    update_interval_ms=None,
                    # A separate key for each scan: with a fixed key, the previous scan would remain underneath.
                    key=f"scan-{incoming.ticket}-{chosen}",
                )


def draw_import_button(actor: Actor, incoming: Incoming) -> None:
    """Draw the button that prepares and stores the study, and its progress."""
    over_draft = importing.can_import_over(database(), actor, incoming.name)
    warning, place = st.empty(), st.empty()
    if over_draft:
        warning.warning(f"A draft '{incoming.name}' already exists. Importing replaces it: its contents are deleted.")
    if not place.button("Import over the draft" if over_draft else "Import", type="primary"):
        return
    place.empty()
    warning.empty()
    try:
        with progress_bar() as feed:
            folder = uploads.study_folder_of(database(), actor, incoming.ticket)
            done = importing.import_study(database(), actor, folder, over_draft=over_draft, progress=feed)
    except InputRefused as refusal:
        draw_problems(refusal, _REMEDY)
        return
    except Refused as refusal:
        st.error(plain(f"Nothing was imported. {refusal}"))
        return
    _forget(actor)
    imported = f"{done.items_in_words} about {counted(done.cases, 'case')}"
    st.success(f"Imported: {imported}. Check the items in the preview, then freeze.")
    if done.needs is not None:
        (st.warning if done.needs.missing else st.info)(plain(done.needs.sentence))
    st.page_link(script_of("study"), label="Open the study", query_params={"study": done.study_key})


def _forget(actor: Actor) -> None:
    cached: tuple[str, Incoming | InputRefused] | None = st.session_state.pop("incoming", None)
    if cached is not None and isinstance(cached[1], Incoming):
        uploads.discard_upload(database(), actor, cached[1].ticket)
