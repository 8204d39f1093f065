"""A study as its author writes it, with short forms normalised to one shape; no default comes from another key.

Every scalar arrives as text, and its declared type turns it into a number, a date or a yes. Unknown keys are refused.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from protocol.hanging import Hanging
from protocol.language.authored_fields import AuthoredAttributes, Fields
from protocol.language.authored_phases import AuthoredPhase
from protocol.language.authored_plan import AuthoredAnalysis
from protocol.language.short_forms import Keys, under_key
from protocol.parts import FromZero, Key, Part, Says, ShortText

StudyName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,59}$")]


class AuthoredGroup(Part):
    """People who do the same work; no one is in two groups unless `may_also_be` allows it."""

    title: Annotated[ShortText, Says("its name for admins", "title: Residents")]
    people: Annotated[
        Annotated[int, Field(ge=1, le=10_000)] | None,
        Says("how many people are planned", "people: 3", "as many as are invited"),
    ] = None
    may_also_be: Annotated[
        Keys, Says("other groups that its members may also join", "may_also_be: scorers", "none")
    ] = []


class AuthoredStudy(Part):
    """A study as its author writes it."""

    blindread: Annotated[Literal["2"], Says("the version of the language", "blindread: 2")]
    name: Annotated[
        StudyName,
        Says(
            "the key of the study: lower-case letters, digits and hyphens; raters can see it in addresses",
            "name: same-fact",
        ),
    ]
    title: Annotated[ShortText, Says("the title that everybody sees", "title: Same fact or not")]
    instructions: Annotated[
        str,
        Says(
            "instructions shown before a phase's first unit unless the phase has its own, in Markdown",
            "instructions: Read every item.",
        ),
    ] = ""
    consent: Annotated[
        str,
        Says(
            "the consent that raters give before their first part, in Markdown",
            "consent: I take part of my own will.",
            "no consent is asked for",
        ),
    ] = ""
    notice: Annotated[str | None, Says("a line above every unit", "notice: For research only", "no line")] = None
    seed: Annotated[FromZero, Says("the seed of all draws, used together with the study's draw key", "seed: 7")] = 1
    dates: Annotated[
        Literal["day_first", "month_first"] | None,
        Says(
            "how ambiguous dates in the tables, such as 01/04/2020, are read",
            "dates: day_first",
            "ambiguous dates are refused",
        ),
    ] = None
    hanging: Annotated[
        Hanging, Says("how scans are hung", "hanging: {layout: switched}", "side by side, in three planes")
    ] = Hanging()
    groups: Annotated[
        dict[
            Key,
            Annotated[
                AuthoredGroup, BeforeValidator(under_key("title"), json_schema_input_type=ShortText | AuthoredGroup)
            ],
        ],
        Says("the groups of raters, by key", "groups: {residents: Residents}", "everybody is in one group"),
    ] = {}
    attributes: Annotated[
        AuthoredAttributes, Says("additional columns of the tables", "attributes: {items: {tier: text}}", "none")
    ] = AuthoredAttributes()
    forms: Annotated[
        dict[Key, Fields],
        Says(
            "forms that items and phases refer to by name, each with its fields",
            "forms: {open: {answer: text}}",
            "each phase lists its own fields",
        ),
    ] = {}
    phases: Annotated[
        Annotated[list[AuthoredPhase], Field(min_length=1, max_length=40)],
        Says("the phases, in order", "phases: [{key: read, rates: items, shows: [prompt], form: {answer: text}}]"),
    ]
    analysis: Annotated[
        AuthoredAnalysis,
        Says(
            "the analysis plan, declared before the first verdict",
            "analysis: {primary: {estimate: agreement, of: read.answer}}",
            "nothing is declared",
        ),
    ] = AuthoredAnalysis()
