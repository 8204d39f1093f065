"""What people and judges said about a study's candidates, before it is laid out as a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from exchange.report.report_structure import Cell
from services.judging.import_labels import NOT_BLINDED_HERE

Kind = Literal["human", "judge"]
# What a party said about a candidate: its state, and the verdict if there is one.
Said = tuple[str, str | float | None]
VERDICT = "verdict"


@dataclass(frozen=True)
class Party:
    """A person or a judge's run, with what they said about each candidate; None if it was not theirs to rate.

    `prompt` is the version of a judge's prompt, as shown with the judge's name. `is_elsewhere` is whether a person's
    labels were made elsewhere, not blinded here.
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
        """The kind of party, with a remark if its labels were made elsewhere."""
        return f"{self.kind}, {NOT_BLINDED_HERE}" if self.is_elsewhere else self.kind


@dataclass(frozen=True)
class Texts:
    """A candidate's prompt, reference and answer, and people's remarks on it by name."""

    prompt: str
    reference: str
    answer: str
    remarks: Mapping[str, str]


@dataclass(frozen=True)
class Exported:
    """All candidates of models, and all parties with a verdict on any of them.

    Attributes
    ----------
    columns
        Names of what is known about each candidate, `item` and `candidate` first.
    candidates
        The values of the columns for each candidate, in the order of the study.
    levels
        The levels of the scale, lowest first; empty for numbers.
    numbers
        Ids of the candidates' rows.
    texts
        By id, for the candidates that people were asked about.
    explanations
        What a judge wrote about these candidates, by run name and id.
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
        """The places of the candidates on which at least one person gave a verdict."""
        people = [party.says for party in self.parties if party.kind == "human"]
        return [
            place
            for place in range(len(self.candidates))
            if any(said is not None and said[0] == VERDICT for said in (says[place] for says in people))
        ]
