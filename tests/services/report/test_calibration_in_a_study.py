"""Panels say in a study what can be done there: no option of a command, and beside each what the documentation says."""

from __future__ import annotations

import ast
import re

from agreement.judge.panels import PANELS
from components.calibration.calibration_reading import sections_of_how_to
from services.report.calibration.in_a_study import in_words_of_a_study
from tests.harness.server import ROOT

OPTION = re.compile(r"(?<!-)--[a-z]")


def sentences_with_options() -> list[str]:
    texts = []
    for path in sorted((ROOT / "agreement" / "judge" / "panels").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and OPTION.search(node.value):
                texts.append(node.value)
    return texts


def test_no_sentence_of_a_panel_names_an_option_of_a_command_in_a_study() -> None:
    texts = sentences_with_options()

    assert len(texts) > 5
    assert [said for said in map(in_words_of_a_study, texts) if OPTION.search(said)] == []


def test_each_panel_has_a_section_in_the_how_to() -> None:
    titles = [f"{kind.number} {kind.title}" for kind in PANELS.values()]

    assert list(sections_of_how_to()) == titles
    assert sections_of_how_to()[titles[1]].startswith("Stricter, more lenient, or")


def test_section_beside_a_panel_names_the_file_where_the_documentation_has_a_link_that_leads_nowhere_here() -> None:
    links = re.compile(r"\]\((?!https?://)")

    assert [title for title, text in sections_of_how_to().items() if links.search(text)] == []
    assert "(formula, in docs/statistics.md)" in sections_of_how_to()["2 Direction"]
