"""A certificate in words, on a plain-text card, and written to files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agreement.judge import consistency, missing, repeated
from agreement.judge.certificate import CARD_SUFFIX, NEEDED, unit_of
from agreement.judge.panels import HOW_TO, uniformity
from agreement.judge.panels.criteria import (
    DIRECTION,
    HUMANS,
    NOT_ESTIMABLE,
    PASSED,
    STRATUM,
    level_after_looks,
    origin_in_words,
    several_opened,
)
from agreement.judge.plan import Criteria
from agreement.judge.wording import counted, in_figures

_BOUNDS = ("agreement_bound", "direction_margin", "fewest_in_stratum", "fewest_humans", "most_missing")
NOT_ASKED = "not part of the criteria"
_LABELLED = "by one human or more, also as excluded; criteria count what has both verdicts that they compare"


def write(document: dict[str, Any], path: Path) -> None:
    """Write a certificate as JSON, and its card beside it.

    Parameters
    ----------
    document : dict
        As returned by `certificate`.
    path : Path
        Path of the JSON file, as returned by `file_asked`; the card gets the suffix .txt.
    """
    path.write_text(json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False) + "\n", encoding="utf-8")
    path.with_suffix(CARD_SUFFIX).write_text(card(document), encoding="utf-8")


def card(document: dict[str, Any]) -> str:
    """A certificate in words, on one page.

    Parameters
    ----------
    document : dict
        As returned by `certificate`.

    Returns
    -------
    str
    """
    covered = document["covered"]
    said = {
        "Judge": document["judge"],
        "Model": document["judge_model"] or "not said",
        "Prompt": document["prompt_sha256"] or "not said",
        "Rubric": document["rubric_sha256"] or "not said",
        "Scale": _scale_in_words(document["scale"]),
        "Covered": f"{covered['labelled']:,} labelled of {counted(covered['candidates'], unit_of(document))}",
        "Left out": _left_out_in_words(document),
        "Changed": repeated.in_words(document),
        "Humans": f"{len(document['humans'])} ({', '.join(document['humans'])})",
        "Blinded": document["blinded"] or "not said",
        "Labels from": document["labels_from"] or "not said",
        "Files": ", ".join(f"{source['file']} ({source['sha256'][:12]})" for source in document["sources"]),
        "Looks": _looks_in_words(document),
        "Issued": document["issued"],
    }
    lines = [f"Certificate of a judge: {_outcome_in_words(document)}", ""]
    said |= document.get("said", {})
    lines += [f"{name:<12} {words}" for name, words in said.items()]
    for name, levels in covered["strata"].items():
        of_levels = (f"{level}: {'withheld' if n is None else f'{n} labelled'}" for level, n in levels.items())
        lines.append(f"{'By ' + name:<12} {', '.join(of_levels)}")
    lines.append(f"{'Labelled':<12} {_LABELLED}")
    lines += ["", _origin_in_words(document["plan"], of_a_study="Study" in document.get("said", {}))]
    for key, words in document["criteria"].items():
        results = [row for row in document["results"] if row["statistic"] == key]
        lines.append(f"  {key}: {words}")
        in_points = key == DIRECTION and bool(document["scale"]["positive"])
        lines += [f"    {_result_in_words(row, in_points=in_points)}" for row in results]
    seen = dict(document["sentences"])
    # A judge that passes may still be stricter on one model: no criterion covers that, so it is printed beside them.
    lines.append(f"  {NOT_ASKED}: {seen.pop(uniformity.KEY)}")
    lines += ["", "What was seen"]
    lines += [f"  {sentence}" for sentence in seen.values()]
    lines += ["", f"Valid for {document['valid_for']}.", *_unsaid_in_words(document), document["note"]]
    lines.append(f"How each line is read: {HOW_TO}.")
    # Older certificates have no digests.
    lines += [consistency.NO_SIGNATURE, ""] if consistency.KEY in document else [""]
    return "\n".join(lines)


def _origin_in_words(plan: dict[str, Any], *, of_a_study: bool) -> str:
    """Return where the criteria come from; bounds given with a command are neither the plan's nor the shipped ones.

    Only a study has a plan of its own.
    """
    given, shipped = plan["criteria"], vars(Criteria())
    # Older certificates lack some of them.
    is_shipped = all(given.get(name, shipped[name]) == shipped[name] for name in _BOUNDS)
    if given["declared"] or (is_shipped and plan["margin"] is None):
        return origin_in_words(given["declared"]) if given["declared"] or of_a_study else "Criteria that are shipped"
    return "Criteria with bounds given for this certificate, not all of them those that are shipped"


def _outcome_in_words(document: dict[str, Any]) -> str:
    if document["passed"]:
        return "PASSED"
    # Older certificates lack this entry.
    if not document["plan"].get("is_trial"):
        return "NOT PASSED"
    would = all(row["sentence"] == PASSED for row in document["results"])
    return (
        f"NOT PASSED, as nothing is certified before test (would{'' if would else ' not'} pass on development subjects)"
    )


def _left_out_in_words(document: dict[str, Any]) -> str:
    """Older certificates lack this entry."""
    said = document.get(missing.KEY)
    if said is None:
        return "not said"
    return (
        f"{said['count']:,} of {said['n']:,} labelled without a verdict; a later run at most "
        f"{100 * said['most']:g} % of all models together"
    )


def _unsaid_in_words(document: dict[str, Any]) -> list[str]:
    unsaid = [words for name, words in NEEDED.items() if document[name] is None]
    if not unsaid:
        return []
    return [
        f"It does not say {' and '.join(unsaid)}: a run with another cannot be told, and `check` holds none against it."
    ]


def _looks_in_words(document: dict[str, Any]) -> str:
    looks, confidence = document["looks"], document["plan"]["confidence"]
    runs = document["plan"]["runs_opened"]
    said = f"{looks}, {level_after_looks(looks, confidence)}"
    return said if runs == 1 else f"{said}; {several_opened(runs, confidence)}"


def _scale_in_words(scale: dict[str, Any]) -> str:
    levels = f" ({', '.join(scale['levels'])})" if scale["levels"] else ""
    return f"{scale['kind']}{levels}"


def _result_in_words(row: dict[str, Any], *, in_points: bool) -> str:
    """A result in its criterion's unit, to one more place than on the pages, since bounds are often round numbers."""
    estimate = row["estimate"]
    value, low, high = (estimate[name] for name in ("value", "low", "high"))

    def short(number: float) -> str:
        return f"{100 * number:z.2f}" if in_points else in_figures(round(number, 3))

    figure = "undefined" if value is None else short(value) + (" points" if in_points else "")
    figure += "" if low is None else f" [{short(low)}, {short(high)}]"
    stratum = "" if row["stratum"] == "all" else f"{row['stratum']}: "
    if row["statistic"] == STRATUM and value is None:
        if row["sentence"] == NOT_ESTIMABLE:
            return f"{stratum}{NOT_ESTIMABLE}, its number is withheld"
        return f"{stratum}{row['sentence']}, as follows from other numbers; its own is withheld"
    if row["statistic"] in (STRATUM, HUMANS) and value is not None:
        count = counted(round(value), "human" if row["statistic"] == HUMANS else estimate["unit"])
        both = f" with a verdict by {' and by '.join(row['parties'])}" if row["statistic"] == STRATUM else ""
        return f"{stratum}{row['sentence']}, {count}{both}"
    return f"{stratum}{row['sentence']}, {figure}, n = {estimate['n']}"
