"""Redundant parts of an analysis plan: keys that an estimate does not use, and names and lines given twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from protocol.fields import LISTS
from protocol.language.authored_plan import AuthoredCriterion, AuthoredEstimate, Estimated
from protocol.language.misfits import Misfits
from protocol.language.wording import path_in_words

Place = tuple[str, ...]
_OF_AN_OPTION: frozenset[Estimated] = frozenset({"rate", "joint_rate", "flag_precision"})


class Asked(Protocol):
    """The parts of a field that the checks of a line need."""

    @property
    def type(self) -> str: ...

    @property
    def at_most(self) -> int | None: ...

    @property
    def options(self) -> Sequence[object]: ...

    @property
    def positive(self) -> str | None: ...


def check_lines(lines: Sequence[tuple[Place, AuthoredEstimate, Mapping[str, Asked]]], misfits: Misfits) -> None:
    """Note the parts of these lines that would have no effect.

    Parameters
    ----------
    lines
        Each with its place in the protocol, and the fields that it can name, by PHASE.FIELD.
    """
    for place, line, fields in lines:
        _check_depth(line, fields, misfits, place)
        _check_counted(line, fields, misfits, place)
        _check_parts(line, misfits, place)
    for number, (place, line, _) in enumerate(lines):
        # Two criteria may require different things of one estimate, and they have their own keys.
        same = next((above for above, other, _ in lines[:number] if other == line), None)
        if same is not None and not isinstance(line, AuthoredCriterion):
            misfits.add(place, f"it says the same as {_named(same)}; remove one of the two.")


def _named(place: Place) -> str:
    return path_in_words([int(part) if part.isdigit() else part for part in place])


def _check_depth(line: AuthoredEstimate, fields: Mapping[str, Asked], misfits: Misfits, place: Place) -> None:
    if line.k is None:
        return
    if line.estimate != "pass_at":
        misfits.add((*place, "k"), f"k is how many lines pass_at looks at, and this is {line.estimate}; remove it.")
    for name in line.of if line.estimate == "pass_at" else ():
        most = fields[name].at_most if name in fields and fields[name].type in LISTS else None
        if most is not None and line.k > most:
            misfits.add(
                (*place, "k"), f"k is {line.k}, and '{name}' takes at most {most} lines; ask for {most} or less."
            )


def _check_counted(line: AuthoredEstimate, fields: Mapping[str, Asked], misfits: Misfits, place: Place) -> None:
    if line.option is not None and line.estimate not in _OF_AN_OPTION:
        says = f"an option is counted by rate, joint_rate and flag_precision, and this is {line.estimate}; remove it."
        misfits.add((*place, "option"), says)
    if line.option is None and line.estimate in ("rate", "flag_precision"):
        for name in line.of:
            # If the study lists options, `expanding` notes it, with their ids.
            if name in fields and fields[name].positive is None and not fields[name].options:
                says = f"{line.estimate} counts one option, and '{name}' has no positive one; write option."
                misfits.add(place, says)


def _check_parts(line: AuthoredEstimate, misfits: Misfits, place: Place) -> None:
    for key, names in (("by", line.by), ("over", line.over)):
        for name in sorted({name for name in names if names.count(name) > 1}):
            misfits.add((*place, key), f"'{name}' is listed twice; remove one.")
    if line.compare is None:
        return
    if line.compare in line.by:
        misfits.add(
            place, f"{line.compare} is compared, and each part by {line.compare} has one value; remove it from by."
        )
    if line.compare == "group" and len(line.where.get("group", [])) == 1:
        misfits.add(place, "groups of raters are compared, and where leaves one of them; remove compare, or name more.")
