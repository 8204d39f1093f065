"""Disagreements between a judge and people: the candidates with their texts, and what each said and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exchange.report.report_csv import csv_lines
from exchange.report.report_structure import Column, PlainTable
from services.report.calibration.exported import VERDICT, Exported, Party, Said, Texts


@dataclass(frozen=True)
class Differing:
    """A candidate on which a judge's run differs from at least one person.

    Attributes
    ----------
    place
        Its place among the candidates.
    against
        The share of people with a verdict on it whose verdict differs from the judge's.
    people
        Each person's verdict, by name.
    """

    place: int
    model: str
    run: str
    says: str
    explanation: str
    against: float
    people: dict[str, str]
    texts: Texts


def differing_in(exported: Exported, run: Party) -> list[Differing]:
    """Return the candidates on which a run differs from people, those that most people contradict first."""
    people = [party for party in exported.parties if party.kind == "human"]
    of_model = exported.columns.index("model")
    where = []
    for place in exported.labelled:
        said = run.says[place]
        if not _is_verdict(said):
            continue
        verdicts = {each.name: each.says[place] for each in people if _is_verdict(each.says[place])}
        against = sum(own != said for own in verdicts.values())
        if against:
            number = exported.numbers[place]
            where.append(
                Differing(
                    place,
                    str(exported.candidates[place][of_model]),
                    run.run,
                    _in_words(said),
                    exported.explanations.get(run.run, {}).get(number, ""),
                    against / len(verdicts),
                    {name: _in_words(own) for name, own in verdicts.items()},
                    exported.texts[number],
                )
            )
    return sorted(where, key=lambda row: -row.against)


def differing(exported: Exported) -> dict[str, Iterator[str]]:
    """Return a line for each run and candidate on which it differs from somebody, with texts and remarks to code."""
    people = [party.name for party in exported.parties if party.kind == "human"]
    header = (
        *exported.columns, "prompt", "reference", "answer", "run", "prompt_version", "judge_says",
        "explanation", "share_against",
        *(f"{name} {what}" for name in people for what in ("says", "remarks")),
    )  # fmt: skip
    lines = (
        (
            *exported.candidates[row.place], row.texts.prompt, row.texts.reference, row.texts.answer, row.run,
            run.prompt, row.says, row.explanation or None, row.against,
            *(cell or None for name in people for cell in (row.people.get(name), row.texts.remarks.get(name))),
        )
        for run in exported.parties
        if run.kind == "judge"
        for row in differing_in(exported, run)
    )  # fmt: skip
    return {"differing.csv": csv_lines(header, lines)}


def table_of(rows: Sequence[Differing]) -> PlainTable:
    """Return some of them as a table for a page."""
    return PlainTable(
        key="differing",
        title="",
        explanation="",
        columns=(
            Column("model", "Model", "Whose answer it is"),
            Column("prompt", "Question", "The prompt of the item"),
            Column("reference", "Reference", "What counts as right"),
            Column("answer", "Answer", "Of the model"),
            Column("judge", "Judge", "What it says, and why"),
            Column("people", "People", "What each says, and why"),
        ),
        rows=tuple(
            (
                row.model,
                row.texts.prompt,
                row.texts.reference or None,
                row.texts.answer,
                ": ".join(filter(None, (row.says, row.explanation))),
                "; ".join(_of_person(name, says, row.texts) for name, says in row.people.items()),
            )
            for row in rows
        ),
        grouped=True,
    )


def _of_person(name: str, says: str, texts: Texts) -> str:
    remark = texts.remarks.get(name)
    return f"{name}: {says} ({remark})" if remark else f"{name}: {says}"


def _is_verdict(said: Said | None) -> bool:
    return said is not None and said[0] == VERDICT and said[1] is not None


def _in_words(said: Said | None) -> str:
    verdict = None if said is None else said[1]
    return f"{verdict:g}" if isinstance(verdict, float) else str(verdict)
