"""Redundancy that reveals an edit of a certificate: digests of its parts, and outcomes that follow from its numbers.

Neither is a signature. Anybody who means to change a certificate can write new digests, and numbers that fit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from agreement.judge import missing
from agreement.judge.panels.criteria import AGREEMENT, DIRECTION, HUMANS, MISSING, PASSED, STRATUM
from agreement.judge.plan import Plan
from agreement.judge.scale import Scale
from agreement.judge.signed import margin_of

KEY = "digests"
NO_SIGNATURE = "Digests of its parts show an accidental edit to `check`; they are no signature."

# No number in a plan is as large, and one beyond the range of a float could not be compared.
_LARGEST = 1e300
_Rule = Callable[[Mapping[str, Any], Mapping[str, Any]], bool]


def digests_of(document: Mapping[str, Any]) -> dict[str, str]:
    """A digest of each part of a certificate, keyed by the part's name.

    Parameters
    ----------
    document : dict
        A certificate; digests that it already has are ignored.

    Returns
    -------
    dict of str to str
        The first 16 hexadecimal digits of the SHA-256 of the part as JSON, with sorted keys and whole numbers without a
        fraction, so that a certificate rewritten by another program keeps its digests.

    Examples
    --------
    >>> digests_of({"looks": 1}) == digests_of({"looks": 1.0, "digests": {}})
    True
    """
    return {name: _digest(part) for name, part in document.items() if name != KEY}


def edited_part(document: Mapping[str, Any]) -> str | None:
    """The first part of a certificate that does not match its digest.

    Parameters
    ----------
    document : dict

    Returns
    -------
    str or None
        The rest of a sentence. None if all match, or for an older certificate, which has no digests.
    """
    stored = document.get(KEY)
    if stored is None:
        return None
    if not isinstance(stored, dict):
        return f"{KEY} is {str(stored)[:40]!r}"
    now = digests_of(document)
    for name in [*now, *stored]:
        if name not in now:
            return f"{name} is missing"
        if name not in stored:
            return f"{name} was added"
        if now[name] != stored[name]:
            return f"{name} is not what was written"
    return None


def contradiction(document: Mapping[str, Any]) -> str | None:
    """What in a certificate contradicts its own numbers: a criterion that cannot have passed, or a count.

    Parameters
    ----------
    document : dict
        With the structure of a certificate.

    Returns
    -------
    str or None
        The rest of a sentence, which names the field.
    """
    for place, row in enumerate(document["results"]):
        said = _estimate(row.get("estimate"))
        if said is None:
            return f"results[{place}].estimate is no estimate"
        rule = _rule_of(document, row["statistic"])
        if row["sentence"] == PASSED and not rule(document, said):
            return f"results[{place}]: {row['statistic']} is called passed, which its estimate does not say"
    return _miscounted(document)


def _digest(part: Any) -> str:
    text = json.dumps(_plain(part), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _plain(part: Any) -> Any:
    if isinstance(part, Mapping):
        return {str(name): _plain(own) for name, own in part.items()}
    if isinstance(part, list | tuple):
        return [_plain(own) for own in part]
    return int(part) if isinstance(part, float) and part.is_integer() else part


def _estimate(stored: Any) -> dict[str, float] | None:
    """Value, limits and n as numbers, NaN if absent; None if it is not an estimate."""
    if not isinstance(stored, dict):
        return None
    numbers = {name: stored.get(name) for name in ("value", "low", "high", "n")}
    if not all(number is None or type(number) in (int, float) for number in numbers.values()):
        return None
    return {name: float("nan") if number is None else number for name, number in numbers.items()}


def _rule_of(document: Mapping[str, Any], statistic: str) -> _Rule:
    """The check that a criterion can have passed with an estimate; an absent value is NaN and compares as false."""
    declared = next((each for each in document["plan"]["criteria"]["declared"] if each["key"] == statistic), None)
    if declared is not None:
        bounds = (_number(declared, "above"), _number(declared, "below"))
        return lambda _, said: _within(said, *bounds) and said["n"] >= (_number(declared, "fewest_candidates") or 0.0)
    return _RULES.get(statistic, lambda *_: True)


def _number(part: Mapping[str, Any], name: str) -> float | None:
    """A number in a plan; None if absent, NaN (which fails every comparison) for anything that is not a number."""
    value = part.get(name)
    if value is None:
        return None
    return float(value) if type(value) in (int, float) and abs(value) < _LARGEST else float("nan")


def _asked(document: Mapping[str, Any], name: str) -> float:
    """A number that every certificate's criteria contain; NaN, which fails every comparison, if it is absent."""
    value = _number(document["plan"]["criteria"], name)
    return float("nan") if value is None else value


def _within(said: Mapping[str, float], above: float | None, below: float | None) -> bool:
    return (above is None or said["low"] > above) and (below is None or said["high"] < below)


def _agrees(document: Mapping[str, Any], said: Mapping[str, float]) -> bool:
    return said["low"] > _asked(document, "agreement_bound")


def _has_no_direction(document: Mapping[str, Any], said: Mapping[str, float]) -> bool:
    stored, plan = document["scale"], document["plan"]
    scale = Scale(stored["kind"], tuple(stored["levels"]), tuple(stored["positive"]))
    declared = _number(plan["criteria"], "direction_margin") or _number(plan, "margin")
    margin = declared or margin_of(scale, Plan())
    return margin is not None and _within(said, -margin, margin)


def _is_labelled(document: Mapping[str, Any], said: Mapping[str, float]) -> bool:
    return said["value"] == said["n"] >= _asked(document, "fewest_in_stratum")


def _has_humans(document: Mapping[str, Any], said: Mapping[str, float]) -> bool:
    least = _asked(document, "fewest_humans")
    return said["value"] == said["n"] == len(document["humans"]) and said["n"] >= least


def _leaves_little_out(document: Mapping[str, Any], said: Mapping[str, float]) -> bool:
    return said["value"] <= _asked(document, "most_missing")


_RULES: dict[str, _Rule] = {
    AGREEMENT: _agrees,
    DIRECTION: _has_no_direction,
    STRATUM: _is_labelled,
    HUMANS: _has_humans,
    MISSING: _leaves_little_out,
}


def _miscounted(document: Mapping[str, Any]) -> str | None:
    """What is wrong with the counts, or with the limit on missing verdicts; None if they are consistent."""
    covered = document["covered"]
    candidates, labelled = covered.get("candidates"), covered.get("labelled")
    if not all(type(count) is int and count >= 0 for count in (candidates, labelled)):
        return "covered.labelled and covered.candidates are no counts"
    if labelled > candidates:
        return f"covered.labelled is {labelled}, of {candidates} candidates"
    for name, levels in covered["strata"].items():
        of_levels = sum(count for count in levels.values() if count is not None)
        if of_levels > labelled:
            return f"covered.strata.{name} has {of_levels} labelled of {labelled}"
    left_out = document.get(missing.KEY)
    if left_out is None:
        return None
    if left_out["count"] > left_out["n"] or left_out["n"] > labelled:
        return f"{missing.KEY} is {left_out['count']} of {left_out['n']}, of {labelled} labelled"
    most = missing.most_of(left_out["count"], left_out["n"], document["plan"]["confidence"])
    if not left_out["declared"] and left_out["most"] != most:
        return f"{missing.KEY}.most is {left_out['most']:g}, where its counts give {most:g}"
    return None
