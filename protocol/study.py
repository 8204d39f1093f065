"""A study's protocol as a whole.

The models of this package are the whole language of a protocol. An unknown key is refused, so that a misspelt rule
cannot silently be no rule.
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
    """A study's protocol; frozen with its items."""

    name: Annotated[
        str,
        Field(pattern=r"^[a-z0-9][a-z0-9-]{0,59}$"),
        Says(
            "the key of the study, in lower-case letters, digits and hyphens; raters can see it in addresses",
            "name: side-of-the-lesion",
        ),
    ]
    title: Annotated[ShortText, Says("what everybody sees", "title: On which side is the lesion?")]
    instructions: Annotated[
        str,
        Field(min_length=1),
        Says("what is read before the first item, in Markdown", "instructions: Answer each item from its images."),
    ]
    consent: Annotated[
        str,
        Says(
            "what raters agree to before their first part, in Markdown",
            "consent: I take part of my own will.",
            "nothing is asked",
        ),
    ] = ""
    notice: Annotated[str | None, Says("a line above every item", "notice: For research only", "no line")] = None
    seed: Annotated[int, Says("what draws depend on, beside the secret of the study", "seed: 7")] = 1
    # How a date in a table is read that ends in its year; None: only where it has one reading.
    dates: Annotated[
        DateOrder | None,
        Says(
            "how dates in the tables are read that have two readings, as 01/04/2020",
            "dates: day_first",
            "they are refused",
        ),
    ] = None
    hanging: Annotated[
        Hanging, Says("how scans hang", "hanging: {layout: switched}", "side by side, in three planes")
    ] = Hanging()
    context: Annotated[
        Context,
        Says(
            "what is shown of the case beside the scans",
            "context: {age: yes}",
            "the vignette and the months since the prior",
        ),
    ] = Context()
    text: Annotated[
        TextSettings, Says("how each kind of text is set", "text: {prompt: markdown}", "all of it is plain")
    ] = TextSettings()
    forms: Annotated[
        dict[Key, Form],
        Field(min_length=1),
        Says(
            "one form for each way of answering, by the name that `items.csv` gives",
            "forms: {side: {fields: [{key: answer, type: choice, label: Side}]}}",
        ),
    ]
    reading: Annotated[
        Reading, Says("how items are read", "reading: {shuffle_options: yes}", "in random order, without practice")
    ] = Reading()
    scoring: Annotated[
        Scoring | None,
        Says(
            "the second phase, in which answers of models are scored",
            "scoring: {instructions: Score each., prompt: Right or not, sample: 40, "
            "form: {fields: [{key: answer, type: yes_no, label: Right}]}}",
            "no answers are scored",
        ),
    ] = None
    adjudication: Annotated[
        Adjudication | None,
        Says(
            "the phase of reviewers", "adjudication: {instructions: Decide which answer stands.}", "nothing is reviewed"
        ),
    ] = None
    analysis: Annotated[
        AnalysisPlan, Says("what is computed", "analysis: {resamples: 2000}", "as each of its keys says")
    ] = AnalysisPlan()

    @staticmethod
    def of_canonical_json(text: str) -> Protocol:
        """Return the protocol that was stored as such JSON, by the rules under which it was stored.

        Raises
        ------
        ValueError
            When it is no protocol.
        """
        content = json.loads(text)
        if isinstance(content, dict) and isinstance(content.get("analysis"), dict):
            # stored before there was a choice
            content["analysis"].setdefault("draw", 1)
            content["analysis"].setdefault("kappa_interval", "adjusted")
        return Protocol.model_validate_json(json.dumps(content))

    def canonical_json(self) -> str:
        """Return the protocol as JSON with sorted keys and no spaces: the text that is hashed and stored."""
        return json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
