"""Studies as their authors write them, for tests that change one thing."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import yaml

from protocol.language.authored import AuthoredStudy
from protocol.language.authored_fields import AuthoredOption
from protocol.language.expanding import expand
from protocol.language.expansion import Expansion
from protocol.language.misfits import DoesNotFit

LISTS = {"correctness": [AuthoredOption(id=str(step), text=f"step {step}") for step in (1, 2, 3)]}

# PyYAML's loader in C, where it has one, is the same and quicker.
LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
HEAD = """
blindread: 2
name: a-study
title: A study
"""


def document(text: str) -> dict[str, Any]:
    """Return what a protocol says below its head, every scalar as text."""
    return yaml.load(HEAD + dedent(text), Loader=LOADER)


def expanded(text: str) -> Expansion:
    """Return the study that a protocol says, written out."""
    return expand(AuthoredStudy.model_validate(document(text)), "0.0.0", LISTS)


def misfits_of(text: str) -> dict[str, str]:
    """Return what does not fit, by its key; empty where all of it does."""
    try:
        expanded(text)
    except DoesNotFit as refusal:
        return {".".join(place): says for place, says in refusal.misfits.noted}
    return {}


def one_phase(form: str, rates: str = "items", more: str = "") -> str:
    """Return a study of one phase with this form."""
    return f"phases: [{{key: a, rates: {rates}, shows: [], form: {form}{more}}}]"
