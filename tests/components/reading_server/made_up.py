"""One item of the stand-in server: made-up rows, from which the application's own builders make what the room gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from db.queries import ShownItem, ShownOverlay, ShownVolume
from protocol.first_phases import phases_of_first_language
from protocol.phase_rules import PhaseRules
from protocol.phases import PHASES, PREVIEW_HEADING
from protocol.study import Protocol
from services.installation.tokens import Keys
from services.reading import blinding, shown_forms, words_in_payloads
from services.reading.answers import ShownForm
from services.reading.blinding import Desk, Shown
from services.reading.payloads import (
    AheadPayload,
    AnyItemPayload,
    DraftPayload,
    FeedbackPayload,
    Line,
    Phase,
    PracticePayload,
    RevisablePayload,
    RevisionPayload,
    RevisionRule,
    TurnPayload,
)
from tests.components.reading_server import made_volumes

NOTICE = "Simulated: lesion and second contrast are made by a computer from an average head. Nobody is shown."
OWN_READ: list[Line] = [["Answer", "Yes"], ["Confidence", "3"]]
OPINIONS: tuple[list[Line], ...] = (
    [["Answer", "Yes"], ["Confidence", "4"], ["Comment", "A small focus near the ventricle."]],
    [["Answer", "No"], ["Confidence", "2"]],
)


class ReadableKeys(Keys):
    """Keys by whose addresses a scan can be told, so that a test can hold back or replace one of them."""

    def volume_token(self, volume_id: int) -> str:
        """Return what the volume is, its item's place in the list, and the hour: ``t1-0~0``."""
        return f"{made_volumes.token_of(volume_id)}~{self.hour}"

    def overlay_token(self, overlay_id: int) -> str:
        """Return the same of a mask."""
        return self.volume_token(overlay_id)


@dataclass(frozen=True)
class MadeUp:
    """One item of the list as the database would hold it, and what surrounds it."""

    name: str
    position: int
    protocol: Protocol
    item: ShownItem
    volumes: list[ShownVolume]
    overlays: list[ShownOverlay]
    phase: Phase
    turns: tuple[TurnPayload, ...]
    practice: PracticePayload | None
    ahead: AheadPayload | None
    reference: tuple[str, ...] = ("Left frontal lobe", "Left superior frontal gyrus")
    candidate: str = "There is a lesion in the left parietal lobe."
    # What only a protocol that lists its phases says of a field, by its key.
    asked: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    # Whether reference and candidate are judged beside the scans, under a question of the phase.
    judged: str = ""
    # Whether it is the second step of an item: the own answer beside it, and nothing asked.
    answered: bool = False
    # The answers of the step before, beside a form that is filled in once more.
    own: Sequence[Line] = ()
    opinions: Sequence[list[Line]] = OPINIONS

    @property
    def assignment(self) -> str:
        """Name of the assignment, which says what it is and where it stands in the list."""
        return f"assignment-{self.position}-{self.name}"

    @property
    def rules(self) -> PhaseRules:
        """What the protocol says of the item's phase; a preview goes by those of reading."""
        return phases_of_first_language(self.protocol).rules["reading" if self.phase == "preview" else self.phase]

    @property
    def _is_revisable(self) -> bool:
        phases = phases_of_first_language(self.protocol)
        return self.phase in PHASES and phases.is_revisable(PHASES[self.phase].queue)

    @property
    def form(self) -> ShownForm:
        """The form of the item's phase."""
        if self.phase == "scoring":
            return self._as_asked(shown_forms.form_of_candidate(self.rules, self.item))
        form = shown_forms.form_of_item(self.rules, self.item, [])
        if self.answered:
            return replace(form, fields=(), not_assessable=(), flags=(), comment=False)
        return self._as_asked(form)

    def _as_asked(self, form: ShownForm) -> ShownForm:
        fields = (shown.model_copy(update=dict(self.asked.get(shown.key, {}))) for shown in form.fields)
        return replace(form, fields=tuple(fields))

    @property
    def volume_ids(self) -> list[int]:
        """The volumes that may be fetched ahead."""
        return [volume.volume_id for volume in self.volumes]

    def payload(
        self,
        keys: Keys,
        progress: tuple[int, int],
        draft: DraftPayload,
        *,
        revisable: int | None,
        revision_rule: RevisionRule,
        revision: RevisionPayload | None = None,
        prefetch: list[int],
    ) -> AnyItemPayload:
        """Return what the room gets of it, as the application builds it."""
        key = keys.idempotency_key(self.assignment)
        desk = Desk(
            phase=self.phase,
            heading=PHASES[self.phase].heading if self.phase in PHASES else PREVIEW_HEADING,
            assignment_public_id=self.assignment,
            key=keys.revision_key(self.assignment, revision["receipt"]) if revision else key,
            progress=progress,
            draft=draft,
            notice=NOTICE,
            turns=self.turns,
            practice=self.practice,
            revision=revision,
            revisable=revisable if self._is_revisable else None,
            revision_rule=revision_rule if self._is_revisable else "never",
            in_parts=self.phase == "scoring",
            ahead=self.ahead,
            own=list(self.own) or (OWN_READ if self.answered else None),
        )
        if self.phase == "scoring" and self.protocol.scoring is not None:
            return blinding.words_payload(
                desk=desk,
                rules=self.rules,
                text=self.protocol.text,
                item=self.item,
                form=self.form,
                reference=list(self.reference),
                candidate=self.candidate,
            )
        shown = Shown(self.item, self.volumes, self.overlays, self.form)
        if self.judged:
            return blinding.judged_payload(
                desk=desk,
                shown=shown,
                rules=replace(self.rules, question=self.judged),
                text=self.protocol.text,
                keys=keys,
                prefetch=prefetch,
                reference=list(self.reference),
                candidate=self.candidate,
            )
        payload = blinding.item_payload(
            desk=desk, shown=shown, rules=self.rules, text=self.protocol.text, keys=keys, prefetch=prefetch
        )
        return blinding.with_opinions(payload, OWN_READ, list(self.opinions)) if self.phase == "opinions" else payload

    def listed(self, number: int, receipt: str, saved_at: datetime, answers: dict[str, Any]) -> RevisablePayload:
        """Return its entry in the list of earlier items."""
        flag = answers.get("flag")
        return blinding.revisable_payload(
            assignment_public_id=self.assignment,
            position=number,
            prompt=self.item.prompt,
            text=blinding.text_payload(self.protocol.text, "prompt"),
            receipt=receipt,
            saved_at=saved_at,
            lines=[
                *blinding.opinion_lines(self.form, answers["fields"], answers["not_assessable"], answers["comment"]),
                *blinding.own_flag_lines(self.form, (flag["id"], flag["note"]) if flag else None),
            ],
        )


def feedback_on(answers: dict[str, Any]) -> FeedbackPayload:
    """Return the feedback on an answer in practice; a confidence of 3 is judged too, and right."""
    explanation = "The bright focus lies in front of the central sulcus."
    lines = words_in_payloads.feedback_lines(["Yes"], explanation)
    is_right = answers["fields"].get("answer") == "yes"
    judged = [is_right, True] if answers["fields"].get("confidence") == "3" else []
    return blinding.feedback_payload(is_right, lines, judged)
