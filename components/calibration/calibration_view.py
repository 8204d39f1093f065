"""The calibration page: choices, summary, one tab per panel, certificates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.calibration.calibration_differing import draw_differing
from components.calibration.calibration_files import draw_downloads
from components.calibration.calibration_prompts import draw_prompts
from components.calibration.calibration_reading import draw_reading
from components.calibration.sealed_view import draw_opening
from components.notice import draw_notice
from components.problems import plain
from components.report_view import draw_figure, require_open
from components.session import database, refusals
from services import report
from services.judging.import_labels import NOT_BLINDED_HERE
from services.people.identity import Actor
from services.report import calibration
from services.report.calibration import Calibration, Certificate
from services.studies.catalogue import StudyLine

# The container for everything that depends on the choice. It is hidden rather than removed while another choice is
# computed: a page that redraws its tabs and expanders forgets which of them were open.
_SHOWN = "calibrated"
# The rule names all descendants, because Streamlit makes some of them visible again.
_OUT_OF_SIGHT = f"<style>.st-key-{_SHOWN}, .st-key-{_SHOWN} * {{ visibility: hidden !important }}</style><span></span>"
# What a computation depends on: study, field, runs, human verdicts, labels made elsewhere, and the data's stamp.
_Asked = tuple[str, str, tuple[str, ...], str, tuple[str, ...], str]
# A table with more rows than fit on three screens is collapsed.
_MOST_ROWS = 60
_RATERS, _ELSEWHERE = "Raters of this study", "Labels made elsewhere"


@dataclass(frozen=True)
class _Waiting:
    """The place that shows a running computation, and what to undo once its figures are drawn."""

    place: DeltaGenerator
    until_drawn: ExitStack = field(default_factory=ExitStack)

    def begin(self) -> None:
        """Hide what was shown before."""
        with self.place.container():
            st.html(_OUT_OF_SIGHT)
            self.until_drawn.callback(self.place.empty)
            self.until_drawn.enter_context(st.spinner("Calibrating ..."))


def draw_calibration(actor: Actor, line: StudyLine) -> None:
    """Draw the calibration of a study's judges, if its report is open to this person."""
    draw_notice()
    stamp = require_open(actor, line)
    fields = calibration.fields_with_judges(database(), actor, line.key)
    if not fields:
        st.info("No judge fills in what people rate in this study; import a judge's verdicts on the study's page.")
        return
    field = _choose_field({name: f"{label} ({name})" for name, (label, _) in fields.items()})
    choice, waiting = st.container(), _Waiting(st.empty())
    with waiting.until_drawn:
        with choice:
            shown = _chosen(actor, line.key, field, fields[field][1], stamp, waiting)
        with st.container(key=_SHOWN):
            _draw_shown(actor, line, shown, stamp)


def _draw_shown(actor: Actor, line: StudyLine, shown: Calibration, stamp: str) -> None:
    field, runs, labels = shown.field, shown.runs, tuple(each.name for each in shown.labels)
    st.html(f"<style>{report.STYLE}</style>")
    summary = calibration.summary_of(shown)
    # The judges first: with several prompts and labels, the description of the data fills the first screen.
    glance = "".join(report.table_markup(table) for table in summary.tables)
    st.html(report.section_markup(replace(summary, explanation=())) + glance)
    st.html(report.sentences_markup(summary.explanation))
    _draw_certificate(actor, shown, stamp)
    draw_opening(actor, line.key, field, (runs, labels, shown.plan.basis or ""), stamp)
    sections = calibration.sections_of(shown)
    for tab, section in zip(st.tabs([section.short_title for section in sections]), sections, strict=True):
        with tab:
            st.html(report.section_markup(section))
            _draw_details(calibration.details_of(shown, section.key))
            draw_reading(section.short_title)
            for figure in calibration.figures_of(shown.panels[section.key], shown.material.scale):
                draw_figure(figure)
            for table in section.tables:
                _draw_table(table)
    draw_prompts(actor, shown, stamp)
    draw_differing(actor, line.key, field, runs, labels, stamp)
    draw_downloads(line.key, field, runs, labels)


def _choose_field(fields: Mapping[str, str]) -> str:
    """Ask which field to calibrate, given labels by key. A single field is only named, to save space."""
    if len(fields) > 1:
        return st.selectbox("Field", list(fields), format_func=fields.__getitem__, width=560)
    ((field, words),) = fields.items()
    st.caption(plain(words))
    return field


def _draw_table(table: report.Table) -> None:
    """Draw a table. A long one is collapsed, because otherwise everything below the panels would be far down."""
    markup = report.table_markup(table)
    if not isinstance(table, report.PlainTable) or len(table.rows) <= _MOST_ROWS:
        st.html(markup)
        return
    with st.expander(f"All figures, in {len(table.rows):,} rows"):
        st.html(markup)


def _draw_details(sentences: tuple[str, ...]) -> None:
    """Draw what a panel says beyond one line per judge, collapsed."""
    if sentences:
        with st.expander(f"All findings, in {len(sentences)} sentences"):
            st.html(report.sentences_markup(sentences))


def _chosen(
    actor: Actor, study_key: str, field: str, names: Sequence[str], stamp: str, waiting: _Waiting
) -> Calibration:
    """Ask in one form which runs to compare with whom. Each combination that is computed counts as a look.

    While it is being computed, `waiting` says so and what was shown before is hidden.
    """
    imports = calibration.labels_in(database(), actor, study_key, field)
    with st.form(f"chosen-{field}"):
        left, right, end = st.columns([7, 4, 2], vertical_alignment="bottom")
        runs = left.multiselect("Runs", names, default=names, key=f"runs-{field}", wrap=True)
        place = right.empty()
        end.form_submit_button(
            "Show these", width="stretch", help="What is shown is a look at agreement with people, and is counted."
        )
        labels = _choose_people(actor, study_key, field, imports) if imports else ()
    if not runs:
        st.info("Choose at least one run.")
        st.stop()
    if labels is None:
        st.info("Choose at least one import of labels.")
        st.stop()
    with refusals():
        usual_asked = (study_key, field, tuple(runs), "", labels, stamp)
        shown = _calibrated(waiting, actor, usual_asked)
    # The available bases are known only after computing. Another basis of the same verdicts is not another look.
    usual, *others = shown.bases
    basis = place.selectbox(
        "Human verdicts",
        ["", *others],
        format_func=lambda name: name or f"{usual}, as usual for this scale",
        key=f"basis-{field}-{bool(labels)}",
    )
    if labels:
        st.warning(plain(_labels_in_words(labels, imports)), icon=":material/visibility:")
    asked = (study_key, field, tuple(runs), basis, labels, stamp)
    if basis:
        shown = _calibrated(waiting, actor, asked)
    st.session_state[_SHOWN] = (usual_asked, asked)
    return shown


def _choose_people(actor: Actor, study_key: str, field: str, imports: Sequence[str]) -> tuple[str, ...] | None:
    """Ask whether judges are compared with raters' verdicts (no labels) or labels made elsewhere, never with both.

    Returns None if labels were asked for and none is chosen.
    """
    left, right = st.columns([7, 6])
    # If nobody rated here, labels are the only choice.
    usual = _RATERS if calibration.is_rated(database(), actor, study_key, field) else _ELSEWHERE
    people = left.segmented_control(
        "People", (_RATERS, _ELSEWHERE), default=usual, required=True, key=f"people-{field}"
    )
    # Combining several imports is a deliberate choice, as each was blinded in its own way. The first stays selected
    # when another is imported, so that no figure changes unless somebody chooses it.
    chosen = right.multiselect(
        "Labels, where they were made elsewhere", imports, default=imports[:1], key=f"labels-{field}"
    )
    if people != _ELSEWHERE:
        return ()
    return tuple(chosen) or None


def _labels_in_words(chosen: Sequence[str], imports: Sequence[str]) -> str:
    """Return the sentence that labels were made elsewhere and, of several imports, which are shown and which not."""
    said = f"People's labels were {NOT_BLINDED_HERE}."
    others = [name for name in imports if name not in chosen]
    if len(imports) == 1:
        return said
    not_shown = f" Also imported, but not shown: {', '.join(others)}." if others else ""
    return f"{said} Shown are {', '.join(chosen)}.{not_shown}"


def _draw_certificate(actor: Actor, shown: Calibration, stamp: str) -> None:
    with st.expander("Certificate: what a judge has shown here, passed or not"):
        if len(shown.of_judges) > 1:
            st.info(
                f"A certificate is of one judge with one prompt; choose runs of one of {', '.join(shown.of_judges)}."
            )
            return
        if not st.toggle("Make the certificate", key=f"certify-{shown.field}-{'-'.join(shown.runs)}"):
            return
        with refusals():
            basis, labels = shown.plan.basis or "", tuple(line.name for line in shown.labels)
            made = _certified(actor, shown.study_key, shown.field, shown.runs, basis, labels, stamp)
        st.code(made.card, language=None, wrap_lines=True)
        said = {"field": shown.field, "run": shown.runs, "basis": basis, "labels": labels}
        asked = urlencode(said, doseq=True)
        with st.container(horizontal=True):
            for label, name in (("JSON", calibration.FILE_NAME), ("Card", calibration.CARD_NAME)):
                address = f"/download/{shown.study_key}/judges/{name}?{asked}"
                st.link_button(label, address, icon=":material/download:")


def _calibrated(waiting: _Waiting, actor: Actor, asked: _Asked) -> Calibration:
    """Return the result for a choice, hiding the figures of another until it is drawn."""
    # What is already on the page stays visible: any click below it reruns the page.
    if asked not in st.session_state.get(_SHOWN, ()):
        waiting.begin()
    return _computed(actor, *asked)


# As a resource, not copied like data: for a million candidates it takes a hundred megabytes, and nothing changes it.
@st.cache_resource(max_entries=2, show_spinner=False)
def _computed(
    _actor: Actor, study_key: str, field: str, runs: tuple[str, ...], basis: str, labels: tuple[str, ...], stamp: str
) -> Calibration:
    """Compute the panels once for each state of the data. Only people who may see the data are given the stamp."""
    return calibration.calibration_of(database(), _actor, study_key, field, runs, basis, labels)


@st.cache_data(max_entries=6, show_spinner="Certifying ...")
def _certified(
    _actor: Actor, study_key: str, field: str, runs: tuple[str, ...], basis: str, labels: tuple[str, ...], stamp: str
) -> Certificate:
    """Make a certificate once for each state of the data; see `_computed`."""
    return calibration.certify(database(), _actor, study_key, field, runs, basis, labels=labels)
