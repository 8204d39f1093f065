"""A study in which people code the reasons for the answers on which judges and people differ."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence

from services.report.calibration.differing import Differing, differing_in
from services.report.calibration.exported import Exported

# The longest text that an attribute can hold, less the sentence that says something was cut.
_LONGEST = 1_900
_CUT = " [cut: the whole is in differing.csv]"
_NO_REFERENCE = "none given"
_COLUMNS = (
    "candidate", "item", "model", "answer", "answer_key", "run", "prompt_version", "judge_says", "judge_explains",
    "people_say",
)  # fmt: skip
# Coders see what the judge and people said, but not the run and prompt by which codes are counted.
_PROTOCOL = """\
blindread: 2
name: judge-errors
title: Why judge and people differ
instructions: |
  A judge said otherwise of each answer than at least one person. Say why: choose the one thing without which they would
  agree.
attributes:
  candidates:
    answer_key: text
    run: text
    prompt_version: text
    judge_says: {type: text, tells: reference}
    judge_explains: {type: text, tells: reference}
    people_say: {type: text, tells: reference}
phases:
  - key: code
    title: Coding
    question: Why do judge and people differ?
    rates: candidates
    shows: [prompt, reference, candidate, judge_says, judge_explains, people_say]
    form:
      cause:
        type: choice
        label: Primary cause
        options:
          people: {text: The judge is right, definition: People overlooked something.}
          strict: {text: Too strict, definition: 'What counts is right, in other words or with something added.'}
          lenient: {text: Too lenient, definition: Something that counts is wrong or missing.}
          misread: {text: Misread, definition: 'It says of question, reference or answer what does not stand there.'}
          invented: {text: Invented, definition: It asks for what neither question nor reference asks for.}
          open: {text: Open to both, definition: Question or reference can be read in two ways.}
          other: Something else
      what: {type: text, label: What is it then, when: {cause: other}}
analysis:
  primary: {estimate: agreement, of: code.cause}
  also:
    - {estimate: distribution, of: code.cause, by: prompt_version}
    - {estimate: distribution, of: code.cause, by: run}
"""


def coding(exported: Exported) -> dict[str, Iterator[str]]:
    """Return the tables of a study with one candidate for each run and answer on which the run differs from somebody.

    The prompt version is an attribute, so that study's own report counts codes by prompt version and by run.
    """
    rows = [
        (party.prompt, row)
        for party in exported.parties
        if party.kind == "judge"
        for row in differing_in(exported, party)
    ]
    items = {_key(exported, row): row for _, row in rows}
    return {
        "protocol.yaml": iter([_PROTOCOL]),
        "items.csv": _table(
            ("item", "category", "format", "prompt"),
            [(key, _value(exported, row, "category"), "open", row.texts.prompt) for key, row in items.items()],
        ),
        "references.csv": _table(
            ("item", "accepted"), [(key, row.texts.reference or _NO_REFERENCE) for key, row in items.items()]
        ),
        "candidates.csv": _table(
            _COLUMNS, [_candidate(number, prompt, row, exported) for number, (prompt, row) in enumerate(rows, start=1)]
        ),
    }


def _value(exported: Exported, row: Differing, column: str) -> str:
    return str(exported.candidates[row.place][exported.columns.index(column)])


def _key(exported: Exported, row: Differing) -> str:
    return _value(exported, row, "item")


def _candidate(number: int, prompt: str, row: Differing, exported: Exported) -> tuple[str, ...]:
    item, key = _key(exported, row), _value(exported, row, "candidate")
    people = ", ".join(f"{said} ({times})" for said, times in Counter(row.people.values()).most_common())
    explanation = row.explanation
    if len(explanation) > _LONGEST:
        explanation = explanation[:_LONGEST] + _CUT
    return (f"d{number}", item, row.model, row.texts.answer, key, row.run, prompt, row.says, explanation, people)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Return a table's text as an import reads it: cells unchanged, for programs rather than spreadsheets."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows([header, *rows])
    yield written.getvalue()
