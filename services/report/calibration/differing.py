"""Where a judge and people differ: the candidates with their texts, what each says of them, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exchange.report_csv import csv_lines
from exchange.report_structure import Column, PlainTable
from services.report.calibration.exported import VERDICT, Exported, Party, Said, Texts


@dataclass(frozen=True)
class Differing:
    """A candidate of which a run of a judge says otherwise than somebody.

    Attributes
    ----------
    place
        Among the candidates.
    against
        Share of the people with a verdict on it who say otherwise than the judge.
    people
        What each says, by name.
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
    """Return the candidates on which a run differs from people, those first that all people see otherwise."""
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
    """Return a line for each candidate and run that differ from somebody, with texts and remarks: to read, to code."""
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
    """Return some of them as a table of a page."""
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
