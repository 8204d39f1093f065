"""Every command and option of `manage.py` that the documents name exists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer.main

import manage
from tests.docs.markdown import blocks, documents, name_of, spans
from tests.harness.server import ROOT

CALL = re.compile(r"(?:^|[\s/])manage\.py(?: +|$)(.*)")
# In a fenced block, a drawing of the folders may name the file too.
CALL_IN_A_BLOCK = re.compile(r"(?:python3? +)manage\.py +(.*)")
COMMAND_LINE = typer.main.get_command(manage.cli)


def calls(text: str) -> list[str]:
    """Return what follows `manage.py` in the code of a document."""
    lines = [line for block in blocks(text) for line in block.splitlines()]
    matches = [CALL.search(span) for span in spans(text)] + [CALL_IN_A_BLOCK.search(line) for line in lines]
    return [match[1] for match in matches if match is not None and match[1]]


def fault_of(call: str) -> str | None:
    """Return what of a call is unknown to the command line, or return None."""
    words = shlex.split(call, comments=True)
    command: Any = COMMAND_LINE
    arguments = 0
    while words:
        word = words.pop(0)
        if word.startswith("-"):
            name, _, value = word.partition("=")
            option = next((given for given in command.params if name in given.opts), None)
            if option is None and name != "--help":
                return f"no option {name}"
            if option is not None and not option.is_flag and not value and words:
                words.pop(0)
        elif hasattr(command, "commands"):
            if word not in command.commands:
                return f"no command {word}"
            command = command.commands[word]
        else:
            arguments += 1
    most = sum(given.param_type_name == "argument" for given in command.params)
    return f"{arguments} arguments, not {most}" if arguments > most else None


@pytest.mark.parametrize("document", [*documents(), ROOT / "CHANGELOG.md"], ids=name_of)
def test_every_call_that_is_named_is_possible(document: Path) -> None:
    named = calls(document.read_text(encoding="utf-8"))

    assert {call: fault for call in named if (fault := fault_of(call))} == {}


def test_the_documents_name_calls_at_all() -> None:
    named = {call.split()[0] for document in documents() for call in calls(document.read_text(encoding="utf-8"))}

    assert {"owner", "backup", "restore", "verify", "import", "judge"} <= named


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        ("import STUDY --over-draft", None),
        ("--data-dir /srv/blindread owner LOGIN --name NAME", None),
        ("judge import STUDY FILE --name RUN   # a comment", None),
        ("verify STUDY --audit-head FILE", None),
        ("--help", None),
        ("importing STUDY", "no command importing"),
        ("judge exports STUDY", "no command exports"),
        ("import STUDY --over-drafts", "no option --over-drafts"),
        ("--name NAME owner LOGIN", "no option --name"),
        ("backup FOLDER ANOTHER", "2 arguments, not 1"),
    ],
)
def test_a_call_that_is_impossible_is_told_from_others(call: str, fault: str | None) -> None:
    assert fault_of(call) == fault
