"""What the reading room receives, key by key: one type per payload. For what routes return, see `route_answers`.

`blinding` and `hanging` build the payloads. The types against which the browser's sources are checked are generated
from these (docs/how-to/rebuild-the-viewer.md). Text and numbers only, in the order in which they are sent.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypeAliasType, TypedDict

from protocol import forms, sections

# Named, so that the schema and the declarations use the same names.
Phase = TypeAliasType("Phase", Literal["practice", "reading", "scoring", "review", "opinions", "preview"])
FieldType = TypeAliasType("FieldType", forms.FieldType)
OverlayStyle = TypeAliasType("OverlayStyle", Literal["outline", "fill"])
RevisionRule = TypeAliasType("RevisionRule", sections.RevisionRule)
Plane = TypeAliasType("Plane", Literal["axial", "coronal", "sagittal"])
# What is counted: items with scans, items without, or scored answers.
SummaryUnit = TypeAliasType("SummaryUnit", Literal["scans", "items", "answers"])
TextKind = TypeAliasType("TextKind", Literal["prompt", "vignette", "question", "reference", "candidate", "explanation"])
TextSetting = TypeAliasType("TextSetting", Literal["plain", "markdown"])
# Label and text, in the wording of the form.
Line = TypeAliasType("Line", Annotated[list[str], Field(min_length=2, max_length=2)])
# Lowest and highest value: intensities, or fractions of the default window.
Window = TypeAliasType("Window", Annotated[list[float], Field(min_length=2, max_length=2)])
# x, y and z in mm.
Place = TypeAliasType("Place", Annotated[list[float], Field(min_length=3, max_length=3)])


# The two answers of a pair: the one on side A, and the one on side B.
Sides = TypeAliasType("Sides", Annotated[list[str], Field(min_length=2, max_length=2)])


class Option(TypedDict):
    """One answer or reason that can be chosen; `meaning` is its definition."""

    id: str
    text: str
    meaning: NotRequired[str]


# Not a class, because `is` is a Python keyword.
Dependence = TypedDict("Dependence", {"field": str, "is": list[str]})
"""The field that another one depends on, and the option ids for which that one is asked."""


class OfferedPayload(TypedDict):
    """The options offered for one value of the field above."""

    value: str
    options: list[str]


class OptionsByPayload(TypedDict):
    """The field that decides which options are offered; for a value that is not listed there are none."""

    field: str
    offered: list[OfferedPayload]


class FieldHelp(TypedDict, total=False):
    """What may be shown below a field's label."""

    help: str


class FieldLimits(TypedDict, total=False):
    """What the protocol may specify about a field's values, and about when it is asked."""

    unit: str
    minimum: float
    maximum: float
    depends_on: Dependence
    options_by: OptionsByPayload
    at_most: int
    undetermined: bool


class FormFieldPayload(FieldHelp, FieldLimits):
    """One field of a form."""

    key: str
    type: FieldType
    label: str
    required: bool
    options: list[Option]


class FormPayload(TypedDict):
    """The form of an item, with every option in place."""

    fields: list[FormFieldPayload]
    not_assessable: list[Option]
    comment: bool
    flags: list[Option]


class VolumePayload(TypedDict):
    """One scan: its address, the expected hash of its content, and its window."""

    label: str
    url: str
    sha256: str | None
    window: Window
    range: Window
    placed: bool


class OverlayPayload(TypedDict):
    """One mask that is drawn over the scans of a pane."""

    label: str
    url: str
    sha256: str | None
    colour: str
    style: OverlayStyle
    opacity: float


class PanePayload(TypedDict):
    """One pane with the scans that it offers."""

    title: str
    badge: str | None
    coregistered: bool
    missing: list[str]
    volumes: list[VolumePayload]
    opens_on: int
    overlays: list[OverlayPayload]


class PresetPayload(TypedDict):
    """A selectable window: `window` in fractions of the default one, or `absolute` in intensities."""

    label: str
    window: NotRequired[Window]
    absolute: NotRequired[Window]


class ImagesPayload(TypedDict):
    """The panes of an item, and how they are displayed."""

    convention: Literal["radiological", "neurological"]
    coregistered: bool
    layout: Literal["side_by_side", "switched"]
    planes: list[Plane]
    start: Place | None
    panes: list[PanePayload]
    presets: list[PresetPayload]


class ContextPayload(TypedDict):
    """What is shown beside the images, as far as the protocol releases it."""

    vignette: str | None
    history: list[Line]
    facts: list[Line]


class ProgressPayload(TypedDict):
    """How many items are closed, and how many there are in all."""

    done: int
    total: int


class PracticePayload(TypedDict):
    """A rater's progress in their practice, and the share of right answers that ends it."""

    done: int
    total: int
    pass_mark: float


class TurnPayload(TypedDict):
    """An earlier turn of a conversation: what was asked, and what this member answered."""

    prompt: str
    lines: list[Line]


class RevisionPayload(TypedDict):
    """Which of their verdicts the rater is revising."""

    receipt: str
    saved_at: str


class NextPayload(TypedDict):
    """What comes next: how much of what, how long at the rater's own pace, and where."""

    title: str
    about: str
    place: str | None


class AheadPayload(NextPayload):
    """What is shown between two parts: what begins with the item, and why."""

    heading: str
    message: str


class DraftPayload(TypedDict):
    """What the rater has filled in, as their browser sent it, with the number that orders drafts."""

    sequence: int
    answers: dict[str, Any]


class OpinionPayload(TypedDict):
    """One rater's answers on an item, without their name."""

    name: str
    lines: list[Line]


class HeadPayload(TypedDict):
    """Which item it is, of which assignment and phase."""

    kind: Literal["item"]
    assignment: str
    key: str
    phase: Phase
    progress: ProgressPayload
    heading: str
    notice: str | None


class StandingPayload(TypedDict):
    """What surrounds an item; `revisable` is None if the study allows no revisions in the queue.

    `in_parts` is true if the queue is one of several parts that the member works through.
    """

    turns: list[TurnPayload]
    practice: PracticePayload | None
    revision: RevisionPayload | None
    revisable: int | None
    revision_rule: RevisionRule
    in_parts: bool
    ahead: AheadPayload | None


class ItemPayload(HeadPayload, StandingPayload):
    """An item that is read from its images: in practice, reading, a reviewer's first read and the preview.

    Here and below, `own` is the answer given before more was shown; None if this is that first answer.
    """

    images: ImagesPayload
    context: ContextPayload
    prompt: str
    text: dict[TextKind, TextSetting]
    reference: None
    candidate: None
    own: list[Line] | None
    opinions: None
    draft: DraftPayload
    prefetch: list[str]
    form: FormPayload


class OpinionsPayload(HeadPayload, StandingPayload):
    """An item with others' opinions; for a reviewer who decides on it, also with their own first read."""

    images: ImagesPayload
    context: ContextPayload
    prompt: str
    text: dict[TextKind, TextSetting]
    reference: None
    candidate: None
    own: list[Line]
    opinions: list[OpinionPayload]
    draft: DraftPayload
    prefetch: list[str]
    form: FormPayload


class ScoringPayload(HeadPayload, StandingPayload):
    """A candidate's answer or an item, judged from text without images; with the reference if it is shown.

    Here and below, `sides` are two answers to compare, in place of the single one.
    """

    images: None
    context: ContextPayload
    prompt: str
    text: dict[TextKind, TextSetting]
    reference: list[str] | None
    candidate: str | None
    sides: Sides | None
    own: list[Line] | None
    opinions: list[OpinionPayload] | None
    draft: DraftPayload
    prefetch: list[str]
    form: FormPayload


class JudgedPayload(HeadPayload, StandingPayload):
    """An answer, or an item with its reference, judged beside its images; `question` is the phase's own."""

    images: ImagesPayload
    context: ContextPayload
    question: str
    prompt: str
    text: dict[TextKind, TextSetting]
    reference: list[str] | None
    candidate: str | None
    sides: Sides | None
    own: list[Line] | None
    opinions: list[OpinionPayload] | None
    draft: DraftPayload
    prefetch: list[str]
    form: FormPayload


class SummaryPayload(TypedDict):
    """The rater's work in this login session: counts, their unit, times in milliseconds, and since when."""

    unit: SummaryUnit
    items: int
    active_ms: int
    median_ms: int | None
    since: str | None


class DonePayload(TypedDict):
    """What is shown when nothing is left to do."""

    kind: Literal["done"]
    assignment: str | None
    title: str
    message: str
    progress: ProgressPayload
    summary: SummaryPayload
    revisable: int | None
    revision_rule: RevisionRule
    next: NextPayload | None


AnyItemPayload = TypeAliasType("AnyItemPayload", ItemPayload | OpinionsPayload | ScoringPayload | JudgedPayload)
Payload = TypeAliasType("Payload", AnyItemPayload | DonePayload)


class JudgedFieldsPayload(TypedDict):
    """How many fields the feedback says are right, of how many of which it says whether they are."""

    right: int
    judged: int


class FeedbackPayload(TypedDict):
    """What a rater learns from a practice verdict; `correct` is None if there is no single right answer.

    `correct` is about the field that is compared; `fields` about those that `lines` name, and None if they name none.
    """

    correct: bool | None
    fields: JudgedFieldsPayload | None
    lines: list[Line]


class RevisablePayload(TypedDict):
    """One of a rater's own verdicts that may be revised."""

    assignment: str
    label: str
    prompt: str
    text: dict[TextKind, TextSetting]
    receipt: str
    saved_at: str
    lines: list[Line]
