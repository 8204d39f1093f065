"""Repeat the draws in a study package's `draws.json` and compare them, without a database or any secret."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from db import Item
from protocol.first_phases import phases_of_first_language
from protocol.language.expansion import Expansion
from protocol.phase_rules import PhaseRules
from protocol.phases import PRACTICE, READING, Phase
from protocol.study import Protocol
from services.errors import NotFound
from services.record import redrawing_phases
from services.studies.dealing import assigning
from services.studies.draws import DrawKey
from services.studies.freeze.freezing import draw_by_model

# At most this many units of a draw are named.
_NAMED = 8
# The errors that reading altered files can lead to.
_NO_PACKAGE = (AttributeError, LookupError, RecursionError, StopIteration, TypeError, ValueError)


@dataclass(frozen=True)
class Repeated:
    """The result of repeating the draws of a package.

    Attributes
    ----------
    count
        How many draws were repeated.
    problems
        One sentence per draw whose result differs from the stored one.
    left
        How many were not repeated: individual orders, and draws from answers, in a study that lists its phases.
    """

    count: int
    problems: list[str]
    left: int = 0


def redraw(package: Path) -> Repeated:
    """Repeat every draw of a study package; if the study lists its phases, only draws that depend on its tables.

    Raises
    ------
    NotFound
        The folder is not a package, or its files are not as they were exported.
    """
    try:
        disclosed = json.loads((package / "draws.json").read_text("utf-8"))
        text = (package / "protocol.json").read_text("utf-8")
        study = Expansion.of_canonical_json(text)
        if study is not None:
            return _phases_drawn_again(
                redrawing_phases.Redrawing(disclosed, redrawing_phases.protocols_of(package, study))
            )
        protocol = Protocol.of_canonical_json(text)
        return _all_drawn_again(disclosed, protocol)
    except OSError:
        raise NotFound(_what_is_missing(package)) from None
    except _NO_PACKAGE:
        raise NotFound(
            f"draws.json or protocol.json of {package.name} is not as it was exported; take the package from where it "
            "was kept."
        ) from None


def _what_is_missing(package: Path) -> str:
    if (package / "sealed.json").exists():
        return (
            f"{package.name} was exported while its test subjects were sealed, and holds no draws.json, since draws "
            "depend on answers; unseal the study, export it again, and name that package."
        )
    return f"{package.name} holds no draws.json and protocol.json; name a package exported after the data lock."


def _phases_drawn_again(study: redrawing_phases.Redrawing) -> Repeated:
    problems, left = [], 0
    for drawn in study.disclosed["drawn"]:
        try:
            units = study.again(drawn, _key(study.disclosed, drawn))
        except redrawing_phases.NotRepeatedError:
            left += 1
            continue
        if units:
            named = ", ".join(units[:_NAMED]) + (f" and {len(units) - _NAMED} more" if len(units) > _NAMED else "")
            what = "units" if drawn["purpose"] == redrawing_phases.SAMPLE else "slots of the units"
            where = f"phase '{drawn['who'][0]}' in version {drawn['freeze_version']}"
            problems.append(f"The {what} of {where} differ when drawn again: {named}.")
    return Repeated(len(study.disclosed["drawn"]) - left, problems, left)


def _all_drawn_again(disclosed: dict[str, Any], protocol: Protocol) -> Repeated:
    problems = []
    for drawn in disclosed["drawn"]:
        key = _key(disclosed, drawn)
        again = _AGAIN[drawn["purpose"]](disclosed, protocol, key, drawn)
        problems += [f"The draw '{drawn['purpose']}' for {part} differs when drawn again." for part in again]
    return Repeated(len(disclosed["drawn"]), problems)


def _key(disclosed: Mapping[str, Any], drawn: dict[str, Any]) -> DrawKey:
    version, reopened = int(drawn["freeze_version"]), int(drawn["reopened"])
    value = next(
        entry["key"]
        for entry in disclosed["keys"]
        if (entry["freeze_version"], entry["reopened"]) == (version, reopened)
    )
    return DrawKey(version, reopened, bytes.fromhex(value))


def _sample(disclosed: dict[str, Any], protocol: Protocol, key: DrawKey, _drawn: dict[str, Any]) -> list[str]:
    if protocol.scoring is None:
        return []
    by_model: dict[str, list[str]] = defaultdict(list)
    for candidate in sorted(disclosed["candidates"], key=lambda candidate: candidate["candidate"]):
        by_model[candidate["model"]].append(candidate["candidate"])
    again = {
        candidate for candidate, _, _ in draw_by_model(by_model, protocol.scoring.sample, key.rng("scoring sample"))
    }
    return [] if again == set(disclosed["sample"]) else ["the sample"]


def _reading(disclosed: dict[str, Any], protocol: Protocol, key: DrawKey, drawn: dict[str, Any]) -> list[str]:
    rater = str(drawn["who"][0])
    rng = key.rng("reading", rater)
    pairs = _items(disclosed, practice=False)
    rules = _rules_of(protocol, READING)
    items = assigning.ordered(pairs, rules, rng)
    again = [(item.key, assigning.option_order(item, rules, rng)) for item in items]
    different = [] if again == _stored(disclosed, rater, "reading", 1) else [rater]
    candidates = list(disclosed["sample"])
    key.rng("scoring", rater).shuffle(candidates)
    stored = [assignment["candidate"] for assignment in _in_order(disclosed, rater, "scoring", 1)]
    return different if candidates == stored else [*different, f"{rater}'s scores"]


def _practice(disclosed: dict[str, Any], protocol: Protocol, key: DrawKey, drawn: dict[str, Any]) -> list[str]:
    rater, number = str(drawn["who"][0]), int(drawn["who"][1])
    before = [item for item, _ in _stored(disclosed, rater, "practice", number - 1)]
    rng = key.rng("practice", rater, number)
    rules = _rules_of(protocol, PRACTICE)
    items = assigning.practice_order(_items(disclosed, practice=True), before, rules, rng, number)
    again = [(item.key, assigning.option_order(item, rules, rng)) for item in items]
    return [] if again == _stored(disclosed, rater, "practice", number) else [f"{rater}, pass {number}"]


def _rules_of(protocol: Protocol, phase: Phase) -> PhaseRules:
    return phases_of_first_language(protocol).rules_of(phase)


def _review(disclosed: dict[str, Any], _protocol: Protocol, key: DrawKey, drawn: dict[str, Any]) -> list[str]:
    occasion = int(drawn["who"][0])
    controls = key.rng("review", occasion).sample(drawn["agreed"], len(drawn["controls"]))
    different = [] if controls == drawn["controls"] else ["the controls"]
    chosen = {*drawn["for_review"], *drawn["controls"]}
    for opinions in disclosed["opinions"]:
        if opinions["item"] in chosen:
            order = list(opinions["from"])
            key.rng("opinions", occasion, opinions["item"]).shuffle(order)
            different += [] if order == opinions["order"] else [f"the opinions on {opinions['item']}"]
    return different


def _items(disclosed: dict[str, Any], *, practice: bool) -> list[tuple[Item, str]]:
    """Return the items, with their subjects, as rows that were never stored."""
    return [
        (
            Item(
                id=number,
                study_id=0,
                case_id=0,
                key=item["item"],
                category="",
                grounding="",
                form="",
                prompt="",
                sequences=[],
                format=item["format"],
                options=[{"id": option} for option in item["options"]],
                conversation=item["conversation"],
                turn=item["turn"],
            ),
            item["subject"],
        )
        for number, item in enumerate(disclosed["items"], start=1)
        if item["practice"] is practice
    ]


def _in_order(disclosed: dict[str, Any], rater: str, phase: str, number: int) -> list[dict[str, Any]]:
    own = [
        assignment
        for assignment in disclosed["assignments"]
        if (assignment["member"], assignment["phase"], assignment["pass"]) == (rater, phase, number)
    ]
    return sorted(own, key=lambda assignment: int(assignment["position"]))


def _stored(disclosed: dict[str, Any], rater: str, phase: str, number: int) -> list[tuple[str, list[str]]]:
    return [(assignment["item"], assignment["options"]) for assignment in _in_order(disclosed, rater, phase, number)]


_AGAIN = {"scoring sample": _sample, "reading": _reading, "practice": _practice, "review": _review}
