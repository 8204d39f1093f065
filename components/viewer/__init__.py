"""The reading room: images, prompt and form of one assignment, drawn by one component from one payload.

The heavy part is a built JavaScript module in ``dist/``, which the server's own route sends; Streamlit only carries a
few lines that load it and hand it each payload. See ``README.md`` beside this file for the contract with the server.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

__all__ = ["bundle_name", "bundle_path", "reading_room"]

_FOLDER = Path(__file__).parent

# Streamlit calls the default export again for every new payload, and cleans up only what the last call returned; a call
# that was overtaken while it waited is cleaned up at once. So the room is kept per element, and only the newest call
# may take it down.
_LOADER = """
const rooms = new WeakMap();

function appBase() {
  const script = document.querySelector('script[type="module"][src*="static/js/"]');
  return script ? new URL("../../", script.src).href : new URL("/", document.baseURI).href;
}

export default function (component) {
  const { data, parentElement } = component;
  let kept = rooms.get(parentElement);
  if (!kept) {
    const element = document.createElement("div");
    parentElement.appendChild(element);
    kept = { element, call: 0, room: null };
    rooms.set(parentElement, kept);
    const base = appBase();
    import(new URL(data.bundle, base).href).then(
      (module) => {
        if (rooms.get(parentElement) === kept) kept.room = module.mount(element, { payload: kept.payload, base });
      },
      () => {
        element.textContent = "The viewer could not be loaded. Reload the page; if it fails again, tell the study's admin.";
        element.setAttribute("role", "alert");
      },
    );
  }
  kept.payload = data.payload;
  kept.room?.update({ payload: data.payload });
  const call = ++kept.call;
  return () => {
    setTimeout(() => {
      if (kept.call !== call || rooms.get(parentElement) !== kept) return;
      rooms.delete(parentElement);
      kept.room?.destroy();
      kept.element.remove();
    });
  };
}
"""


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
        An existing file; its SHA-256 stands in ``BUNDLE.json``.
    """
    return _FOLDER / "dist" / bundle_name()


_component = st.components.v2.component("blindread_reading_room", js=_LOADER, isolate_styles=True)


def reading_room(payload: dict[str, Any], *, key: str) -> None:
    """Draw one payload: the images, the prompt and the form of one assignment, or the end of the list.

    The room stays alive over reruns. A payload for the assignment that it shows, or for one that it has already
    submitted, changes nothing; another one replaces what is shown. Answers do not come back through Streamlit: the
    room posts them to the server's own routes and gets the next payload with the acknowledgement.

    Parameters
    ----------
    payload : dict
        As built by ``services.blinding``; must be JSON. It is sent to the browser as it is, so it must hold nothing
        that the rater may not see.
    key : str
        Keep it the same from item to item: a new key is a new room, which loads everything again.
    """
    _component(key=key, data={"payload": payload, "bundle": f"assets/viewer/{bundle_name()}"})
