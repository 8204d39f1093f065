"""Who may see what, and when: one table, and one pure function that reads it. docs/blinding.md prints it.

The table says what may be sent; `services.reading.blinding` and `hanging` say what is sent, key by key. They ask here
before they release something that is otherwise withheld (a reference, the opinions of others).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from protocol.phases import OPINIONS, PRACTICE, READING, REVIEW, SCORING, Phase

Role = Literal["rater", "reviewer", "admin"]
# A phase, by its key, or the pages of an admin.
View = str
ADMIN = "admin"
# Any phase of a study that lists its phases; the things named in its `shows` are released.
LISTED = "listed"


@dataclass(frozen=True)
class Progress:
    """How far the person asking has got; what is unknown counts as not done.

    Attributes
    ----------
    on_the_desk
        Whether the thing belongs to the item on their desk.
    answered
        Whether their own verdict on this item is stored.
    reads_done
        Whether all their own blind reads are done.
    data_locked
        Whether the study is closed, or this admin takes an interim look with a reason.
    released
        Whether the protocol releases the thing.
    """

    on_the_desk: bool = False
    answered: bool = False
    reads_done: bool = False
    data_locked: bool = False
    released: bool = False


@dataclass(frozen=True)
class Rule:
    """A cell of the table: its words, and the fields of `Progress` that it needs; None if it is never met."""

    words: str
    needs: tuple[str, ...] | None

    def holds(self, progress: Progress) -> bool:
        """Return whether the rule is met."""
        return self.needs is not None and all(getattr(progress, need) for need in self.needs)


NEVER = Rule("never", None)
NO = Rule("no", None)
WITH_ITEM = Rule("yes", ("on_the_desk",))
RELEASED = Rule("if released by the protocol", ("on_the_desk", "released"))
SHOWN = Rule("if the phase shows it", ("on_the_desk", "released"))
PREVIEW = Rule("preview", ())
REPORT = Rule("report", ())
LOCKED = Rule("report, after data lock", ("data_locked",))


@dataclass(frozen=True)
class Thing:
    """Something that is shown or withheld.

    Attributes
    ----------
    title
        The label of its row in the table.
    columns
        The columns of the database that hold it, as "table.column". Changing any other column must not change anything
        that is sent.
    rules
        Its rule in each view: a phase's key, `LISTED` or `ADMIN`. In any other view it is never shown.
    """

    key: str
    title: str
    rules: Mapping[View, Rule]
    columns: tuple[str, ...] = ()


_OF_THE_VOLUME = (
    "item.sequences", "item.uses_prior", "volume.label", "volume.role", "volume.sequence", "volume.window",
    "volume.intensity_range", "volume.sha256",
)  # fmt: skip
_OF_THE_REFERENCE = ("reference.accepted", "reference.low", "reference.high", "reference.version", "reference.fields")


def _with(words: str, *needs: str) -> Rule:
    return Rule(words, needs)


def _reading(rule: Rule, admin: Rule, **others: Rule) -> dict[View, Rule]:
    """Return one rule for all reads of images (practice, reading and review); listed phases have `SHOWN`."""
    read = {PRACTICE.key: rule, READING.key: rule, REVIEW.key: rule, OPINIONS.key: rule}
    return read | {LISTED: SHOWN, ADMIN: admin} | others


_NAMED_OVERLAYS = _with("those the item lists, never prefetched", "on_the_desk")
_OWN_VOLUMES = _with("of the current item, and of the next", "on_the_desk")

THINGS: tuple[Thing, ...] = (
    Thing(
        "question",
        "prompt, options, form",
        _reading(
            WITH_ITEM,
            PREVIEW,
            scoring=_with("the prompt as the question", "on_the_desk"),
            opinions=_with("answer and reason", "on_the_desk"),
        ),
        ("item.prompt", "item.options", "item.form"),
    ),
    Thing(
        "scans",
        "scans, label, sequence, window, which sequences are missing",
        _reading(
            _OWN_VOLUMES,
            PREVIEW,
            scoring=NO,
            opinions=_with("the same item", "on_the_desk"),
        ),
        _OF_THE_VOLUME,
    ),
    Thing(
        "content hash",
        "hash of a scan's content (unpacked)",
        _reading(_with("with the scan", "on_the_desk"), PREVIEW, scoring=NO),
        ("volume.unpacked_sha256",),
    ),
    Thing("overlays", "overlays", _reading(_NAMED_OVERLAYS, PREVIEW, scoring=NO)),
    Thing(
        "turns",
        "earlier turns of a conversation",
        _reading(
            _with("prompts and own answers", "on_the_desk"),
            _with("preview: prompts"),
            scoring=NO,
        ),
    ),
    Thing(
        "context",
        "vignette, history, age, months since the prior",
        _reading(RELEASED, PREVIEW, scoring=NO),
        ("study_case.vignette", "study_case.age"),
    ),
    Thing(
        "reference",
        "reference (accepted answers, range)",
        {
            SCORING.key: _with("of that item, once all own reads are done", "on_the_desk", "reads_done"),
            LISTED: _with(
                "if the phase shows it, once nothing about the subject is open that is blind to it",
                "on_the_desk",
                "released",
                "reads_done",
            ),
            ADMIN: _with("preview; report, after data lock"),
        },
        _OF_THE_REFERENCE,
    ),
    Thing(
        "feedback",
        "reference and explanation of a practice item",
        {
            PRACTICE.key: _with("in the response to the own verdict", "answered", "released"),
            LISTED: _with("of practice, in the response to the own verdict", "answered", "released"),
            ADMIN: PREVIEW,
        },
    ),
    Thing(
        "explanation",
        "explanation of the reference",
        {
            LISTED: _with(
                "if the phase shows it, once nothing about the subject is open that is blind to it",
                "on_the_desk",
                "released",
                "reads_done",
            ),
            ADMIN: PREVIEW,
        },
        ("reference.explanation",),
    ),
    Thing("provenance", "provenance, text-only answer", {ADMIN: REPORT}),
    Thing(
        "candidate",
        "candidate's answer",
        {
            SCORING.key: _with("the candidate being scored", "on_the_desk", "reads_done"),
            LISTED: _with(
                "the candidate being rated, once nothing about its item is open that is blind to it",
                "on_the_desk",
                "released",
                "reads_done",
            ),
            ADMIN: _with("preview, report"),
        },
        ("candidate.answer",),
    ),
    Thing(
        "attributes",
        "a declared attribute of a case, item or candidate",
        {
            LISTED: _with(
                "if the phase names it, once nothing is open that is blind to it",
                "on_the_desk",
                "released",
                "reads_done",
            ),
            ADMIN: _with("preview, report"),
        },
        ("study_case.attributes", "item.attributes", "candidate.attributes"),
    ),
    Thing("model", "model name, candidate key, who wrote an answer in a pool", {ADMIN: REPORT}),
    Thing(
        "opinions",
        "others' answers and comments",
        {
            OPINIONS.key: _with("as A, B ... in a stored random order", "on_the_desk", "answered"),
            LISTED: _with(
                "if the phase shows them, as A, B ... (of a pair 1, 2 ...) in a stored random order, once nothing "
                "about the item is open that is blind to them",
                "on_the_desk",
                "released",
                "reads_done",
            ),
            ADMIN: LOCKED,
        },
        (
            "verdict.fields",
            "verdict.not_assessable",
            "verdict.comment",
            "review_task.opinion_order",
            "assignment.opinion_order",
        ),
    ),
    Thing("origin", "others' flags and notes, why an item is in the queue", {ADMIN: REPORT}),
    Thing("people", "names, logins, specialty and other attributes of raters", {ADMIN: _with("study page")}),
    Thing("strata", "subject, case note, category, grounding, keys, file names", {ADMIN: _with("preview, report")}),
    Thing(
        "setting",
        "text format (plain, Markdown)",
        _reading(
            _with("of the texts on the screen", "on_the_desk"),
            PREVIEW,
            scoring=_with("of the texts on the screen", "on_the_desk"),
        ),
    ),
    Thing(
        "ahead",
        "what comes next: how many of what, estimated time",
        {
            PRACTICE.key: _with("own counts and times, once the previous part is done"),
            READING.key: _with("own counts and times, once the previous part is done"),
            SCORING.key: _with("own"),
            LISTED: _with("own counts and times"),
            REVIEW.key: _with("a link to look again"),
            OPINIONS.key: _with("a link to look again"),
        },
    ),
    Thing("secrets", "salt, other hashes of scans and freeze, seeds", {ADMIN: _with("hashes: study page")}),
)
_BY_KEY: Mapping[str, Thing] = {thing.key: thing for thing in THINGS}


def may_see(role: Role, phase: Phase | None, thing: str, progress: Progress) -> bool:
    """Return whether somebody may see a thing in a phase, given their progress.

    Parameters
    ----------
    phase
        None for the pages of an admin.
    thing
        A key of `THINGS`.

    Raises
    ------
    KeyError
        If the table has no such thing, as nothing outside it may be shown to anybody.
    """
    row = _BY_KEY[thing]
    if role != (phase.role if phase is not None else ADMIN):
        return False
    view = ADMIN if phase is None else LISTED if phase.listed else phase.key
    return row.rules.get(view, NEVER).holds(progress)


_TITLES: Sequence[tuple[View, str]] = (
    (PRACTICE.key, "rater, practice"),
    (READING.key, "rater, reading"),
    (SCORING.key, "rater, scoring"),
    (REVIEW.key, "reviewer, own read"),
    (OPINIONS.key, "reviewer, decision"),
    (LISTED, "rater, a listed phase"),
    (ADMIN, "admin"),
)


def table() -> str:
    """Return the whole table in Markdown, as docs/blinding.md shows it."""
    lines = ["| | " + " | ".join(title for _, title in _TITLES) + " |", "|---" * (len(_TITLES) + 1) + "|"]
    for thing in THINGS:
        cells = [thing.rules.get(view, NEVER).words for view, _ in _TITLES]
        lines.append(f"| {thing.title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
