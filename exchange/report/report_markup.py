"""Notices, sections and tables of the report as HTML: the page and the HTML file are built from the same parts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from jinja2.environment import TemplateModule

from exchange.report.report_answer import answer_of
from exchange.report.report_structure import Report, Section, Table
from exchange.report.report_tables import printed
from exchange.report.shown_numbers import unbroken

_TEMPLATES = Path(__file__).parent / "templates"
STYLE = (_TEMPLATES / "report_parts.css").read_text(encoding="utf-8")


@cache
def environment() -> Environment:
    """Return the environment for the report's templates, which escapes every text and keeps figures on one line.

    There is one per process: it caches compiled templates, because compiling them takes longer than filling them.
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
    """Return the notices as a list; empty if there are none."""
    return str(_parts().notices(notices))  # type: ignore[attr-defined]


def answer_markup(report: Report) -> str:
    """Return the primary estimate of a report in a few lines; empty if there is none."""
    return str(_parts().answer(answer_of(report))).strip()  # type: ignore[attr-defined]


def section_markup(section: Section) -> str:
    """Return the title of a section and its text before its figures and tables."""
    return str(_parts().words(section))  # type: ignore[attr-defined]


def method_markup(section: Section) -> str:
    """Return the text of a section after its tables; empty if it has none."""
    return str(_parts().method(section)) if section.method else ""  # type: ignore[attr-defined]


def sentences_markup(sentences: Sequence[str]) -> str:
    """Return sentences as paragraphs, like those of a section."""
    return str(_parts().sentences(sentences))  # type: ignore[attr-defined]


def table_markup(table: Table) -> str:
    """Return a table with its title, explanation and notes."""
    return str(_parts().table(printed(table)))  # type: ignore[attr-defined]


def tables_behind_markup(section: Section) -> str:
    """Return the tables of a section after its figures, folded as the section says; empty if it has none."""
    return str(_parts().tables_behind(section, printed)).strip()  # type: ignore[attr-defined]


def _whole(part: object) -> object:
    """Return a text without line breaks within its figures; markup and other values are returned unchanged."""
    return unbroken(part) if isinstance(part, str) and not hasattr(part, "__html__") else part


# Cached, because a page has about a hundred tables and requests each one separately.
@cache
def _parts() -> TemplateModule:
    return environment().get_template("report_parts.html").module
