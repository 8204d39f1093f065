"""The reading room: an assignment's images, prompt and form, drawn by one component from one payload.

The heavy part is a built JavaScript module in ``dist/``, which is sent by a route of our own server; Streamlit only
carries a few lines that load it and pass it each payload. See ``README.md`` in this folder for the contract with the
server.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from components.frame import PAGES
from services.reading.payloads import Payload

__all__ = ["acknowledged_texts", "bundle_name", "bundle_path", "reading_room"]

_FOLDER = Path(__file__).parent


@cache
def _bundle() -> dict[str, Any]:
    described: dict[str, Any] = json.loads((_FOLDER / "BUNDLE.json").read_text(encoding="utf-8"))
    return described


def bundle_name() -> str:
    """Return the name of the built front end. It contains a hash, so browsers may cache it indefinitely.

    Returns
    -------
    str
        For example ``room-1a2b3c4d5e6f.mjs``; to be served at ``assets/viewer/<name>``.
    """
    return str(_bundle()["file"])


def bundle_path() -> Path:
    """Return the path of the built front end on disk.

    Returns
    -------
    Path
        An existing file; ``BUNDLE.json`` holds its SHA-256.
    """
    return _FOLDER / "dist" / bundle_name()


_LOADER = (_FOLDER / "loader.js").read_text(encoding="utf-8")
_component = st.components.v2.component("blindread_reading_room", js=_LOADER, isolate_styles=True)
_texts = st.components.v2.component("blindread_acknowledged_texts", js=_LOADER, isolate_styles=True)


def acknowledged_texts(sections: Sequence[tuple[str, str]], *, key: str) -> None:
    """Draw instructions and consent the way the reading room draws an item's texts.

    Streamlit's own Markdown would strike through text between two tildes, renumber lists and colour words.

    Parameters
    ----------
    sections : Sequence[tuple[str, str]]
        A heading, which may be empty, and a text for each section.
    key : str
        The component's key. The element with the texts has the attribute ``data-drawn`` once they have been drawn.
    """
    shown = [{"heading": heading, "text": text} for heading, text in sections]
    _texts(key=key, data={"sections": shown, "bundle": f"assets/viewer/{bundle_name()}"})


def reading_room(payload: Payload, *, key: str, earlier: bool = False) -> None:
    """Draw one payload: the images, prompt and form of one assignment, or the end of the list.

    The room stays alive across reruns. A payload for the assignment that it is showing, or for one that it has already
    submitted, changes nothing; any other payload replaces what is shown. Answers do not return through Streamlit: the
    room posts them to the server's own routes and receives the next payload with the acknowledgement.

    Parameters
    ----------
    payload : Payload
        Built by ``services.reading.blinding``. It is sent to the browser unchanged, so it must not contain anything
        that the rater may not see.
    key : str
        Use the same key from item to item: a new key means a new room, which loads everything again.
    earlier : bool
        Whether a room with nothing left to read starts with the earlier items, if some of them can be revised.
    """
    # Streamlit stores a theme per page; the first page has an empty address.
    pages = ["", *PAGES]
    bundle = f"assets/viewer/{bundle_name()}"
    _component(key=key, data={"payload": payload, "bundle": bundle, "pages": pages, "earlier": earlier})
