"""What stands beside the images, and how each kind of text is set."""

from __future__ import annotations

from typing import Literal

from protocol.parts import Part


class Context(Part):
    """What a rater learns about the case beside the images."""

    vignette: bool = True
    history: bool = False
    age: bool = False
    dates: Literal["months_since_prior", "acquisition_date", "hidden"] = "months_since_prior"


TextSetting = Literal["plain", "markdown"]


class TextSettings(Part):
    """How each kind of text is set: as it is written, or as Markdown without images, links and HTML."""

    prompt: TextSetting = "plain"
    vignette: TextSetting = "plain"
    reference: TextSetting = "plain"
    candidate: TextSetting = "plain"
    explanation: TextSetting = "plain"
