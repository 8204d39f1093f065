"""The report as one self-contained HTML file: no network, no fonts, no accompanying files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from exchange.report.report_answer import answer_of
from exchange.report.report_markup import STYLE, environment
from exchange.report.report_structure import Report, Section
from exchange.report.report_tables import printed
from exchange.report.report_words import STATES


@dataclass(frozen=True)
class Drawing:
    """A figure as plotly's JSON (data and layout), with the section that it belongs to.

    `alt` says what it shows to people who do not see it.
    """

    key: str
    section: str
    title: str
    caption: str
    height: int
    json: str
    alt: str


def not_printed(sections: Sequence[Section], drawings: Sequence[Drawing]) -> frozenset[str]:
    """Return the keys of the figures that paper leaves out with the folded tables they draw: all but a fold's first."""
    section_of = {section.key: section for section in sections}
    begun: set[tuple[str, str]] = set()
    keys = set()
    for drawing in drawings:
        fold = section_of[drawing.section].fold_of_figure(drawing.key)
        if fold is None:
            continue
        if (drawing.section, fold.field) in begun:
            keys.add(drawing.key)
        begun.add((drawing.section, fold.field))
    return frozenset(keys)


def report_html(report: Report, drawings: Sequence[Drawing], plotly_js: str) -> str:
    """Return the report as one HTML page.

    Parameters
    ----------
    drawings
        The figures; each section shows its own, in this order.
    plotly_js
        The source of plotly.js, included in the page once.
    """
    return (
        environment()
        .get_template("report.html")
        .render(
            report=report,
            printed=printed,
            answer=answer_of(report),
            state=STATES[report.state],
            style=STYLE,
            # What the plan declares stands in its own section; those of the phases are long.
            of_phases=[section for section in report.sections if section.key.startswith("phase_")]
            if report.section("plan") is not None
            else [],
            drawings_of={
                section.key: [drawing for drawing in drawings if drawing.section == section.key]
                for section in report.sections
            },
            not_printed=not_printed(report.sections, drawings),
            # Within a script element, only a closing tag could end it early.
            figures=[(drawing.key, drawing.json.replace("<", "\\u003c")) for drawing in drawings],
            plotly_js=plotly_js.replace("</script", "<\\/script"),
        )
    )
