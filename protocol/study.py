"""A study's protocol as a whole.

The models of this package define the whole language of a protocol. Unknown keys are refused, so that a misspelt rule
is not silently ignored.
"""

from __future__ import annotations

import json
from typing import Annotated, Literal

from pydantic import Field

from protocol.analysis import AnalysisPlan
from protocol.context import Context, TextSettings
from protocol.forms import Form
from protocol.hanging import Hanging
from protocol.parts import Key, Part, Says, ShortText
from protocol.sections import Adjudication, Reading, Scoring

DateOrder = Literal["day_first", "month_first"]


class Protocol(Part):
    """A study's protocol, which is frozen with its items."""

    name: Annotated[
        str,
        Field(pattern=r"^[a-z0-9][a-z0-9-]{0,59}$"),
        Says(
            "the key of the study: lower-case letters, digits and hyphens; raters can see it in addresses",
            "name: side-of-the-lesion",
        ),
    ]
    title: Annotated[ShortText, Says("the title that everybody sees", "title: On which side is the lesion?")]
    instructions: Annotated[
        str,
        Field(min_length=1),
        Says(
            "instructions shown before the first item, in Markdown", "instructions: Answer each item from its images."
        ),
    ]
    consent: Annotated[
        str,
        Says(
            "the consent that raters give before their first part, in Markdown",
            "consent: I take part of my own will.",
            "no consent is asked for",
        ),
    ] = ""
    notice: Annotated[str | None, Says("a line above every item", "notice: For research only", "no line")] = None
    seed: Annotated[int, Says("the seed of all draws, used together with the study's draw key", "seed: 7")] = 1
    # How dates that end in the year are read; with None, ambiguous ones are refused.
    dates: Annotated[
        DateOrder | None,
        Says(
            "how ambiguous dates in the tables, such as 01/04/2020, are read",
            "dates: day_first",
            "ambiguous dates are refused",
        ),
    ] = None
    hanging: Annotated[
        Hanging, Says("how scans are hung", "hanging: {layout: switched}", "side by side, in three planes")
    ] = Hanging()
    context: Annotated[
        Context,
        Says(
            "what is shown about the case beside the scans",
            "context: {age: yes}",
            "the vignette and the months since the prior",
        ),
    ] = Context()
    text: Annotated[
        TextSettings, Says("how each kind of text is formatted", "text: {prompt: markdown}", "all texts are plain")
    ] = TextSettings()
    forms: Annotated[
        dict[Key, Form],
        Field(min_length=1),
        Says(
            "one form for each way of answering, under the name used in `items.csv`",
            "forms: {side: {fields: [{key: answer, type: choice, label: Side}]}}",
        ),
    ]
    reading: Annotated[
        Reading, Says("how items are read", "reading: {shuffle_options: yes}", "in random order, without practice")
    ] = Reading()
    scoring: Annotated[
        Scoring | None,
        Says(
            "the second phase, in which models' answers are scored",
            "scoring: {instructions: Score each., prompt: Right or not, sample: 40, "
            "form: {fields: [{key: answer, type: yes_no, label: Right}]}}",
            "no answers are scored",
        ),
    ] = None
    adjudication: Annotated[
        Adjudication | None,
        Says(
            "the reviewers' phase", "adjudication: {instructions: Decide which answer stands.}", "nothing is reviewed"
        ),
    ] = None
    analysis: Annotated[
        AnalysisPlan, Says("what is computed", "analysis: {resamples: 2000}", "the default of each of its keys")
    ] = AnalysisPlan()

    @staticmethod
    def of_canonical_json(text: str) -> Protocol:
        """Return the protocol stored as this JSON, under the rules in force when it was stored.

        Raises
        ------
        ValueError
            If it is not a protocol.
        """
        content = json.loads(text)
        if isinstance(content, dict) and isinstance(content.get("analysis"), dict):
            # Protocols stored before these keys existed lack them.
            content["analysis"].setdefault("draw", 1)
            content["analysis"].setdefault("kappa_interval", "adjusted")
        return Protocol.model_validate_json(json.dumps(content))

    def canonical_json(self) -> str:
        """Return the protocol as JSON with sorted keys and no spaces, the text that is hashed and stored."""
        return json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
