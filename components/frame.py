"""The frame of every page: which pages somebody has, the head line, and the way to sign out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from components.problems import plain
from components.session import database
from services.people.identity import Actor
from services.studies import catalogue

SCRIPTS = Path(__file__).resolve().parents[1] / "pages"


@dataclass(frozen=True)
class PageRow:
    """One page.

    Attributes
    ----------
    script
        Path below `pages/`.
    audience
        The people who have it. "readers" are raters and reviewers, and everybody who has no other page; owners are also
        admins.
    in_head
        Whether the head line links to it, because nothing has to be chosen first.
    """

    script: str
    title: str
    audience: Literal["readers", "admins", "owners"]
    in_head: bool = False


# By address, in the order of the head line. People arrive on the first page that they have.
PAGES: Mapping[str, PageRow] = {
    "worklist": PageRow("rater/worklist.py", "Worklist", "readers", in_head=True),
    "reading": PageRow("rater/room.py", "Reading", "readers"),
    "studies": PageRow("admin/studies.py", "Studies", "admins", in_head=True),
    "study": PageRow("admin/study.py", "Study", "admins"),
    "preview": PageRow("admin/preview.py", "Preview", "admins"),
    "report": PageRow("admin/report.py", "Report", "admins"),
    "calibration": PageRow("admin/calibration.py", "Calibration", "admins"),
    "documentation": PageRow("admin/documentation.py", "Documentation", "admins"),
    "import": PageRow("admin/import_study.py", "Import", "owners", in_head=True),
    "people": PageRow("admin/people.py", "People", "owners", in_head=True),
}

# Streamlit leaves six rem above every page; in a reading room those pixels belong to the scan.
_STYLE = """<style>
.stMainBlockContainer { padding: .6rem 1.4rem 1rem; max-width: none }
.stAppHeader { display: none }
.st-key-head { border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent); min-height: 2.2rem }
.st-key-head :is(p, [data-testid=stMarkdownContainer]) { margin: 0 }
.stMain [data-testid=stPageLink] a { border: 1px solid rgb(128 128 128 / 45%) }
.st-key-head [data-testid=stPageLink] a { border: 0 }
.way-out { margin: 0 }
.way-out button { font: inherit; color: inherit; background: none; border: 0; padding: .35rem .5rem; cursor: pointer;
                  border-radius: .375rem }
.way-out button:hover { text-decoration: underline }
.stMain [role=tab][aria-selected=true] { color: inherit; font-weight: 600 }
.stMain p code { padding: .1em .2em }
.stMain .stTable [data-testid=stMarkdownContainer] { max-width: none; width: auto }
[data-testid=stCaptionContainer] { opacity: 0.85 !important }
h1 { font-size: 1.6rem !important; padding: .4rem 0 !important }
@media (pointer: coarse) { .stMain :is(button, a) { min-height: 44px; min-width: 44px } }
</style>"""

# On a screen of 768 lines, two head lines cost too much of the scan. There the room's line leaves space for this one.
_ONE_LINE = """<style>
@media (max-height: 800px) and (min-width: 1000px) {
  :root { --beside-head: 15rem }
  .st-key-room { margin-top: -1rem }
  .st-key-head { position: absolute; top: .6rem; right: 1.4rem; z-index: 1; width: 14rem; height: 42px; border: 0;
                 gap: .7rem; flex-wrap: nowrap; justify-content: flex-end }
  .st-key-head > :first-child, .st-key-head > :has(.stSpace) { display: none }
  .st-key-head p { white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
}
@media (max-height: 800px) and (min-width: 1200px) {
  :root { --beside-head: 21rem }
  .st-key-head { width: 20rem }
}
</style>"""

# A form of our own, so that the answer can remove the cookie from the browser and empty its cache.
_WAY_OUT = '<form method="post" action="/sign-out" class="way-out"><button type="submit">Sign out</button></form>'


def script_of(address: str) -> Path:
    """Return the script of a page, as Streamlit needs it for links."""
    return SCRIPTS / PAGES[address].script


def pages_of(actor: Actor) -> dict[str, StreamlitPage]:
    """Return the pages that are open to somebody, by address; the first of them is the default page."""
    roles = catalogue.roles_of(database(), actor)
    audiences = {"owners"} if actor.is_owner else set()
    if "admin" in roles or actor.is_owner:
        audiences.add("admins")
    if roles & {"rater", "reviewer"} or not audiences:
        audiences.add("readers")
    addresses = [address for address, row in PAGES.items() if row.audience in audiences]
    return {
        address: st.Page(
            script_of(address), title=PAGES[address].title, url_path=address, default=address == addresses[0]
        )
        for address in addresses
    }


def draw(actor: Actor, pages: Mapping[str, StreamlitPage]) -> None:
    """Draw the head line: the pages that need no choice first, the person's name, and the way to sign out."""
    st.html(_STYLE)
    with st.container(key="head", horizontal=True, vertical_alignment="center", gap="medium"):
        st.markdown("**Blindread**", width="content")
        for address, page in pages.items():
            if PAGES[address].in_head:
                st.page_link(page, label=page.title)
        st.space("stretch")
        st.markdown(plain(actor.name), width="content")
        st.html(_WAY_OUT, width="content")


def draw_in_one_line_with_the_room() -> None:
    """Let the head line share the reading room's line on low screens."""
    st.html(_ONE_LINE)
