"""A certificate: what was shown about a judge, and on which material, as JSON."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from agreement.coding import Codes
from agreement.judge import consistency, missing
from agreement.judge.bases import labelled_and_judged
from agreement.judge.columns import Columns
from agreement.judge.judged_file import Judged
from agreement.judge.material import Material
from agreement.judge.panels.criteria import KEY, criteria_in_words, passes
from agreement.judge.plan import Plan
from agreement.judge.rows import Panel
from agreement.judge.scale import State
from agreement.judge.withheld import parts_of

KIND, VERSION = "judge-certificate", 1
FILE_NAME, CARD_SUFFIX = "judge-certificate.json", ".txt"
MOST_REPEATED = 5_000
"""The most candidates that are stored, by a hash of their name, so that a new run that repeats them shows a shift."""

UNIT, UNITS = "unit", ("candidate", "pair")
"""What is counted in `covered`: older certificates do not say it, and are read as of candidates."""

NEEDED = {"judge_model": "the judge's model", "prompt_sha256": "the prompt"}
"""What a certificate is valid for, in words: a certificate that lacks one of these covers no later run."""

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
        "covered": _covered(material, judge, plan),
        UNIT: material.unit,
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


def file_asked(target: Path) -> Path:
    """The JSON file that a target means: itself, or the usual name in a folder.

    Parameters
    ----------
    target : Path

    Returns
    -------
    Path

    Raises
    ------
    ValueError
        When it is neither a folder nor ends in .json: the card beside it, which ends in .txt, could replace it.

    Examples
    --------
    >>> file_asked(Path("gpt-5.json")).name
    'gpt-5.json'
    """
    if target.is_dir():
        return target / FILE_NAME
    if target.suffix.lower() != ".json":
        raise ValueError(
            f"the certificate is to be written to {target}, which is not a folder and does not end in .json; expected "
            f"a folder that exists, or the JSON file, such as {target.with_suffix('.json').name} (the card is written "
            f"beside it, ending in {CARD_SUFFIX})"
        )
    return target


def unit_of(document: Mapping[str, Any]) -> str:
    """What a certificate counts.

    Parameters
    ----------
    document : dict

    Returns
    -------
    str
        One of `UNITS`.

    Examples
    --------
    >>> unit_of({"covered": {}}), unit_of({"unit": "pair"})
    ('candidate', 'pair')
    """
    return str(document.get(UNIT, UNITS[0]))


_NAMED_BY_RESULTS = ("p_from", "of_numbers", "p_in_clusters")


def _plan_in_json(plan: Plan) -> dict[str, Any]:
    # Each result says itself whether it has P, from how many clusters there would be one, and the kind of its interval.
    return {name: value for name, value in asdict(plan).items() if name not in _NAMED_BY_RESULTS}


def _covered(material: Material, judge: str, plan: Plan) -> dict[str, Any]:
    on = labelled_and_judged(material, judge)
    parts = parts_of(material.attributes, on)
    # Of a few sealed candidates, how many are labelled tells on which of them people could not decide.
    withheld = parts.withheld(plan.fewest_shown, of_verdicts=True)
    return {
        "candidates": material.n,
        "labelled": int(on[1].sum()),
        missing.KEY: missing.by_model(material.judges[judge], material.models),
        "strata": {
            name: {
                level: None if (name, level) in withheld else int(parts.counts[1][groups].sum())
                for level, groups in levels.items()
            }
            for name, levels in parts.levels.items()
        },
    }


def _repeats(material: Material, origin: Origin, judge: str, plan: Plan) -> dict[str, float]:
    """Verdicts on labelled candidates and on a random sample of the others, keyed by a hash of the name.

    Of sealed candidates the labelled are drawn like the others: which are not there would tell where nobody decided.
    """
    if origin.names is None:
        return {}
    verdicts = material.judges[judge]
    preferred = material.labelled_places[: MOST_REPEATED if plan.fewest_shown <= 1 else 0]
    others = np.setdiff1d(np.flatnonzero(verdicts.states == State.VERDICT), preferred)
    drawn = np.random.default_rng(plan.seed).permutation(others)[: MOST_REPEATED - preferred.size]
    places: Codes = np.concatenate([preferred, drawn])
    names = origin.names(places)
    codes = verdicts.codes[places].tolist()
    hashed = {name_hash(name): code for name, code in zip(names, codes, strict=True) if code == code}
    return dict(sorted(hashed.items()))  # in an order that does not tell which are labelled
