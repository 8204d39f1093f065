"""What is shown beside the images, and how each kind of text is set."""

from __future__ import annotations

from typing import Annotated, Literal

from protocol.parts import Part, Says


class Context(Part):
    """What a rater learns about the case beside the images."""

    vignette: Annotated[bool, Says("whether the vignette of the case is shown", "vignette: no")] = True
    history: Annotated[bool, Says("whether the history of the case is shown", "history: yes")] = False
    age: Annotated[bool, Says("whether the age is shown", "age: yes")] = False
    dates: Annotated[
        Literal["months_since_prior", "acquisition_date", "hidden"],
        Says("what of the dates of the scans is shown", "dates: acquisition_date"),
    ] = "months_since_prior"


TextSetting = Literal["plain", "markdown"]


class TextSettings(Part):
    """How each kind of text is set: as it is written, or as Markdown without images, links and HTML."""

    prompt: Annotated[
        TextSetting,
        Says(
            "how prompts, also as the question of an answer to be scored, and as an earlier turn, are set",
            "prompt: markdown",
        ),
    ] = "plain"
    vignette: Annotated[TextSetting, Says("how vignettes are set", "vignette: markdown")] = "plain"
    reference: Annotated[
        TextSetting, Says("how references, in scoring and in the feedback of practice, are set", "reference: markdown")
    ] = "plain"
    candidate: Annotated[TextSetting, Says("how answers to be scored are set", "candidate: markdown")] = "plain"
    explanation: Annotated[
        TextSetting, Says("how explanations, in the feedback of practice, are set", "explanation: markdown")
    ] = "plain"
