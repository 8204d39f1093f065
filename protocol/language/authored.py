"""What the author of a study writes, with its short forms brought into one shape; nothing is defaulted from elsewhere.

Every scalar arrives as text: the declared type makes it a number, a date or yes. Unknown keys are refused.
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
    """People who do the same work; apart from all other groups unless it says otherwise."""

    title: Annotated[ShortText, Says("its name for admins", "title: Residents")]
    people: Annotated[
        Annotated[int, Field(ge=1, le=10_000)] | None,
        Says("how many are planned", "people: 3", "as many as are invited"),
    ] = None
    may_also_be: Annotated[
        Keys, Says("other groups in which the same person may be", "may_also_be: scorers", "none")
    ] = []


class AuthoredStudy(Part):
    """A study, as it is written."""

    blindread: Annotated[Literal["2"], Says("the version of the language", "blindread: 2")]
    name: Annotated[
        StudyName,
        Says(
            "the key of the study, in lower-case letters, digits and hyphens; raters can see it in addresses",
            "name: same-fact",
        ),
    ]
    title: Annotated[ShortText, Says("what everybody sees", "title: Same fact or not")]
    instructions: Annotated[
        str,
        Says(
            "what is read before the first unit of each phase without its own, in Markdown",
            "instructions: Read every item.",
        ),
    ] = ""
    consent: Annotated[
        str,
        Says(
            "what raters agree to before their first part, in Markdown",
            "consent: I take part of my own will.",
            "nothing is asked",
        ),
    ] = ""
    notice: Annotated[str | None, Says("a line above every unit", "notice: For research only", "no line")] = None
    seed: Annotated[FromZero, Says("what draws depend on, beside the secret of the study", "seed: 7")] = 1
    dates: Annotated[
        Literal["day_first", "month_first"] | None,
        Says(
            "how dates in the tables are read that have two readings, as 01/04/2020",
            "dates: day_first",
            "they are refused",
        ),
    ] = None
    hanging: Annotated[
        Hanging, Says("how scans hang", "hanging: {layout: switched}", "side by side, in three planes")
    ] = Hanging()
    groups: Annotated[
        dict[
            Key,
            Annotated[
                AuthoredGroup, BeforeValidator(under_key("title"), json_schema_input_type=ShortText | AuthoredGroup)
            ],
        ],
        Says("who does the same work, by key", "groups: {residents: Residents}", "everybody is in one"),
    ] = {}
    attributes: Annotated[
        AuthoredAttributes, Says("further columns of the tables", "attributes: {items: {tier: text}}", "none")
    ] = AuthoredAttributes()
    forms: Annotated[
        dict[Key, Fields],
        Says(
            "forms that items and phases name, each with its fields",
            "forms: {open: {answer: text}}",
            "each phase has its fields",
        ),
    ] = {}
    phases: Annotated[
        Annotated[list[AuthoredPhase], Field(min_length=1, max_length=40)],
        Says("the phases in their order", "phases: [{key: read, rates: items, shows: [prompt], form: {answer: text}}]"),
    ]
    analysis: Annotated[
        AuthoredAnalysis,
        Says(
            "what is declared before the first verdict",
            "analysis: {primary: {estimate: agreement, of: read.answer}}",
            "nothing is declared",
        ),
    ] = AuthoredAnalysis()
