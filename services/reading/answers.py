"""A form as it is shown, and the answers checked against it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from protocol.fields import KINDS, LISTS, PLACES
from protocol.fields.abstention import UNDETERMINED, is_undetermined
from protocol.fields.kind import WrongAnswer
from protocol.fields.text import LONGEST_TEXT
from protocol.forms import PhaseField
from protocol.labels import as_label
from services.errors import Incomplete, StaleDraft

LARGEST_DRAFT = 64_000


@dataclass(frozen=True)
class ShownForm:
    """A form with every option in place: it is displayed, and answers are checked against it.

    Attributes
    ----------
    panes
        Titles of the panes beside the form: a point may name the pane it was taken in.
    images
        Titles of those that open on an image without scale, where a point has no depth.
    item_options
        The item's options in the order drawn for the rater, whether or not a field offers them.
    """

    fields: tuple[PhaseField, ...]
    not_assessable: tuple[tuple[str, str], ...]
    flags: tuple[tuple[str, str], ...]
    comment: bool
    panes: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    item_options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answers:
    """Answers that fit their form: option ids, numbers and texts by field key."""

    fields: dict[str, Any]
    not_assessable: str | None
    comment: str
    flag: tuple[str, str] | None

    def content_sha256(self) -> str:
        """Return the hash that identifies a repeated submission and is stored in the audit chain."""
        content = [self.fields, self.not_assessable, self.comment, self.flag]
        return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def check_draft(answers: Any) -> dict[str, Any]:
    """Return a draft as it is stored. A draft may be incomplete, but not huge or malformed."""
    if not isinstance(answers, dict) or not isinstance(answers.get("fields", {}), dict):
        raise Incomplete("The answers are not an object with fields; reload the page.", "")
    text = json.dumps(answers)
    if len(text) > LARGEST_DRAFT:
        raise Incomplete(f"The draft is longer than {LARGEST_DRAFT} characters; shorten the text.", "comment")
    if "\\u0000" in text:
        raise Incomplete("The text holds a NUL character; remove it.", "comment")
    return answers


def is_repeated_draft(stored: tuple[int, Any] | None, sequence: int, answers: Any) -> bool:
    """Return whether exactly this draft is already stored, from an attempt whose response was lost.

    Parameters
    ----------
    stored
        Number and answers of the stored draft, if there is one.

    Raises
    ------
    StaleDraft
        A newer draft is already stored, from another tab or from an earlier attempt that did get through.
    """
    if stored == (sequence, answers):
        return True
    if stored is not None and sequence <= stored[0]:
        raise StaleDraft("A newer draft of this item was saved from another tab.", stored[0])
    return False


def check_answers(form: ShownForm, answers: Any) -> Answers:
    """Check what was submitted against the form.

    Raises
    ------
    Incomplete
        Carries one sentence and the key of the first field that does not fit.
    """
    given = check_draft(answers)
    comment = _text("Comment", given.get("comment") or "", "comment")
    if comment and not form.comment:
        raise Incomplete("This form does not accept comments.", "comment")
    flag = _flag(form, given.get("flag"))
    reason = given.get("not_assessable")
    if reason is not None:
        if reason not in {key for key, _ in form.not_assessable}:
            raise Incomplete("Choose one of the reasons why this cannot be assessed.", "not_assessable")
        return Answers({}, reason, comment, flag)
    return Answers(_fields(form, given.get("fields") or {}), None, comment, flag)


def is_repeated_submission(form: ShownForm, answers: Any, content_sha256: str) -> bool:
    """Return whether the answers are those of a stored verdict, by its hash; invalid answers were never stored."""
    try:
        return check_answers(form, answers).content_sha256() == content_sha256
    except Incomplete:
        return False


def _fields(form: ShownForm, given: dict[str, Any]) -> dict[str, Any]:
    unknown = sorted(set(given) - {field.key for field in form.fields})
    if unknown:
        raise Incomplete(f"The form has no field '{unknown[0][:40]}'; reload the page.", unknown[0][:40])
    checked: dict[str, Any] = {}
    for shown in form.fields:
        field = as_asked(shown, checked)
        if field is None:
            continue
        value = given.get(field.key)
        if _is_blank(value):
            if field.required:
                raise Incomplete(f"{as_label(field.label)} please fill this in.", field.key)
            continue
        if field.undetermined and is_undetermined(value):
            checked[field.key] = dict(UNDETERMINED)
            continue
        if field.options_by is not None and _goes_with_another(shown, field, value):
            above = next(other.label for other in form.fields if other.key == field.options_by.field)
            raise Incomplete(f"{as_label(field.label)} choose what goes with the answer to “{above}”.", field.key)
        try:
            checked[field.key] = KINDS[field.type].check(field, value, form.panes)
        except WrongAnswer as wrong:
            raise Incomplete(str(wrong), field.key) from None
        if field.type in PLACES and form.images:
            checked[field.key] = _without_depth(form, checked[field.key])
        given_here = len(checked[field.key]) if isinstance(checked[field.key], list) else 1
        if field.at_most is not None and given_here > field.at_most:
            raise Incomplete(
                f"{as_label(field.label)} {given_here} answers, at most {field.at_most} are allowed; remove some.",
                field.key,
            )
        left = len(field.options) - given_here if field.type in LISTS and field.at_most is None else 0
        if left > 0:
            # Only a list with a limit may be shorter; the form in the browser applies the same rule.
            raise Incomplete(
                f"{as_label(field.label)} {left} of {len(field.options)} are still to be ranked.", field.key
            )
    return checked


def _without_depth(form: ShownForm, point: list[float | str]) -> list[float | str]:
    """Return a point at depth 0 if it is in an image: another depth would be counted as distance."""
    x, y, _, *named = point
    pane = named[0] if named else form.panes[0]
    return [x, y, 0.0, *named] if pane in form.images else point


def _is_blank(value: Any) -> bool:
    """Return whether nothing was filled in: no value, or only whitespace, in a text or in every line of a list."""
    if isinstance(value, list):
        return all(isinstance(line, str) and not line.strip() for line in value)
    return value is None or (isinstance(value, str) and not value.strip())


def as_asked(field: PhaseField, checked: Mapping[str, Any]) -> PhaseField | None:
    """Return a field with the options left by the answers above it; None if they leave it unasked."""
    if field.depends_on is not None:
        answers = _chosen(checked.get(field.depends_on.field))
        if not any(answer in field.depends_on.values for answer in answers):
            return None
    return field if field.options_by is None else field.offered_with(_chosen(checked.get(field.options_by.field)))


def _chosen(answer: Any) -> list[str]:
    """Return the chosen option ids; none if the rater abstained or was not asked."""
    if answer is None or is_undetermined(answer):
        return []
    return [str(option) for option in (answer if isinstance(answer, list) else [answer])]


def _goes_with_another(shown: PhaseField, asked: PhaseField, value: Any) -> bool:
    """Return whether a chosen option belongs to the field, but not to the answer given above it."""
    others = {option.id for option in shown.options} - {option.id for option in asked.options}
    return any(option in others for option in _chosen(value))


def _flag(form: ShownForm, flag: Any) -> tuple[str, str] | None:
    if flag is None:
        return None
    kind = flag.get("id") if isinstance(flag, dict) else None
    if kind not in {key for key, _ in form.flags}:
        raise Incomplete("Choose what the flag is for.", "flag")
    return str(kind), _text("Note", flag.get("note") or "", "flag")


def _text(label: str, value: Any, key: str) -> str:
    if not isinstance(value, str):
        raise Incomplete(f"{as_label(label)} expected text.", key)
    if len(value) > LONGEST_TEXT:
        raise Incomplete(
            f"{as_label(label)} {len(value)} characters, at most {LONGEST_TEXT} are allowed; shorten it.", key
        )
    return value.strip()
