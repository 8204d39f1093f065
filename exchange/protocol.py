"""`protocol.yaml`: what a study is, as its authors write it down.

The model below is the whole language of a protocol. An unknown key is refused, so that a misspelt rule cannot
silently be no rule.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from exchange.acknowledged_text import leave_images_out
from exchange.protocol_problems import add_problems
from exchange.protocol_yaml import LARGEST_PROTOCOL, check_values, load
from exchange.refusal import InputRefused, Problems
from exchange.spreadsheet import DateOrder, NotRead, decoded

FieldType = Literal["yes_no", "choice", "several", "ordinal", "number", "text", "ranked", "point"]
Key = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
ShortText = Annotated[str, Field(min_length=1, max_length=200)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
_MOST_PRESETS = 9
AnyPart = TypeVar("AnyPart", bound="Part")


class Part(BaseModel):
    """Base of every part of a protocol: immutable, and no unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _require_rising(what: str, window: tuple[float, float]) -> None:
    low, high = window
    if low >= high:
        raise ValueError(f"{what} is {low:g} to {high:g}, expected two rising numbers")


class Option(Part):
    """One answer that can be chosen: `id` is its canonical identity, `text` what is shown."""

    id: Annotated[str, Field(min_length=1, max_length=80)]
    text: ShortText


class Dependence(Part):
    """Show a field only while another field holds one of these option ids."""

    field: Key
    values: Annotated[list[str], Field(min_length=1)]


class FormField(Part):
    """One thing that is filled in.

    `options` of a `choice` field may be empty: then they come from the item. `ordinal` fields list their options in
    rising order.
    """

    key: Key
    type: FieldType
    label: ShortText
    help: str | None = None
    required: bool = True
    options: list[Option] = []
    shuffle: bool = False  # stands in protocols that are stored already; see below
    unit: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    depends_on: Dependence | None = None

    @model_validator(mode="after")
    def _is_consistent(self) -> FormField:
        ids = [option.id for option in self.options]
        if self.shuffle:
            raise ValueError(
                f"field '{self.key}' has shuffle: true, but options in a form keep their order; "
                "for the options of items set reading.shuffle_options"
            )
        if len(ids) != len(set(ids)):
            raise ValueError(f"field '{self.key}' lists an option id twice; give every option its own id")
        if self.type == "ordinal" and len(ids) < 2:
            raise ValueError(f"field '{self.key}' is ordinal and needs at least two options in rising order")
        if self.minimum is not None and self.maximum is not None and self.minimum > self.maximum:
            raise ValueError(f"field '{self.key}' has minimum {self.minimum} above maximum {self.maximum}")
        return self


class Form(Part):
    """The fields of one kind of item; the field `answer` is what is compared with the reference."""

    fields: Annotated[list[FormField], Field(min_length=1)]

    @model_validator(mode="after")
    def _has_an_answer(self) -> Form:
        keys = [field.key for field in self.fields]
        if len(keys) != len(set(keys)):
            raise ValueError("a form names a field key twice; every field needs its own key")
        if "answer" not in keys:
            raise ValueError(
                "a form needs one field with the key 'answer', the one that is compared with the reference"
            )
        for place, field in enumerate(self.fields):
            if field.depends_on is not None and field.depends_on.field not in keys[:place]:
                raise ValueError(
                    f"field '{field.key}' depends on '{field.depends_on.field}', which is no field above it"
                )
            if field.key != "answer" and field.type in ("choice", "several") and not field.options:
                raise ValueError(f"field '{field.key}' is a {field.type} field without options; list them")
        return self


class WindowPreset(Part):
    """A window to choose: fractions of the default window, where [0, 1] is the default itself, or intensities."""

    label: ShortText
    window: tuple[Finite, Finite] | None = None
    absolute: tuple[Finite, Finite] | None = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> WindowPreset:
        if (self.window is None) == (self.absolute is None):
            raise ValueError(
                f"preset '{self.label}' needs either window (fractions of the default) or absolute (intensities)"
            )
        _require_rising(f"preset '{self.label}'", self.window or self.absolute or (0.0, 0.0))
        return self


class Pane(Part):
    """One pane: the sequences it offers, of the scans of today or of the earlier ones."""

    title: ShortText
    role: Literal["current", "prior"] = "current"
    sequences: Annotated[list[ShortText], Field(min_length=1)]


class Hanging(Part):
    """How a case is hung: which panes and planes, where it begins, in which convention, with which windows.

    Without `panes` there is one for the current scans and, where the item uses it, one for the prior.
    """

    layout: Literal["side_by_side", "switched"] = "side_by_side"
    panes: Annotated[list[Pane], Field(max_length=4)] | None = None
    planes: Annotated[list[Literal["axial", "coronal", "sagittal"]], Field(min_length=1, max_length=3)] = [
        "axial",
        "coronal",
        "sagittal",
    ]
    start: Literal["middle"] | tuple[Finite, Finite, Finite] = "middle"
    prior_beside_current: bool = True
    convention: Literal["radiological", "neurological"] = "radiological"
    coregistered: bool = False
    overlays: bool = True
    window_percentiles: tuple[float, float] = (1.0, 99.5)
    windows: dict[ShortText, tuple[Finite, Finite]] = {}
    presets: list[WindowPreset] = []

    @model_validator(mode="after")
    def _is_consistent(self) -> Hanging:
        low, high = self.window_percentiles
        if not 0 <= low < high <= 100:
            raise ValueError(f"window_percentiles are {low:g} and {high:g}, expected two rising numbers from 0 to 100")
        for sequence, window in self.windows.items():
            _require_rising(f"the window of sequence '{sequence}'", window)
        if len(self.presets) > _MOST_PRESETS:
            found = len(self.presets)
            raise ValueError(f"{found} presets, expected at most {_MOST_PRESETS}: each has a digit as its key")
        if len(self.planes) != len(set(self.planes)):
            raise ValueError("planes names a plane twice; name each at most once")
        if self.panes is not None:
            self._require_usable_panes(self.panes)
        return self

    def panes_of(self, sequences: Sequence[str], uses_prior: bool) -> list[Pane]:
        """Return the panes of an item that offers these sequences, each with what of them it shows."""
        panes = self.panes
        if panes is None:
            panes = [Pane(title="Current", sequences=list(sequences))]
            if self.prior_beside_current:
                panes.append(Pane(title="Prior", role="prior", sequences=list(sequences)))
        shown = []
        for pane in panes:
            offered = [sequence for sequence in pane.sequences if sequence in sequences]
            if offered and (pane.role == "current" or uses_prior):
                shown.append(pane.model_copy(update={"sequences": offered}))
        return shown

    def _require_usable_panes(self, panes: list[Pane]) -> None:
        if not panes:
            raise ValueError("panes is an empty list; name one to four panes, or leave the key out")
        titles = [pane.title for pane in panes]
        if len(titles) != len(set(titles)):
            raise ValueError("two panes have the same title; give every pane its own")
        for pane in panes:
            if len(pane.sequences) != len(set(pane.sequences)):
                raise ValueError(f"pane '{pane.title}' names a sequence twice; name each at most once")
            if pane.role == "prior" and not self.prior_beside_current:
                raise ValueError(f"pane '{pane.title}' shows the prior, which prior_beside_current: false forbids")


class Context(Part):
    """What a rater learns about the case beside the pictures."""

    vignette: bool = True
    history: bool = False
    age: bool = False
    dates: Literal["months_since_prior", "acquisition_date", "hidden"] = "months_since_prior"


TextSetting = Literal["plain", "markdown"]


class TextSettings(Part):
    """How each kind of text is set: as it is written, or as Markdown without images, links and HTML."""

    prompt: TextSetting = "plain"
    vignette: TextSetting = "plain"
    reference: TextSetting = "plain"
    candidate: TextSetting = "plain"
    explanation: TextSetting = "plain"


class Practice(Part):
    """Items that are read before the real ones, until enough of the answers are right."""

    pass_mark: Annotated[float, Field(ge=0.0, le=1.0)]
    feedback: bool = True
    # None: as often as it takes.
    attempts: Annotated[int, Field(ge=1)] | None = None


class Reading(Part):
    """The first phase: raters answer the items. `revision` says how long an answer may be replaced by another."""

    not_assessable: list[Option] = []
    flags: list[Option] = []
    comment: bool = True
    order: Literal["random_per_rater", "as_listed"] = "random_per_rater"
    subject_distance: Annotated[int, Field(ge=0, le=50)] = 0
    shuffle_options: bool = False
    revision: Literal["never", "session", "study"] = "never"
    practice: Practice | None = None


class Scoring(Part):
    """The second phase, where there are candidates: raters mark a frozen sample of them against the reference."""

    instructions: Annotated[str, Field(min_length=1)]
    prompt: ShortText
    sample: Annotated[int, Field(ge=1)]
    form: Form
    comment: bool = True

    @model_validator(mode="after")
    def _can_be_compared_with_a_judge(self) -> Scoring:
        answer = next(field for field in self.form.fields if field.key == "answer")
        ids = {option.id for option in answer.options}
        if answer.type != "yes_no" and not {"correct", "incorrect"} <= ids:
            raise ValueError("the field 'answer' needs options with the ids correct and incorrect")
        return self


class Adjudication(Part):
    """When an item goes to a reviewer, and how many items on which the raters agree go along as controls."""

    instructions: Annotated[str, Field(min_length=1)]
    controls: Annotated[int, Field(ge=0)] = 4


class AnalysisPlan(Part):
    """What will be computed, fixed before the first verdict."""

    primary: Literal["closed_format_accuracy", "overall_accuracy"] = "closed_format_accuracy"
    unit: Literal["item"] = "item"
    cluster: Literal["subject"] = "subject"
    interval: Literal["percentile_bootstrap"] = "percentile_bootstrap"
    confidence: Annotated[float, Field(gt=0.5, lt=1.0)] = 0.95
    resamples: Annotated[int, Field(ge=200, le=100_000)] = 10_000
    seed: int = 1


class Protocol(Part):
    """A study's protocol; frozen with its items."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,59}$")]
    title: ShortText
    instructions: Annotated[str, Field(min_length=1)]
    consent: str = ""
    notice: str | None = None
    seed: int = 1
    # How a date in a table is read that ends in its year; None: only where it has one reading.
    dates: DateOrder | None = None
    hanging: Hanging = Hanging()
    context: Context = Context()
    text: TextSettings = TextSettings()
    forms: Annotated[dict[Key, Form], Field(min_length=1)]
    reading: Reading = Reading()
    scoring: Scoring | None = None
    adjudication: Adjudication | None = None
    analysis: AnalysisPlan = AnalysisPlan()

    def canonical_json(self) -> str:
        """Return the protocol as JSON with sorted keys and no spaces: the text that is hashed and stored."""
        return json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@dataclass(frozen=True)
class ReadProtocol:
    """A protocol as far as it could be read; what None stands for is not known, so nothing is checked against it.

    Attributes
    ----------
    whole
        The protocol, where all of it is right.
    forms
        Every form by its key; None in place of one in which something is wrong.
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


def read_protocol(path: Path) -> Protocol:
    """Read and validate a `protocol.yaml`.

    Raises
    ------
    InputRefused
        Naming the file and the line (broken YAML) or the key (broken rule), what was found and what was expected.
    """
    problems = Problems()
    read = read_protocol_as_far_as_it_goes(path, problems)
    problems.refuse()
    assert read.whole is not None
    return read.whole


def read_protocol_as_far_as_it_goes(path: Path, problems: Problems) -> ReadProtocol:
    """Read a `protocol.yaml`, and note what is wrong with it."""
    try:
        status = path.stat()
        if not S_ISREG(status.st_mode):
            problems.add(path.name, "", "cannot be read (it is no file); expected a YAML file.")
            return ReadProtocol()
        if status.st_size > 2 * LARGEST_PROTOCOL:
            problems.add(path.name, "", f"has more than {LARGEST_PROTOCOL:,} letters; shorten it.")
            return ReadProtocol()
        text, _ = decoded(path.read_bytes())
    except FileNotFoundError:
        problems.add(
            path.name, "", "is missing: a study folder needs one beside its CSV tables; add it and import again."
        )
    except OSError as error:
        problems.add(path.name, "", f"cannot be read ({error.strerror}); expected a YAML file.")
    except NotRead as error:
        problems.add(path.name, "", str(error))
    else:
        return _read(text, path.name, problems)
    return ReadProtocol()


def parse_protocol(text: str, name: str = "protocol.yaml") -> Protocol:
    """Validate the text of a protocol; `name` is what an error calls the file."""
    problems = Problems()
    read = _read(text, name, problems)
    problems.refuse()
    assert read.whole is not None
    return read.whole


def _read(text: str, name: str, problems: Problems) -> ReadProtocol:
    try:
        found = load(text, name)
    except InputRefused as refusal:
        problems.take(refusal)
        return ReadProtocol()
    if not isinstance(found, dict):
        problems.add(
            name, "the whole file", f"expected keys such as name, title and forms, found {type(found).__name__}."
        )
        return ReadProtocol()
    unusable = check_values(problems, found, name)
    try:
        protocol = leave_images_out(Protocol.model_validate(found), name, problems)
    except ValidationError as error:
        add_problems(problems, error, Protocol, name, unusable)
        return _as_far_as_it_goes(found, {str(one["loc"][0]) for one in error.errors() if one["loc"]})
    if unusable:
        return _as_far_as_it_goes(found, {path[0] for path in unusable if path})
    reading, scoring = protocol.reading, protocol.scoring
    return ReadProtocol(
        whole=protocol,
        forms=protocol.forms,
        hanging=protocol.hanging,
        practice=reading.practice is not None,
        sample=0 if scoring is None else scoring.sample,
        dates=protocol.dates,
    )


def _as_far_as_it_goes(found: dict[Any, Any], unsound: set[str]) -> ReadProtocol:
    """Return the parts of a protocol that are right although others are not, so that tables can be checked on them."""

    def part(name: str, model: type[AnyPart]) -> AnyPart | None:
        if name in unsound:
            return None
        return model.model_validate(found.get(name) or {})

    reading = part("reading", Reading)
    scoring = part("scoring", Scoring) if found.get("scoring") else None
    return ReadProtocol(
        forms=_sound_forms(found.get("forms")),
        hanging=part("hanging", Hanging),
        practice=None if reading is None else reading.practice is not None,
        sample=0 if scoring is None else scoring.sample,
        dates="unknown" if "dates" in unsound else found.get("dates"),
    )


def _sound_forms(found: Any) -> dict[str, Form | None] | None:
    if not isinstance(found, dict):
        return None
    forms: dict[str, Form | None] = {}
    for key, written in found.items():
        try:
            forms[str(key)] = Form.model_validate(written)
        except ValidationError:
            forms[str(key)] = None
    return forms
