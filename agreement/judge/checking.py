"""Whether a new run of a judge is within its certificate: same judge, scale and strata, and not changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np

from agreement.coding import Codes
from agreement.judge import consistency, missing, repeated
from agreement.judge.certificate import KIND, NEEDED, UNIT, UNITS, VERSION, name_hash, unit_of
from agreement.judge.columns import Columns, ScaleAsked
from agreement.judge.factors import Chosen
from agreement.judge.judged_file import Judged, read_judged
from agreement.judge.options import CheckAsked
from agreement.judge.panels.criteria import ALWAYS, PASSED, SHIPPED
from agreement.judge.scale import Kind, Scale
from agreement.judge.sheet import JudgedFileError
from agreement.judge.wording import counted

WITHIN, OUTSIDE, NOT_COMPARABLE = 0, 1, 2

COMPARED = ("judge_model", "prompt_sha256", "rubric_sha256")


@dataclass(frozen=True)
class Check:
    """The outcome for a run.

    Attributes
    ----------
    status : int
        0 within, 1 outside, 2 not comparable.
    sentence : str
    field : str or None
        The entry that failed.
    figures : dict or None
        Counts and tests on the repeated candidates; None if it did not come to that.
    """

    status: int
    sentence: str
    field: str | None = None
    figures: dict[str, Any] | None = None


def check(asked: CheckAsked) -> Check:
    """Compare a run with a certificate.

    Parameters
    ----------
    asked : CheckAsked

    Returns
    -------
    Check

    Raises
    ------
    ValueError
        When the file is not a certificate, or was damaged or edited.
    OSError
        When a file cannot be read.
    """
    document = _read(asked.certificate)
    for name in COMPARED:
        certified, now = document[name], getattr(asked.identity, name)
        if certified is not None and certified != now:
            said = "is not said" if now is None else f"is {now}"
            return _broken(name, f"{name} {said}, and the certificate has {certified}")
    scale = Scale(document["scale"]["kind"], tuple(document["scale"]["levels"]), tuple(document["scale"]["positive"]))
    try:
        judged = _judged(asked, document, scale)
    except JudgedFileError as error:
        return _broken("scale or columns", str(error))
    unknown = _uncovered(judged, document)
    if unknown is not None:
        return _broken(unknown, f"{unknown} is not covered by the certificate")
    if not document["passed"]:
        why = "the judge did not pass when the certificate was made"
        if document["plan"].get("is_trial"):
            why = "the certificate is of development subjects, and nothing is certified before test"
        return Check(OUTSIDE, f"Outside: {why}.", "passed")
    unsaid = [name for name in COMPARED if document[name] is None]
    needed = [name for name in unsaid if name in NEEDED]
    if needed and not asked.allow_unsaid:
        words = " and ".join(NEEDED[name] for name in needed)
        return _broken(
            needed[0],
            f"the certificate does not say {words} ({', '.join(needed)}), so that a run with another cannot be told; "
            "make it again with --judge-model and --prompt, or say --allow-unsaid",
        )
    result = _left_out(judged, document) or _changes(judged, document, scale)
    if result.status == WITHIN:
        (verdicts,) = judged.material.judges.values()
        in_one = missing.most_in_one(verdicts, judged.material.models, unit_of(document))
        result = replace(result, sentence=result.sentence + in_one)
    unsaid += [name for name in (missing.KEY, consistency.KEY) if name not in document]
    if not unsaid:
        return result
    return replace(
        result, sentence=f"{result.sentence} Not compared, as the certificate does not say it: {', '.join(unsaid)}."
    )


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise ValueError(f"{path} is not a file; expected the certificate, such as judge-certificate.json")
    as_written = "expected judge-certificate.json as it was written: copy it again"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # also of numbers with more digits than Python reads
        raise ValueError(f"{path} is not a certificate, or was cut off ({error}); {as_written}") from None
    except RecursionError:
        raise ValueError(f"{path} is not a certificate: it is nested too deeply; {as_written}") from None
    if not isinstance(document, dict) or (document.get("kind"), document.get("version")) != (KIND, VERSION):
        raise ValueError(f"{path} is not a certificate; expected JSON with kind {KIND} and version {VERSION}")
    if isinstance(document.get("columns"), dict):
        document["columns"].setdefault("condition", [])  # older ones know none
    for name, fits in _SHAPE.items():
        value = document
        for part in name.split("."):
            value = value.get(part, _MISSING) if isinstance(value, dict) else _MISSING
        if value is _MISSING or not fits(value):
            said = "is missing" if value is _MISSING else f"is {str(value)[:40]!r}"
            raise ValueError(f"{path} was damaged or edited: {name} {said}; expected the certificate as it was written")
    places = range(len(document["scale"]["levels"]))
    if document["scale"]["kind"] != "number" and not all(code in places for code in document["repeats"].values()):
        raise ValueError(f"{path} was damaged or edited: repeats has verdicts that are no place among scale.levels")
    if UNIT in document and document[UNIT] not in UNITS:
        raise ValueError(
            f"{path} was damaged or edited: {UNIT} is {str(document[UNIT])[:40]!r}; expected the certificate as it was "
            "written"
        )
    _require_limit(document, path)
    most = document["plan"]["criteria"].get("most_changed")
    if most is not None and not (_is_number(most) and 0.0 <= most < 1.0):
        raise ValueError(
            f"{path} was damaged or edited: most_changed is {str(most)[:40]!r}; expected the certificate as it was "
            "written"
        )
    failed = next((row for row in document["results"] if row.get("sentence") != PASSED), None)
    if document["passed"] and document["plan"].get("is_trial"):
        raise ValueError(
            f"{path} was edited: it says that the judge passed, and is of development subjects; expected the "
            "certificate as it was written"
        )
    if document["passed"] and failed is not None:
        raise ValueError(
            f"{path} was edited: it says that the judge passed, and that {failed.get('statistic')} was "
            f"{failed.get('sentence')}; expected the certificate as it was written"
        )
    results = {row.get("statistic") for row in document["results"]}
    unsaid = next((name for name in _asked(document["plan"]["criteria"]["declared"]) if name not in results), None)
    if document["passed"] and unsaid is not None:
        raise ValueError(
            f"{path} was edited: it says that the judge passed, and its results do not have {unsaid}; expected the "
            "certificate as it was written"
        )
    try:
        wrong = consistency.contradiction(document) or consistency.edited_part(document)
    except RecursionError:
        wrong = "a part of it is nested too deeply"
    if wrong is not None:
        raise ValueError(f"{path} was damaged or edited: {wrong}; expected the certificate as it was written")
    return document


def _require_limit(document: dict[str, Any], path: Path) -> None:
    """Require the limit on missing verdicts. Older certificates lack it, but their criteria lack `most_missing` too."""
    limited = "most_missing" in document["plan"]["criteria"]
    if limited and missing.KEY not in document:
        raise ValueError(
            f"{path} was damaged or edited: {missing.KEY} is missing; expected the certificate as it was written"
        )
    if missing.KEY in document and not missing.is_one(document[missing.KEY]):
        raise ValueError(
            f"{path} was damaged or edited: {missing.KEY} is {str(document[missing.KEY])[:40]!r}; expected the "
            "certificate as it was written"
        )


def _asked(declared: list[dict[str, Any]]) -> list[str]:
    """Names of the criteria in a certificate's plan."""
    return [*([str(each["key"]) for each in declared] or SHIPPED), *ALWAYS]


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _is_text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _is_number(value: Any) -> bool:
    # No number in a certificate is large, and one beyond the range of a float could not be compared.
    return isinstance(value, int | float) and not isinstance(value, bool) and -_LARGEST < value < _LARGEST


def _are_counts(value: Any) -> bool:
    return isinstance(value, dict) and all(
        count is None or (type(count) is int and count >= 0) for count in value.values()
    )


def _are_rows(value: Any, *texts: str) -> bool:
    return isinstance(value, list) and all(
        isinstance(row, dict) and all(isinstance(row.get(name), str) for name in texts) for row in value
    )


def _are_figures(value: Any) -> bool:
    """Whether these are rows of a panel, whose estimates have numbers, or None, for value and limits."""
    return _are_rows(value, "statistic") and all(
        isinstance(row.get("estimate"), dict)
        and all(row["estimate"].get(name) is None or _is_number(row["estimate"][name]) for name in _FIGURES)
        for row in value
    )


_MISSING = object()
_FIGURES = ("value", "low", "high")
_LARGEST = 1e300
# The entries that are read from a certificate, and their types: a damaged one must not let an evaluation pipeline pass.
_SHAPE: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(COMPARED, _is_text_or_none),
    "judge": lambda value: isinstance(value, str),
    "passed": lambda value: isinstance(value, bool),
    "columns.item": _is_texts,
    "columns.by": _is_texts,
    "columns.condition": _is_texts,
    "columns.model": _is_text_or_none,
    "scale.kind": lambda value: value in get_args(Kind),
    "scale.levels": _is_texts,
    "scale.positive": _is_texts,
    "covered.strata": lambda value: isinstance(value, dict) and all(map(_are_counts, value.values())),
    "plan.confidence": lambda value: _is_number(value) and 0.0 < value < 1.0,
    "plan.criteria.declared": lambda value: _are_rows(value, "key"),
    "humans": _is_texts,
    "results": lambda value: _are_rows(value, "statistic", "sentence"),
    "panels": lambda value: _are_rows(value, "panel") and all(_are_figures(panel.get("rows")) for panel in value),
    "repeats": lambda value: isinstance(value, dict) and all(map(_is_number, value.values())),
}


def _broken(field: str, words: str) -> Check:
    return Check(NOT_COMPARABLE, f"Not comparable: {words}.", field)


def _judged(asked: CheckAsked, document: dict[str, Any], scale: Scale) -> Judged:
    columns = document["columns"]
    wanted = Columns(
        (), (asked.judge or document["judge"],), columns["model"], tuple(columns["item"]), by=tuple(columns["by"]),
        conditions=tuple(columns["condition"]),
    )  # fmt: skip
    binary = scale.kind == "binary"
    return read_judged(
        asked.run, wanted, ScaleAsked(scale.kind, () if binary else scale.levels, () if binary else scale.positive)
    )


def _uncovered(judged: Judged, document: dict[str, Any]) -> str | None:
    for name, factor in judged.material.attributes.items():
        covered = document["covered"]["strata"].get(name, {})
        for level, _ in factor.levels():
            # A number that is withheld is null.
            if covered.get(level, 0) == 0:
                return f"{name} {level}"
    return None


def _left_out(judged: Judged, document: dict[str, Any]) -> Check | None:
    """The refusal of a run with too many missing verdicts; None if within the limit, or if the certificate has none."""
    (verdicts,) = judged.material.judges.values()
    certified = document.get(missing.KEY)
    why = None if certified is None else missing.too_many(verdicts, certified, unit_of(document))
    return None if why is None else Check(OUTSIDE, f"Outside: {why} ({missing.KEY}).", missing.KEY)


def _changes(judged: Judged, document: dict[str, Any], scale: Scale) -> Check:
    """What changed on the repeated candidates: in a direction, over all and in each model and stratum, then in all."""
    (judge,) = judged.material.judges
    codes = judged.material.judges[judge].codes
    before, unit = document["repeats"], unit_of(document)
    names = judged.names(np.arange(codes.size)) if before else []
    place = {name: row for row, name in enumerate(map(name_hash, names)) if name in before}
    both = [(before[name], codes[row], row) for name, row in place.items() if codes[row] == codes[row]]
    if not both:
        return Check(WITHIN, f"Within the certificate; no {unit} of it is repeated, so that no shift can be noticed.")
    first, second, rows = (np.array(side, dtype=np.float64) for side in zip(*both, strict=True))
    parts = _parts(judged, rows.astype(np.intp))
    moved = repeated.shift(first, second, scale, document["plan"]["confidence"])
    changed = repeated.scatter(first, second, document)
    in_part, of_parts = repeated.in_parts(first, second, parts, scale, document["plan"]["confidence"])
    figures = {
        "repeated": len(both), repeated.SHIFT: moved.figures, repeated.PARTS: of_parts,
        repeated.SCATTER: changed.figures,
    }  # fmt: skip
    start = f"of {counted(len(both), f'repeated {unit}')}, {moved.words}"
    if moved.failed:
        where = f"; {in_part}" if in_part is not None else ""
        return Check(OUTSIDE, f"Outside: {start}{where}: the judge has shifted.", repeated.SHIFT, figures)
    if in_part is not None:
        return Check(OUTSIDE, f"Outside: {start}; but {in_part}: the judge has shifted there.", repeated.SHIFT, figures)
    if changed.failed:
        return Check(OUTSIDE, f"Outside: {changed.words}: the judge scatters more.", repeated.SCATTER, figures)
    absent = _absent(len(before) - len(place), unit)
    return Check(
        WITHIN,
        f"Within the certificate: {start}. {changed.words[0].upper()}{changed.words[1:]}.{absent}",
        None,
        figures,
    )


def _parts(judged: Judged, rows: Codes) -> dict[str, Chosen]:
    """The repeated candidates of each model and of each level of the certificate's strata.

    An attribute with a single level among them is left out, as its part is all of them.
    """
    parts: dict[str, Chosen] = {}
    for name, factor in judged.material.attributes.items():
        levels = {f"{name} {level}": among[rows] for level, among in factor.levels()}
        there = {part: among for part, among in levels.items() if among.any()}
        parts |= there if len(there) > 1 else {}
    return parts


def _absent(count: int, unit: str) -> str:
    """The sentence on what the run does not repeat of a certificate: a different sample may contain none of it."""
    return f" The certificate names {counted(count, unit)} more, not in this run." if count else ""
