"""`protocol.yaml`: the definition of a study as its authors write it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from exchange.refusal import InputRefused, Problems, listed, shown
from exchange.spreadsheet import NotRead, decoded
from exchange.study_folder.acknowledged_text import leave_images_out
from exchange.study_folder.protocol_problems import add_problems, kind_in_words
from exchange.study_folder.protocol_yaml import LANGUAGE_KEY, LARGEST_PROTOCOL, check_values, load
from exchange.study_folder.study_language import lists_phases
from protocol.fields import LISTS, ranked
from protocol.forms import Form
from protocol.hanging import Hanging
from protocol.parts import Part
from protocol.sections import Reading, Scoring
from protocol.seen import problems_of_labels, problems_of_options
from protocol.study import DateOrder, Protocol

AnyPart = TypeVar("AnyPart", bound=Part)


@dataclass(frozen=True)
class ReadProtocol:
    """A protocol as far as it could be read; parts that are None are unknown, so nothing is checked against them.

    Attributes
    ----------
    whole
        The protocol, if all of it is valid.
    forms
        Every form by key; None in place of an invalid one.
    practice
        Whether there is practice before the reading.
    sample
        How many candidates are to be scored.
    """

    whole: Protocol | None = None
    forms: Mapping[str, Form | None] | None = None
    hanging: Hanging | None = None
    practice: bool | None = None
    sample: int = 0
    dates: DateOrder | Literal["unknown"] | None = "unknown"


def read_protocol_as_far_as_it_goes(path: Path, problems: Problems) -> ReadProtocol:
    """Read a `protocol.yaml`, and note what is wrong with it."""
    text = _text_of(path, problems)
    return ReadProtocol() if text is None else _read(text, path.name, problems)


def document_of(path: Path, problems: Problems) -> tuple[str, Any]:
    """Return the text of a `protocol.yaml` and its parsed YAML; note what cannot be read."""
    text = _text_of(path, problems)
    if text is None:
        return "", None
    try:
        return text, load(text, path.name)
    except InputRefused as refusal:
        problems.take(refusal)
        return text, None


def _text_of(path: Path, problems: Problems) -> str | None:
    try:
        status = path.stat()
        if not S_ISREG(status.st_mode):
            problems.add(path.name, "", "cannot be read (it is not a file); expected a YAML file.")
        elif status.st_size > 2 * LARGEST_PROTOCOL:
            problems.add(path.name, "", f"has more than {LARGEST_PROTOCOL:,} letters; shorten it.")
        else:
            return decoded(path.read_bytes())[0]
    except FileNotFoundError:
        inside = _folders_with(path)
        instead = f"import {listed(inside)}, in which there is one" if inside else "add it and import again"
        problems.add(path.name, "", f"is missing: a study folder needs one beside its CSV tables; {instead}.")
    except OSError as error:
        problems.add(path.name, "", f"cannot be read ({error.strerror}); expected a YAML file.")
    except NotRead as error:
        problems.add(path.name, "", str(error))
    return None


def _folders_with(path: Path) -> list[str]:
    """Return the names of the folders beside a missing file that hold a file of its name."""
    try:
        beside = sorted(path.parent.iterdir())
    except OSError:
        return []
    return [f"'{shown(each.name)}'" for each in beside if (each / path.name).is_file()]


def parse_protocol(text: str, name: str = "protocol.yaml") -> Protocol:
    """Validate the text of a protocol; `name` is the name of the file in errors."""
    problems = Problems()
    read = _read(text, name, problems)
    problems.refuse()
    assert read.whole is not None
    return read.whole


def _read(text: str, name: str, problems: Problems) -> ReadProtocol:
    try:
        document = load(text, name)
    except InputRefused as refusal:
        problems.take(refusal)
        return ReadProtocol()
    if not isinstance(document, dict):
        says = f"expected keys such as name, title and forms, found {kind_in_words(document)}."
        problems.add(name, "the whole file", says)
        return ReadProtocol()
    if lists_phases(document):
        says = "a study that lists its phases is read with its folder: use manage.py validate or manage.py import."
        problems.add(name, f"key {LANGUAGE_KEY}", says)
        return ReadProtocol()
    unusable = check_values(problems, document, name)
    try:
        protocol = leave_images_out(Protocol.model_validate(document), name, problems)
    except ValidationError as error:
        add_problems(problems, error, Protocol, name, unusable, document)
        return _as_far_as_it_goes(document, {str(detail["loc"][0]) for detail in error.errors() if detail["loc"]})
    if unusable:
        return _as_far_as_it_goes(document, {path[0] for path in unusable if path})
    _note_what_looks_alike(protocol, name, problems)
    reading, scoring = protocol.reading, protocol.scoring
    return ReadProtocol(
        whole=protocol,
        forms=protocol.forms,
        hanging=protocol.hanging,
        practice=reading.practice is not None,
        sample=0 if scoring is None else scoring.sample,
        dates=protocol.dates,
    )


def _note_what_looks_alike(protocol: Protocol, name: str, problems: Problems) -> None:
    """Note options and labels that nobody can see or tell apart; stored protocols are not checked for this."""
    forms = {f"forms.{key}": form for key, form in protocol.forms.items()}
    if protocol.scoring is not None:
        forms["scoring.form"] = protocol.scoring.form
    lists = {"reading.not_assessable": protocol.reading.not_assessable, "reading.flags": protocol.reading.flags}
    for place, form in forms.items():
        for key, says in problems_of_labels([(field.key, field.label) for field in form.fields]):
            problems.add(name, f"key {place}.fields.{key}.label", says)
        lists |= {f"{place}.fields.{field.key}.options": field.options for field in form.fields}
        for field in form.fields:
            for says in ranked.problems_of_ids([option.id for option in field.options]) if field.type in LISTS else ():
                problems.add(name, f"key {place}.fields.{field.key}.options", says)
    for place, options in lists.items():
        for says in problems_of_options([(option.id, option.text) for option in options]):
            problems.add(name, f"key {place}", says)


def _as_far_as_it_goes(document: dict[Any, Any], unsound: set[str]) -> ReadProtocol:
    """Return the valid parts of an invalid protocol, so that tables can be checked against them."""

    def part(name: str, model: type[AnyPart]) -> AnyPart | None:
        if name in unsound:
            return None
        return model.model_validate(document.get(name) or {})

    reading = part("reading", Reading)
    scoring = part("scoring", Scoring) if document.get("scoring") else None
    return ReadProtocol(
        forms=_sound_forms(document.get("forms")),
        hanging=part("hanging", Hanging),
        practice=None if reading is None else reading.practice is not None,
        sample=0 if scoring is None else scoring.sample,
        dates="unknown" if "dates" in unsound else document.get("dates"),
    )


def _sound_forms(section: Any) -> dict[str, Form | None] | None:
    if not isinstance(section, dict):
        return None
    forms: dict[str, Form | None] = {}
    for key, written in section.items():
        try:
            forms[str(key)] = Form.model_validate(written)
        except ValidationError:
            forms[str(key)] = None
    return forms
