"""The texts that are acknowledged before somebody begins: instructions and consent, written in Markdown."""

from __future__ import annotations

import re

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
