"""Notices, sections and tables of the report as HTML: page and HTML file are put together from the same parts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from jinja2.environment import TemplateModule

from exchange.report_answer import answer_of
from exchange.report_structure import Report, Section, Table
from exchange.report_tables import printed
from exchange.shown_numbers import unbroken

_TEMPLATES = Path(__file__).parent / "templates"
STYLE = (_TEMPLATES / "report_parts.css").read_text(encoding="utf-8")


@cache
def environment() -> Environment:
    """Return what fills the report's templates; every text is escaped, and no figure in it is broken.

    One for the process: it remembers the templates that it has compiled, which takes longer than filling them.
    """
    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        finalize=_whole,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def notices_markup(notices: Sequence[str]) -> str:
    """Return the notices as a list; nothing where there are none."""
    return str(_parts().notices(notices))  # type: ignore[attr-defined]


def answer_markup(report: Report) -> str:
    """Return the primary estimate of a report in a few lines; nothing where there is none."""
    return str(_parts().answer(answer_of(report))).strip()  # type: ignore[attr-defined]


def section_markup(section: Section) -> str:
    """Return the title of a section and what it says before its figures and tables."""
    return str(_parts().words(section))  # type: ignore[attr-defined]


def method_markup(section: Section) -> str:
    """Return what a section says behind its tables; nothing where it says nothing."""
    return str(_parts().method(section)) if section.method else ""  # type: ignore[attr-defined]


def sentences_markup(sentences: Sequence[str]) -> str:
    """Return sentences as paragraphs, as those of a section."""
    return str(_parts().sentences(sentences))  # type: ignore[attr-defined]


def table_markup(table: Table) -> str:
    """Return a table with its title, explanation and notes."""
    return str(_parts().table(printed(table)))  # type: ignore[attr-defined]


def _whole(part: object) -> object:
    """Return a text without breaks within its figures; what is markup already, or no text, as it is."""
    return unbroken(part) if isinstance(part, str) and not hasattr(part, "__html__") else part


# A page has some hundred tables, and asks for each by itself.
@cache
def _parts() -> TemplateModule:
    return environment().get_template("report_parts.html").module
