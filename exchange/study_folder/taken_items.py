"""Which items a phase can take, as far as a study folder shows before anybody has answered."""

from __future__ import annotations

from exchange.study_folder.folder_rows import CaseRow
from exchange.study_folder.item_table import ItemRow
from protocol.language.expansion import Expansion, Phase, Source
from protocol.language.results import values_as_stored


def can_take(study: Expansion, source: Source, item: ItemRow, case: CaseRow | None) -> bool:
    """Return whether a phase can take an item, by what the tables say; what follows from answers is not known yet."""
    said = {
        **dict(case.attributes if case is not None else ()), **dict(item.attributes),
        "item": item.key, "case": item.case, "category": item.category, "format": item.format,
        "grounding": item.grounding, "practice": "yes" if item.practice else "no",
    }  # fmt: skip
    known = {*said, *(each.key for each in study.attributes if each.table in ("cases", "items"))}
    names_practice = any(condition.name == "practice" for condition in source.where)
    if source.phase is None and not names_practice and item.practice:
        return False
    behind = source.phase is None or can_take(study, study.phase(source.phase).source, item, case)
    return behind and all(
        said.get(condition.name, "") in values_as_stored(condition.name, condition.values, study.attributes)
        for condition in source.where
        if condition.name in known
    )


def can_pool(study: Expansion, pool: Phase, item: ItemRow, case: CaseRow | None) -> bool:
    """Return whether a phase that rates people's answers can rate some to an item: to others, models' are left out."""
    answered = [study.phase(pool.answers_of).source] if pool.answers_of is not None else []
    return all(can_take(study, source, item, case) for source in (*answered, pool.source))
