"""The texts that are acknowledged before somebody begins: instructions and consent, written in Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from exchange.refusal import Problems

if TYPE_CHECKING:
    from protocol.language.expansion import Expansion
    from protocol.study import Protocol

# `![words](address)` and `![words][name]`, on one line or several.
_IMAGE = re.compile(r"(?<!\\)!+\[((?:[^\[\]\\]|\\.)*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])?")
# Whatever else could begin one: without its sign it is at most a link, which nothing fetches by itself.
_SIGN = re.compile(r"!+(?=\[)")
_NOTHING_LEFT = "nothing is left without its images, which are not shown here; write it in words."


def without_images(text: str) -> str:
    r"""Return a text with the words of its images in their place: the host of an image learns who fetches it.

    >>> without_images("See ![the atlas](https://elsewhere.org/atlas.png) first.")
    'See the atlas first.'
    """
    return _SIGN.sub("", _IMAGE.sub(r"\1", text))


def leave_images_out(protocol: Protocol, name: str, problems: Problems) -> Protocol:
    """Leave images out of what is acknowledged; a protocol that is stored already keeps what was acknowledged.

    Parameters
    ----------
    name
        What a problem calls the file.
    problems
        Takes a text of which nothing is left.
    """
    parts = {
        key: part.model_copy(update={"instructions": without_images(part.instructions)})
        for key, part in (("scoring", protocol.scoring), ("adjudication", protocol.adjudication))
        if part is not None
    }
    texts = {key: without_images(getattr(protocol, key)) for key in ("instructions", "consent")}
    written = {"instructions": texts["instructions"]} | {
        f"{key}.instructions": part.instructions for key, part in parts.items()
    }
    for key, text in written.items():
        if not text.strip():
            problems.add(name, f"key {key}", _NOTHING_LEFT)
    return protocol.model_copy(update=texts | parts)


def leave_images_out_of_phases(study: Expansion, name: str, problems: Problems) -> Expansion:
    """Leave images out of what is acknowledged in a study that lists its phases, as `leave_images_out` does."""
    texts = {"instructions": study.instructions, "consent": study.consent}
    written = texts | {f"phases.{phase.key}.instructions": phase.instructions for phase in study.phases}
    for key, text in written.items():
        if text.strip() and not without_images(text).strip():
            problems.add(name, f"key {key}", _NOTHING_LEFT)
    phases = [phase.model_copy(update={"instructions": without_images(phase.instructions)}) for phase in study.phases]
    return study.model_copy(update={key: without_images(text) for key, text in texts.items()} | {"phases": phases})
