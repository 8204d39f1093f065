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
from protocol.parts import Key, Part, ShortText
from protocol.sections import Adjudication, Reading, Scoring

DateOrder = Literal["day_first", "month_first"]


class Protocol(Part):
    """A study's protocol; frozen with its items."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,59}$")]
    title: ShortText
    instructions: Annotated[str, Field(min_length=1)]
    consent: str = ""
    notice: str | None = None
    seed: int = 1
    # How a date in a table is read that ends in its year; None: only where it has one reading.
    dates: DateOrder | None = None
    hanging: Hanging = Hanging()
    context: Context = Context()
    text: TextSettings = TextSettings()
    forms: Annotated[dict[Key, Form], Field(min_length=1)]
    reading: Reading = Reading()
    scoring: Scoring | None = None
    adjudication: Adjudication | None = None
    analysis: AnalysisPlan = AnalysisPlan()

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
