"""A certificate: what was shown about a judge, and on which material, as JSON and as a plain-text card."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from agreement.coding import Codes
from agreement.judge import consistency, missing, repeated
from agreement.judge.columns import Columns
from agreement.judge.judged_file import Judged
from agreement.judge.material import Material
from agreement.judge.panels import uniformity
from agreement.judge.panels.criteria import (
    DIRECTION,
    KEY,
    PASSED,
    criteria_in_words,
    level_after_looks,
    origin_in_words,
    passes,
    several_opened,
)
from agreement.judge.plan import Criteria, Plan
from agreement.judge.rows import Panel
from agreement.judge.scale import State
from agreement.judge.wording import in_figures

KIND, VERSION = "judge-certificate", 1
MOST_REPEATED = 5_000
"""The most candidates that are stored, by a hash of their name, so that a new run that repeats them shows a shift."""

NEEDED = {"judge_model": "the judge's model", "prompt_sha256": "the prompt"}
"""What a certificate is valid for, in words: a certificate that lacks one of these covers no later run."""

_BOUNDS = ("agreement_bound", "direction_margin", "fewest_in_stratum", "fewest_humans", "most_missing")
NOT_ASKED = "not part of the criteria"
NO_SIGNATURE = (
    "This card is no signature: it says what was computed from the files named, and who made these is not proved."
)


@dataclass(frozen=True)
class Identity:
    """What exactly was judging: the judge's model, prompt and rubric.

    Attributes
    ----------
    judge_model : str or None
        The provider's name.
    prompt_sha256, rubric_sha256 : str or None
    blinded, labels_from : str or None
        In the words of the people who made the labels.
    """

    judge_model: str | None = None
    prompt_sha256: str | None = None
    rubric_sha256: str | None = None
    blinded: str | None = None
    labels_from: str | None = None


@dataclass(frozen=True)
class Origin:
    """Where the material came from, and how a later run names the same candidates.

    Attributes
    ----------
    sources : tuple of (str, str)
        Name and SHA-256 of each file.
    columns : Columns
        The columns of a later run's file that hold the parts of a candidate's name, and the strata.
    names : callable or None
        Names of the candidates at given positions: their parts in the order of `Columns.keys`, joined by a unit
        separator. None if candidates have no names.
    said : dict of str to str
        Additional lines of the card, such as the study.
    """

    sources: tuple[tuple[str, str], ...]
    columns: Columns
    names: Callable[[Codes], list[str]] | None = None
    said: Mapping[str, str] = field(default_factory=dict)


def origin_of(judged: Judged, columns: Columns) -> Origin:
    """The origin of material that was read from files.

    Parameters
    ----------
    judged : Judged
    columns : Columns

    Returns
    -------
    Origin
    """
    sources = tuple((path.name, sha256_of(path)) for path in judged.paths)
    return Origin(sources, columns, judged.names if judged.keys else None)


def sha256_of(path: Path) -> str:
    """SHA-256 of a file.

    Parameters
    ----------
    path : Path

    Returns
    -------
    str
        In hexadecimal.
    """
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def text_sha256(content: bytes) -> str:
    """SHA-256 of a prompt or a rubric, ignoring byte order mark, line-end style and surrounding space.

    The same prompt may be pasted into a page, sent by a program, or saved by an editor that ends its last line.

    Parameters
    ----------
    content : bytes
        UTF-8.

    Returns
    -------
    str
        In hexadecimal.

    Raises
    ------
    ValueError
        When it is not UTF-8: characters are not guessed, and a hash of the bytes would differ from that of the text.

    Examples
    --------
    >>> text_sha256(b"Be strict.") == text_sha256(b"  Be strict.  ")
    True
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 text (byte {error.start + 1}); save it as UTF-8") from None
    return hashlib.sha256(text.replace("\r\n", "\n").replace("\r", "\n").strip().encode()).hexdigest()


def name_hash(name: str) -> str:
    """The first 16 hexadecimal digits of the hash of a candidate's name.

    Parameters
    ----------
    name : str

    Returns
    -------
    str

    Examples
    --------
    >>> name_hash("q1")
    'c75de8c1b7c3ae52'
    """
    return hashlib.sha256(name.encode()).hexdigest()[:16]


def certificate(
    material: Material, panels: dict[str, Panel], plan: Plan, identity: Identity, origin: Origin
) -> dict[str, Any]:
    """Everything that a later run is compared with, whether the judge passed or not.

    Parameters
    ----------
    material : Material
    panels : dict of str to Panel
    plan : Plan
    identity : Identity
    origin : Origin

    Returns
    -------
    dict
        Ready for JSON.

    Raises
    ------
    ValueError
        When there is more than one judge.
    """
    if len(material.judges) != 1:
        raise ValueError(f"certificate: {len(material.judges)} judges are given; expected one, named with --judge")
    (judge,) = material.judges
    criteria, columns = panels[KEY], origin.columns
    document = {
        "kind": KIND,
        "version": VERSION,
        "issued": datetime.now(UTC).date().isoformat(),
        "judge": judge,
        **asdict(identity),
        "sources": [{"file": name, "sha256": sha256} for name, sha256 in origin.sources],
        "columns": {
            "item": list(columns.item), "model": columns.model, "condition": list(columns.conditions),
            "by": list(columns.by), "run": columns.run,
        },
        "scale": material.scale.as_dict(),
        "covered": _covered(material, judge),
        "humans": list(material.humans),
        "looks": plan.looks,
        "plan": _plan_in_json(plan),
        "criteria": criteria_in_words(material, plan),
        "results": [row.as_dict() for row in criteria.rows],
        # On development subjects a prompt can be tried until it passes.
        "passed": passes(criteria, judge) and not plan.is_trial,
        "sentences": {key: " ".join(panel.in_short) for key, panel in panels.items()},
        "panels": [panel.as_dict() for key, panel in panels.items() if key != KEY],
        missing.KEY: missing.as_certified(material.labelled.judges[judge], plan),
        "repeats": _repeats(material, origin, judge, plan),
        "said": dict(origin.said),
        "valid_for": "exactly this judge, model, prompt and rubric, on this scale, models and strata",
        "note": NO_SIGNATURE,
    }  # fmt: skip
    return {**document, consistency.KEY: consistency.digests_of(document)}


def _plan_in_json(plan: Plan) -> dict[str, Any]:
    # Each result says itself whether it has P, from how many clusters there would be one, and the kind of its interval.
    return {name: value for name, value in asdict(plan).items() if name not in ("p_from", "of_numbers")}


def _covered(material: Material, judge: str) -> dict[str, Any]:
    labelled = material.labelled
    return {
        "candidates": material.n,
        "labelled": labelled.n,
        missing.KEY: missing.by_model(material.judges[judge], material.models),
        "strata": {
            name: {level: int((factor.codes[material.labelled_places] == factor.names.index(level)).sum())
                   for level, _ in factor.levels()}
            for name, factor in material.attributes.items()
        },
    }  # fmt: skip


def _repeats(material: Material, origin: Origin, judge: str, plan: Plan) -> dict[str, float]:
    """Verdicts on labelled candidates and on a random sample of the others, keyed by a hash of the name."""
    if origin.names is None:
        return {}
    verdicts = material.judges[judge]
    others = np.setdiff1d(np.flatnonzero(verdicts.states == State.VERDICT), material.labelled_places)
    room = max(0, MOST_REPEATED - material.labelled_places.size)
    drawn = np.random.default_rng(plan.seed).permutation(others)[:room]
    places: Codes = np.concatenate([material.labelled_places[:MOST_REPEATED], drawn])
    names = origin.names(places)
    codes = verdicts.codes[places].tolist()
    return {name_hash(name): code for name, code in zip(names, codes, strict=True) if code == code}


def write(document: dict[str, Any], path: Path) -> None:
    """Write a certificate as JSON, and its card beside it.

    Parameters
    ----------
    document : dict
        As returned by `certificate`.
    path : Path
        Path of the JSON file; the card gets the suffix .txt.
    """
    path.write_text(json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False) + "\n", encoding="utf-8")
    path.with_suffix(".txt").write_text(card(document), encoding="utf-8")


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
        "Covered": f"{covered['labelled']:,} labelled of {covered['candidates']:,} candidates",
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
        lines.append(f"{'By ' + name:<12} " + ", ".join(f"{level}: {n} labelled" for level, n in levels.items()))
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
    return f"{stratum}{row['sentence']}, {figure}, n = {estimate['n']}"
