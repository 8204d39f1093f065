"""What tells several answers of one model to one item apart: the conditions under which models were asked."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from protocol.language.expansion import Expansion
from services.report.rows.listed_rows import CandidateLine


def conditions_of(candidates: Sequence[CandidateLine], study: Expansion) -> tuple[str, ...]:
    """Return the attributes that are conditions, among all models' answers of the study, drawn or not.

    A number is none: it hardly ever has the same value for two models.
    """
    of_models = [line for line in candidates if line.model and not line.pair]
    declared = [each.key for each in study.attributes if each.table == "candidates" and each.type != "number"]
    return telling_apart(
        [(line.item, line.model) for line in of_models],
        {key: [line.attributes.get(key, "") for line in of_models] for key in declared},
    )


def telling_apart(asked: Sequence[Hashable], attributes: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the names of the attributes that tell answers to the same question apart; none if each has one answer.

    The first that tells all of them apart is enough. If no single one does, every attribute that tells more of them
    apart than those before it is one. A calibration finds its conditions by the same rule.

    Parameters
    ----------
    asked
        The question of each answer.
    attributes
        By name, the value of each answer.
    """
    many = len({*asked})
    if many == len(asked):
        return ()
    for name, values in attributes.items():
        if len({*zip(asked, values, strict=True)}) == len(asked):
            return (name,)
    chosen: list[str] = []
    units = list(asked)
    for name, values in attributes.items():
        finer: list[Hashable] = list(zip(units, values, strict=True))
        if len({*finer}) > many:
            chosen, units, many = [*chosen, name], finer, len({*finer})
    return tuple(chosen)
