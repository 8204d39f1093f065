"""What may reach a rater's or reviewer's browser: the one place where payloads are built.

Every payload is built key by key from an allow-list. Nothing is ever copied from a row as a whole, so a column that is
added to a table stays hidden until somebody lets it through here.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from datetime import date
from typing import Any

from db.queries import ShownItem, ShownVolume
from exchange.protocol import Form, FormField, Hanging, Option, Protocol
from services.answers import ShownForm

DAYS_PER_MONTH = 30.4375


@dataclass(frozen=True)
class Keys:
    """What derives the unguessable names that one login session sees in one study."""

    salt: str
    login_session_id: int

    def volume_token(self, volume_id: int) -> str:
        """Return the name under which this login session, and no other, may fetch a volume."""
        return self._derive("volume", volume_id)

    def idempotency_key(self, assignment_public_id: str) -> str:
        """Return the key that a verdict on this display must carry."""
        return self._derive("verdict", assignment_public_id)

    def _derive(self, purpose: str, name: object) -> str:
        message = f"{purpose}|{self.login_session_id}|{name}".encode()
        return hmac.new(bytes.fromhex(self.salt), message, hashlib.sha256).hexdigest()[:40]


@dataclass(frozen=True)
class Shown:
    """What is shown of an item: the item, its volumes, and the form that goes with the phase."""

    item: ShownItem
    volumes: list[ShownVolume]
    form: ShownForm


def reading_form(protocol: Protocol, item: ShownItem, option_order: list[str]) -> ShownForm:
    """Return the form of the reading phase."""
    return ShownForm(
        fields=_with_item_options(protocol.forms[item.form], item, option_order),
        not_assessable=_pairs(protocol.reading.not_assessable),
        flags=_pairs(protocol.reading.flags),
        comment=protocol.reading.comment,
    )


def review_form(protocol: Protocol, item: ShownItem, option_order: list[str]) -> ShownForm:
    """Return the form of a reviewer's own first read: the raters' form without flags."""
    form = reading_form(protocol, item, option_order)
    return ShownForm(form.fields, form.not_assessable, (), form.comment)


def opinions_form(protocol: Protocol, item: ShownItem, option_order: list[str]) -> ShownForm:
    """Return the form of a decision: the answer alone, with the reason for it."""
    fields = _with_item_options(protocol.forms[item.form], item, option_order)
    answer = tuple(field for field in fields if field.key == "answer")
    return ShownForm((*answer, _REASON), _pairs(protocol.reading.not_assessable), (), comment=False)


def scoring_form(protocol: Protocol) -> ShownForm:
    """Return the form of the scoring phase."""
    if protocol.scoring is None:
        raise ValueError("the protocol has no scoring phase")
    return ShownForm(
        tuple(_with_yes_no(field) for field in protocol.scoring.form.fields), (), (), protocol.scoring.comment
    )


_REASON = FormField(key="reason", type="text", label="Reason for the decision")


def images_payload(shown: Shown, hanging: Hanging, keys: Keys) -> dict[str, Any]:
    """Return the panes of a case: current, and prior where the item uses it."""
    panes = [_pane("Current", None, shown, "current", keys)]
    if shown.item.uses_prior and hanging.prior_beside_current:
        panes.append(_pane("Prior", None if hanging.coregistered else "not co-registered", shown, "prior", keys))
    return {
        "convention": hanging.convention,
        "coregistered": hanging.coregistered,
        "panes": panes,
        "presets": [{"label": preset.label, "window": list(preset.window)} for preset in hanging.presets],
    }


def _pane(title: str, badge: str | None, shown: Shown, role: str, keys: Keys) -> dict[str, Any]:
    offered = [
        volume
        for sequence in shown.item.sequences
        for volume in shown.volumes
        if volume.role == role and volume.sequence == sequence
    ]
    return {
        "title": title,
        "badge": badge,
        "volumes": [
            {
                "label": volume.label,
                "url": volume_url(keys, volume.volume_id),
                "window": volume.window,
                "range": volume.intensity_range,
            }
            for volume in offered
        ],
    }


def volume_url(keys: Keys, volume_id: int) -> str:
    """Return the address of a volume, relative to the application's root."""
    return f"reading/volume/{keys.volume_token(volume_id)}"


def volumes_of(shown: Shown, hanging: Hanging) -> list[int]:
    """Return the ids of the volumes that an item shows, and of no others."""
    roles = {"current"} | ({"prior"} if shown.item.uses_prior and hanging.prior_beside_current else set())
    return [
        volume.volume_id for volume in shown.volumes if volume.role in roles and volume.sequence in shown.item.sequences
    ]


def context_payload(shown: Shown, protocol: Protocol) -> dict[str, Any]:
    """Return vignette and facts, as far as the protocol releases them."""
    facts = []
    if protocol.context.age and shown.item.age is not None:
        facts.append(["Age", f"{shown.item.age} years"])
    if shown.item.uses_prior:
        facts.extend(_date_facts(shown.volumes, protocol))
    vignette = shown.item.vignette if protocol.context.vignette else ""
    return {"vignette": vignette or None, "facts": facts}


def _date_facts(volumes: list[ShownVolume], protocol: Protocol) -> list[list[str]]:
    """Return dates only as the protocol releases them: months since the prior unless it says otherwise."""
    current, prior = _acquired(volumes, "current"), _acquired(volumes, "prior")
    if current is None or prior is None or protocol.context.dates == "hidden":
        return []
    if protocol.context.dates == "acquisition_date":
        return [["Acquired", current.isoformat()], ["Prior acquired", prior.isoformat()]]
    return [["Months since the prior", str(round((current - prior).days / DAYS_PER_MONTH))]]


def _acquired(volumes: list[ShownVolume], role: str) -> date | None:
    return next((volume.acquired for volume in volumes if volume.role == role and volume.acquired), None)


def item_payload(
    *,
    phase: str,
    shown: Shown,
    protocol: Protocol,
    keys: Keys,
    assignment_public_id: str,
    progress: tuple[int, int],
    draft: dict[str, Any],
    notice: str | None,
    prefetch: list[int],
) -> dict[str, Any]:
    """Return what a rater or reviewer gets to see of an item that is read from its pictures."""
    return {
        **_frame(phase, assignment_public_id, keys, progress, draft, notice),
        "images": images_payload(shown, protocol.hanging, keys),
        "context": context_payload(shown, protocol),
        "prompt": shown.item.prompt,
        "form": shown.form.as_payload(),
        "prefetch": [volume_url(keys, volume_id) for volume_id in prefetch],
    }


def scoring_payload(
    *,
    prompt: str,
    question: str,
    form: ShownForm,
    reference: list[str],
    candidate: str,
    keys: Keys,
    assignment_public_id: str,
    progress: tuple[int, int],
    draft: dict[str, Any],
    notice: str | None,
) -> dict[str, Any]:
    """Return what a rater gets to see of a candidate: the question, the reference and the answer, and no model."""
    return {
        **_frame("scoring", assignment_public_id, keys, progress, draft, notice),
        "prompt": prompt,
        "context": {"vignette": None, "facts": [["Question", question]]},
        "reference": reference,
        "candidate": candidate,
        "form": form.as_payload(),
    }


def _frame(
    phase: str,
    assignment_public_id: str,
    keys: Keys,
    progress: tuple[int, int],
    draft: dict[str, Any],
    notice: str | None,
) -> dict[str, Any]:
    done, total = progress
    return {
        "kind": "item",
        "assignment": assignment_public_id,
        "key": keys.idempotency_key(assignment_public_id),
        "phase": phase,
        "progress": {"done": done, "total": total},
        "notice": notice,
        "images": None,
        "context": {"vignette": None, "facts": []},
        "prompt": "",
        "reference": None,
        "candidate": None,
        "own": None,
        "opinions": None,
        "draft": draft,
        "prefetch": [],
    }


def done_payload(title: str, message: str, progress: tuple[int, int]) -> dict[str, Any]:
    """Return what is shown when nothing is left: thanks, and nothing about right or wrong."""
    done, total = progress
    return {"kind": "done", "title": title, "message": message, "progress": {"done": done, "total": total}}


def opinion_lines(form: ShownForm, fields: dict[str, Any], not_assessable: str | None, comment: str) -> list[list[str]]:
    """Return an answer as label and text, as it is shown to a reviewer."""
    if not_assessable is not None:
        lines = [["Not assessable", dict(form.not_assessable).get(not_assessable, not_assessable)]]
    else:
        lines = [[field.label, answer_text(field, fields[field.key])] for field in form.fields if field.key in fields]
    return lines + ([["Comment", comment]] if comment else [])


def answer_text(field: FormField, value: Any) -> str:
    """Return an answer in the words of the form."""
    texts = {option.id: option.text for option in field.options}
    values = value if isinstance(value, list) else [value]
    return ", ".join(texts.get(str(one), f"{one:g}" if isinstance(one, float) else str(one)) for one in values)


def _with_item_options(form: Form, item: ShownItem, option_order: list[str]) -> tuple[FormField, ...]:
    return tuple(_placed(field, item, option_order) for field in form.fields)


def _placed(field: FormField, item: ShownItem, option_order: list[str]) -> FormField:
    if field.key == "answer" and item.options:
        by_id = {option["id"]: Option(id=option["id"], text=option["text"]) for option in item.options}
        order = option_order or list(by_id)
        return field.model_copy(update={"options": [by_id[option_id] for option_id in order]})
    return _with_yes_no(field)


def _with_yes_no(field: FormField) -> FormField:
    if field.type == "yes_no" and not field.options:
        return field.model_copy(update={"options": [Option(id="yes", text="Yes"), Option(id="no", text="No")]})
    return field


def _pairs(options: list[Option]) -> tuple[tuple[str, str], ...]:
    return tuple((option.id, option.text) for option in options)
