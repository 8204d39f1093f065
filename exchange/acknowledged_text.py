"""The texts that are acknowledged before somebody begins: instructions and consent, written in Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from exchange.refusal import Problems

if TYPE_CHECKING:
    from protocol.study import Protocol

# `![words](address)` and `![words][name]`, on one line or several.
_IMAGE = re.compile(r"(?<!\\)!+\[((?:[^\[\]\\]|\\.)*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])?")
# Whatever else could begin one: without its sign it is at most a link, which nothing fetches by itself.
_SIGN = re.compile(r"!+(?=\[)")


def without_images(text: str) -> str:
    r"""Return a text with the words of its images in their place: whoever keeps an image learns who fetches it.

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
            problems.add(
                name,
                f"key {key}",
                "nothing is left without its images, which are not shown here; write it in words.",
            )
    return protocol.model_copy(update=texts | parts)
