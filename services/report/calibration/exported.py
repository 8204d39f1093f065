"""What people and judges said of the candidates of a study, before it is laid out as a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from exchange.report_structure import Cell
from services.judging.import_labels import NOT_BLINDED_HERE

Kind = Literal["human", "judge"]
# What somebody says of a candidate: what became of it, and the verdict where there is one.
Said = tuple[str, str | float | None]
VERDICT = "verdict"


@dataclass(frozen=True)
class Party:
    """A person or a run of a judge, with what they say of each candidate; None of those that were not theirs.

    `prompt` is the version of a judge's prompt, as it is named beside the judge; `is_elsewhere` whether a person gave
    their labels elsewhere, not blinded here.
    """

    name: str
    kind: Kind
    run: str
    says: Sequence[Said | None]
    prompt: str = ""
    is_elsewhere: bool = False

    @property
    def called(self) -> str:
        """What it is called where it stands beside others: two prompts of a judge are two judges."""
        return self.prompt or self.name

    @property
    def kind_in_words(self) -> str:
        """What it is, with what holds of a person's labels that were made elsewhere."""
        return f"{self.kind}, {NOT_BLINDED_HERE}" if self.is_elsewhere else self.kind


@dataclass(frozen=True)
class Texts:
    """What a candidate is about, what counts as right, and what it answers; what people remarked, by name."""

    prompt: str
    reference: str
    answer: str
    remarks: Mapping[str, str]


@dataclass(frozen=True)
class Exported:
    """All candidates of models, and all who say something of them.

    Attributes
    ----------
    columns
        Names of what is known of each candidate, `item` and `candidate` first.
    candidates
        Of each the values of the columns, in the order of the study.
    levels
        Of the scale, lowest first; empty of numbers.
    numbers
        Ids of the candidates' rows.
    texts
        By id, of the candidates that people were asked about.
    explanations
        What a judge wrote about these, by the name of its run and by id.
    """

    columns: tuple[str, ...]
    candidates: Sequence[Sequence[Cell]]
    parties: Sequence[Party]
    levels: tuple[str, ...]
    numbers: Sequence[int] = ()
    texts: Mapping[int, Texts] = field(default_factory=dict)
    explanations: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    @property
    def labelled(self) -> list[int]:
        """The places of the candidates on which a person gave a verdict."""
        people = [party.says for party in self.parties if party.kind == "human"]
        return [
            place
            for place in range(len(self.candidates))
            if any(said is not None and said[0] == VERDICT for said in (says[place] for says in people))
        ]
