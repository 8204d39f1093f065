"""The field types for which each estimate is possible; `computed` says which of them this release computes."""

from __future__ import annotations

from collections.abc import Mapping

from protocol.fields import KINDS, ONE_OPTION, types_on
from protocol.language.authored_plan import AuthoredEstimate, Estimated, are_right_at_once
from protocol.language.misfits import Misfits
from protocol.language.wording import listed

_ONE_OPTION = ONE_OPTION | {"resolution", "guess", "correctness", "as_item"}
_SCORED = ONE_OPTION | types_on("interval") | {"correctness", "as_item"}
_OPTIONS = _ONE_OPTION | types_on("set") | {"preference", "confidence"}
# Types whose answers a reference can make right or wrong.
_RIGHT = _ONE_OPTION - {"correctness"} | frozenset(KINDS)
# Estimates that are not listed are possible for every type.
POSSIBLE: Mapping[Estimated, frozenset[str]] = {
    "distance": types_on("place"),
    "win_rate": frozenset({"preference"}),
    "blinding_index": frozenset({"guess"}),
    "calibration": frozenset({"confidence"}),
    "pass_at": types_on("ranking", "text") | {"choice", "as_item"},
    "macro_f1": _ONE_OPTION,
    "mean": types_on("ordinal", "interval") | {"confidence", "correctness"},
    "distribution": _OPTIONS,
    "rate": _OPTIONS,
    "joint_rate": _OPTIONS,
    "flag_precision": _OPTIONS,
    "direction": _SCORED,
    "uniformity": _SCORED,
    "corrected": _SCORED,
    "correlation": _SCORED | {"confidence"},
}


def check_possible(line: AuthoredEstimate, types: Mapping[str, str], misfits: Misfits, place: tuple[str, ...]) -> None:
    """Note the fields of a line for whose type its estimate is impossible.

    Parameters
    ----------
    types
        The types of the fields that are filled in, by PHASE.FIELD.
    """
    possible = _RIGHT if are_right_at_once(line) else POSSIBLE.get(line.estimate)
    for name in line.of if possible is not None else ():
        if name in types and types[name] not in (possible or ()):
            misfits.add(
                (*place, "estimate"),
                f"{line.estimate} can be of a field of the type {listed(sorted(possible or ()), 'or')}, and '{name}' "
                f"is {types[name]}; name another field or another estimate.",
            )
