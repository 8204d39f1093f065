"""The Markdown texts that people acknowledge before they begin: instructions and consent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from exchange.refusal import Problems

if TYPE_CHECKING:
    from protocol.language.expansion import Expansion
    from protocol.study import Protocol

# `![words](address)` and `![words][name]`, on one line or several.
_IMAGE = re.compile(r"(?<!\\)!+\[((?:[^\[\]\\]|\\.)*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])?")
# Anything else that could start an image: without its exclamation mark it is a link at most, which is never fetched
# automatically.
_SIGN = re.compile(r"!+(?=\[)")
_NOTHING_LEFT = "nothing is left without its images, which are not shown here; write it in words."


def without_images(text: str) -> str:
    r"""Return a text with each image replaced by its alternative text: an image's host would learn who fetches it.

    >>> without_images("See ![the atlas](https://elsewhere.org/atlas.png) first.")
    'See the atlas first.'
    """
    return _SIGN.sub("", _IMAGE.sub(r"\1", text))


def leave_images_out(protocol: Protocol, name: str, problems: Problems) -> Protocol:
    """Remove images from the texts to acknowledge; stored protocols keep the texts that were acknowledged.

    Parameters
    ----------
    name
        The name of the file in problems.
    problems
        Gets a problem for each text of which nothing is left.
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
    """Do what `leave_images_out` does for a study that lists its phases."""
    texts = {"instructions": study.instructions, "consent": study.consent}
    written = texts | {f"phases.{phase.key}.instructions": phase.instructions for phase in study.phases}
    for key, text in written.items():
        if text.strip() and not without_images(text).strip():
            problems.add(name, f"key {key}", _NOTHING_LEFT)
    phases = [phase.model_copy(update={"instructions": without_images(phase.instructions)}) for phase in study.phases]
    return study.model_copy(update={key: without_images(text) for key, text in texts.items()} | {"phases": phases})
