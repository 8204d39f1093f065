"""A section of the documentation, with links that lead to other sections in the application."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from urllib.parse import urlencode

import streamlit as st

from services.installation import documentation
from services.installation.documentation import DocumentSection

# Images are not served; their text stays. Links are within the documentation, or lead to a site.
_LINK = re.compile(r"!?\[([^\]]+)\]\((?!https?://)([^)#]*)(?:#([^)]*))?\)")


def address_of(document: str, anchor: str = "") -> str:
    """Return the address of a section on the page *Documentation*."""
    said = {"document": document, "section": anchor} if anchor else {"document": document}
    return f"/documentation?{urlencode(said)}"


def draw_link(document: str, title: str) -> None:
    """Draw a link to a section, which opens beside the page, since going back to that would forget its choices."""
    st.link_button(
        "Documentation",
        address_of(document, documentation.anchor_of(title)),
        type="tertiary",
        icon=":material/menu_book:",
        help=f"Opens “{title}” in a new tab.",
    )


def draw_section(section: DocumentSection) -> None:
    """Draw a section's text, or the headings of a document."""
    st.subheader(section.title, anchor=False)
    st.caption(section.file)
    if section.text:
        st.markdown(in_application(section.text, section.document), width=1100)
        st.markdown(f"[All headings of this document]({address_of(section.document)})")
        return
    st.markdown(
        "\n".join(
            f"- [{_plain(title)}]({address_of(section.document, anchor)})" for anchor, title in section.sections.items()
        )
    )


def in_application(text: str, document: str) -> str:
    """Return Markdown whose links lead to this application's page; what it does not show is named in words."""

    def link(match: re.Match[str]) -> str:
        words, path, anchor = match.groups()
        name = PurePosixPath(path).stem if path else document
        known = documentation.documents().get(name)
        if match[0].startswith("!") or known is None or (path and known.name != PurePosixPath(path).name):
            return f"{words} ({path})"
        return f"[{words}]({address_of(name, anchor or '')})"

    return _LINK.sub(link, text)


def _plain(title: str) -> str:
    return title.replace("[", "\\[").replace("]", "\\]")
