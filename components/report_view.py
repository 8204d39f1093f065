"""The report page: choosing the study, opening the report, drawing and downloading it."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.problems import plain
from components.session import current_actor, database, refusals
from services import report
from services.errors import NotAllowed, Refused
from services.people.identity import Actor
from services.progress import data_lock
from services.report import Report, Section
from services.seals import audit_head
from services.studies.catalogue import StudyLine

# Drawn as HTML: cells wrap and can be copied, and their text is not taken for Markdown.
_STYLE = f"<style>{report.STYLE}.report-words h2 {{ font-size: 1.25rem; padding: 0; margin: 0; }}"
_STYLE += ".notices { margin: 0 0 .4rem; padding: .2rem 1rem } .notices li { margin: 0 }</style>"
# Up to this many figures are all drawn at once.
FEW = 2
_INK = {"light": "#1d2a33", "dark": "#e3e9ec"}
# The camera button saves a figure as SVG, 170 mm wide as journals require; report.html offers PNG as well.
_CONFIG = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["lasso2d", "select2d"],
    "toImageButtonOptions": {"format": "svg", "width": 642},
}


def draw_head(title: str) -> DeltaGenerator:
    """Draw the title, and return its line, which the study and its files share."""
    line = st.container(horizontal=True, vertical_alignment="center")
    line.title(title, width="content")
    return line


def choose_study(lines: list[StudyLine]) -> StudyLine:
    """Return the study that the address names, or one chosen from those that the person administers."""
    administered = {line.key: line for line in lines if line.role == "admin"}
    if not administered:
        st.info("You are not an admin of any study, so there is no report to show.")
        st.stop()
    named = st.query_params.get("study", "")
    if named and named not in administered:
        st.error("This study does not exist, or you have no access to it.")
        st.stop()
    keys = list(administered)
    if len(keys) == 1:
        return administered[keys[0]]
    chosen = st.selectbox(
        "Study",
        keys,
        index=keys.index(named) if named else 0,
        format_func=lambda key: administered[key].title,
        width=560,
        label_visibility="collapsed",
    )
    st.query_params["study"] = chosen
    return administered[chosen]


def open_report(actor: Actor, line: StudyLine) -> Report:
    """Return the report, or say why it is locked and stop the script."""
    return _built(actor, line.key, require_open(actor, line))


def require_open(actor: Actor, line: StudyLine) -> str:
    """Return the stamp of a report that is open to a person, or say why it is locked and stop the script."""
    if line.state == "draft":
        st.info("The study is not frozen yet, so nothing has been read and there is no report.")
        st.stop()
    try:
        stamp = report.report_stamp(database(), actor, line.key)
    except NotAllowed as refusal:
        st.info(str(refusal), icon=":material/lock:")
        if line.state == "open":
            _draw_interim_form(line)
        st.stop()
    return stamp


@st.cache_data(max_entries=6, show_spinner="Computing the report ...")
def _built(_actor: Actor, study_key: str, stamp: str) -> Report:
    """Build the report once for each state of the data. Only people who may see the data are given the stamp."""
    return report.current_report(database(), _actor, study_key)


def draw_report(actor: Actor, shown: Report, head: DeltaGenerator) -> None:
    """Draw the report: files beside the title, state, notices and answer, and one tab for each section.

    The answer and the top of its figure must fit on a screen of 720 lines.
    """
    st.html(_STYLE)
    final = shown.state == "final"
    with head:
        st.space("stretch")
        _draw_downloads(shown)
        _draw_audit_head(actor, shown)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.badge(
            report.STATES[shown.state],
            color="blue" if final else "orange",
            icon=":material/lock:" if final else ":material/visibility:",
        )
        made = f"freeze {shown.freeze_sha256[:12]} · {shown.generated_at:%Y-%m-%d %H:%M} UTC"
        st.caption(f"{plain(shown.title)} · {made}")
    said = report.notices_markup(shown.notices) + report.answer_markup(shown)
    if said:
        st.html(said)
    figures = report.figures_of(shown)
    for tab, section in zip(st.tabs([section.short_title for section in shown.sections]), shown.sections, strict=True):
        with tab:
            _draw_section(shown.study_key, section, [figure for figure in figures if figure.section == section.key])


def _draw_section(study_key: str, section: Section, figures: list[report.Figure]) -> None:
    """Draw a section: a sentence, figures, tables and then the method, because people look before they read.

    The plan, and any section with few figures, shows all of them; other sections show one at a time, by choice.
    """
    st.html(report.section_markup(section) + "".join(report.table_markup(table) for table in section.tables_first))
    if section.key == report.PLAN or len(figures) <= FEW:
        for figure in figures:
            draw_figure(figure)
    else:
        _draw_chosen(study_key, section.key, figures)
    said = report.tables_behind_markup(section) + report.method_markup(section)
    # Streamlit draws no empty piece of HTML.
    if said:
        st.html(said)


@st.fragment
def _draw_chosen(study_key: str, section: str, figures: list[report.Figure]) -> None:
    """Draw the figure chosen by its title, in one place: nobody looks at dozens, and each is large.

    The chosen figure replaces the previous one right below the selection, where the eye already is.
    """
    everything = f"All {len(figures)}, below each other"
    # Figures with the same title are distinguished by number.
    titles = [f"{number}. {figure.title}" for number, figure in enumerate(figures, start=1)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        word = st.text_input("A word of the title", key=f"word-{section}", width=240).strip()
        matches = [title for title in titles if word.casefold() in title.casefold()]
        chosen = st.selectbox(
            f"{len(figures)} figures of this section: choose one",
            [*matches, everything],
            key=f"figures-{section}",
            # The widget's own filter says no more than “No results”.
            filter_mode=None,
        )
    if word and not matches:
        st.info(
            f"No figure of this section has “{word}” in its title. Type another word, or clear the field to choose "
            f"among all {len(figures)}."
        )
        return
    # A fragment reruns without the page around it, so check again whether this person may still see the report.
    with refusals():
        report.report_stamp(database(), current_actor(), study_key)
    for figure, title in zip(figures, titles, strict=True):
        if chosen in (title, everything):
            draw_figure(figure)


def draw_figure(figure: report.Figure) -> None:
    """Draw a figure with its caption below it."""
    st.plotly_chart(
        _in_ink(figure.figure), key=f"figure-{figure.key}", height=figure.height, config=_CONFIG, alt=figure.alt
    )
    st.caption(figure.caption)


def _in_ink(figure: Any) -> Any:
    """Return the figure with its text in the page's text colour: the theme's grey is too faint to read from afar."""
    ink = _INK["dark" if st.context.theme.type == "dark" else "light"]
    figure.update_xaxes(tickfont_color=ink, title_font_color=ink)
    figure.update_yaxes(tickfont_color=ink, title_font_color=ink)
    return figure.update_layout(font_color=ink, legend_font_color=ink)


def _draw_downloads(shown: Report) -> None:
    for label, name in (("HTML", "report.html"), ("CSV", "report-csv.zip"), ("JSON", "report.json")):
        st.link_button(
            label,
            f"/download/{shown.study_key}/{name}",
            icon=":material/download:",
            help="Generated when you click, from the data at that moment.",
        )


def _draw_audit_head(actor: Actor, shown: Report) -> None:
    """Offer the head of the audit chain to be stored: it is the only thing that reveals a rewritten chain."""
    with st.popover(
        "Audit head", icon=":material/link:", help="Keep this with the report: the head of the audit chain."
    ):
        st.code(audit_head.audit_head_for_admin(database(), actor, shown.study_key), language=None)
        st.caption(audit_head.why_to_keep())


def _draw_interim_form(line: StudyLine) -> None:
    with st.container(width=560, border=True):
        reason = st.text_input("Reason for an interim look", key="interim-reason")
        st.caption("The reason is stored with the study and shown in the report. Access lasts one hour, for you only.")
        st.button("Open the report now", on_click=_look, args=(line.key, reason))
        if refusal := st.session_state.pop("interim-refusal", ""):
            st.error(refusal)


def _look(study_key: str, reason: str) -> None:
    try:
        data_lock.take_interim_look(database(), current_actor(), study_key, reason)
    except Refused as refusal:
        st.session_state["interim-refusal"] = str(refusal)
