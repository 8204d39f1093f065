"""The reading room: images, prompt and form of one assignment, drawn by one component from one payload.

The heavy part is a built JavaScript module in ``dist/``, which the server's own route sends; Streamlit only carries a
few lines that load it and hand it each payload. See ``README.md`` beside this file for the contract with the server.
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
    """Name of the built front end, with a hash in it, so that browsers may keep it for ever.

    Returns
    -------
    str
        For example ``room-1a2b3c4d5e6f.mjs``; to be served at ``assets/viewer/<name>``.
    """
    return str(_bundle()["file"])


def bundle_path() -> Path:
    """Where the built front end lies on disk.

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
    """Draw instructions and consent as the reading room draws the texts of an item.

    Streamlit's own Markdown would strike out what is between two tildes, renumber lists and colour words.

    Parameters
    ----------
    sections : Sequence[tuple[str, str]]
        Heading, which may be empty, and text of each.
    key : str
        Of the component. The element that holds the texts has the attribute ``data-drawn`` from when they are there.
    """
    shown = [{"heading": heading, "text": text} for heading, text in sections]
    _texts(key=key, data={"sections": shown, "bundle": f"assets/viewer/{bundle_name()}"})


def reading_room(payload: Payload, *, key: str, earlier: bool = False) -> None:
    """Draw one payload: the images, the prompt and the form of one assignment, or the end of the list.

    The room stays alive over reruns. A payload for the assignment that it shows, or for one that it has already
    submitted, changes nothing; another one replaces what is shown. Answers do not come back through Streamlit: the
    room posts them to the server's own routes and gets the next payload with the acknowledgement.

    Parameters
    ----------
    payload : Payload
        As built by ``services.reading.blinding``. It is sent to the browser as it is, so it must hold
        nothing that the rater may not see.
    key : str
        Keep it the same from item to item: a new key is a new room, which loads everything again.
    earlier : bool
        Whether a room in which nothing is left to be read begins with the earlier items, where some can be revised.
    """
    # A theme is stored for each page: the first is at an address without a name.
    pages = ["", *PAGES]
    bundle = f"assets/viewer/{bundle_name()}"
    _component(key=key, data={"payload": payload, "bundle": bundle, "pages": pages, "earlier": earlier})
