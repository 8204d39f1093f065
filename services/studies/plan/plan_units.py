"""What a listed study's analysis plan can be about, as its tables say before anything is answered."""

from __future__ import annotations

from dataclasses import dataclass

from exchange.study_folder.folder_rows import CandidateRow, StudyFolder
from exchange.study_folder.item_table import ItemRow
from protocol.language.expansion import Expansion, Phase
from protocol.language.pools import rates_texts
from protocol.language.results import FORM
from services.studies.plan.plan_reach import drawable


@dataclass(frozen=True)
class PlannedUnit:
    """An item or candidate that a phase could draw, with its case."""

    item: ItemRow
    candidate: CandidateRow | None
    of_case: dict[str, str]
    subject: str

    @property
    def item_key(self) -> str:
        """The key of its item."""
        return self.item.key

    @property
    def form(self) -> str:
        """The form that its item names."""
        return self.item.form

    def value_of(self, name: str) -> str:
        """Return its value of a column or attribute; empty if it has none."""
        own = {
            "subject": self.subject, "case": self.item.case, "item": self.item.key, "category": self.item.category,
            "format": self.item.format, "grounding": self.item.grounding,
            "conversation": self.item.conversation or "", "practice": "yes" if self.item.practice else "no",
            "model": self.candidate.model if self.candidate is not None else "",
        }  # fmt: skip
        if name in own:
            return own[name]
        of_candidate = dict(self.candidate.attributes) if self.candidate is not None else {}
        declared = of_candidate.get(name) or dict(self.item.attributes).get(name) or self.of_case.get(name, "")
        return declared or (self.item.form if name == FORM else "")


def units_of(study: Expansion, phase: Phase, contents: StudyFolder) -> list[PlannedUnit]:
    """Return the units that a phase could draw from, as far as known before anything is answered."""
    cases = {case.key: case for case in contents.cases}
    items = {item.key: item for item in contents.items if not item.practice}

    def unit(item: ItemRow, candidate: CandidateRow | None) -> PlannedUnit:
        case = cases[item.case]
        return PlannedUnit(item, candidate, dict(case.attributes), case.subject)

    if rates_texts(phase):
        units = [unit(items[row.item], row) for row in contents.candidates if row.item in items and row.answer]
    else:
        units = [unit(item, None) for item in items.values()]
    return drawable(study, phase, units)
