"""What is shown beside the images, and how each kind of text is formatted."""

from __future__ import annotations

from typing import Annotated, Literal

from protocol.parts import Part, Says


class Context(Part):
    """What a rater learns about the case in addition to the images."""

    vignette: Annotated[bool, Says("whether the vignette of the case is shown", "vignette: no")] = True
    history: Annotated[bool, Says("whether the history of the case is shown", "history: yes")] = False
    age: Annotated[bool, Says("whether the age is shown", "age: yes")] = False
    dates: Annotated[
        Literal["months_since_prior", "acquisition_date", "hidden"],
        Says("how the dates of the scans are shown", "dates: acquisition_date"),
    ] = "months_since_prior"


TextSetting = Literal["plain", "markdown"]


class TextSettings(Part):
    """How each kind of text is formatted: as written, or as Markdown without images, links and HTML."""

    prompt: Annotated[
        TextSetting,
        Says(
            "how prompts are formatted, including those of answers to be scored and of earlier turns",
            "prompt: markdown",
        ),
    ] = "plain"
    vignette: Annotated[TextSetting, Says("how vignettes are formatted", "vignette: markdown")] = "plain"
    reference: Annotated[
        TextSetting,
        Says("how references are formatted, in scoring and in practice feedback", "reference: markdown"),
    ] = "plain"
    candidate: Annotated[TextSetting, Says("how answers to be scored are formatted", "candidate: markdown")] = "plain"
    explanation: Annotated[
        TextSetting, Says("how explanations in practice feedback are formatted", "explanation: markdown")
    ] = "plain"
