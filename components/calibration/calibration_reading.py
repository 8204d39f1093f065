"""Above each calibration panel's figures: how it is read and computed, taken from the documentation."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import streamlit as st

from components.documentation_view import draw_link

_ROOT = Path(__file__).resolve().parents[2]
HOW_TO = _ROOT / "docs" / "how-to" / "calibrate-a-judge.md"
# Beside a panel nobody is to be led away from it: the file that a link leads to is named instead.
_LINK_WITHIN = re.compile(r"\[([^\]]+)\]\((?!https?://)([^)#]*)(?:#[^)]*)?\)")
_SECTION = re.compile(r"^## (\d .+?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def draw_reading(short_title: str) -> None:
    """Draw the documentation's section on a panel, found by number and title, in an expander, and a link to it."""
    text = sections_of_how_to().get(short_title)
    if text is None:
        return
    with st.container(horizontal=True):
        expander = st.expander("How to read this, and where it comes from")
        draw_link(HOW_TO.stem, short_title)
    with expander:
        st.markdown(text)
        st.caption(
            f"From docs/how-to/calibrate-a-judge.md, *{short_title}*, which is about files: options that begin with "
            "`--` are those of its commands; here the study sets them. docs/statistics.md, *A judge's calibration*, "
            "says which functions each panel calls."
        )


@cache
def sections_of_how_to() -> dict[str, str]:
    """Return the how-to's sections about panels, by number and title; empty if the documentation is not installed.

    Links within the documentation are words, with the file that they lead to.
    """
    if not HOW_TO.is_file():
        return {}
    text = _LINK_WITHIN.sub(_with_its_file, HOW_TO.read_text(encoding="utf-8"))
    return {title: section.strip() for title, section in _SECTION.findall(text)}


def _with_its_file(link: re.Match[str]) -> str:
    words, path = link.groups()
    file = (HOW_TO.parent / path).resolve() if path else HOW_TO
    return f"{words}, in {file.relative_to(_ROOT).as_posix()}"
