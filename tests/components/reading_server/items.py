"""The items of the stand-in server, by name: what each differs in from the plain one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from db.queries import ShownItem, ShownOverlay, ShownVolume
from protocol.forms import OptionsBy
from protocol.study import Protocol
from services.reading import blinding
from services.reading.payloads import AheadPayload, Phase, PracticePayload, TurnPayload
from tests.components.reading_server import formula_items, mixed_lines, scales, words
from tests.components.reading_server.made_texts import (
    ANSWERED_BEFORE,
    CHANGES,
    COMMENTED,
    CONFIDENCE,
    FINDINGS,
    GROWN,
    HISTORY,
    LABELLED_ALIKE,
    PRESETS,
    PROMPT,
    REGIONS,
    SCORING,
    SITES,
    TURNS,
)
from tests.components.reading_server.made_up import MadeUp
from tests.components.reading_server.pieces import choices, confidence, field, overlay, scan, yes_no


def made_up(name: str, position: int) -> MadeUp:
    """Return one named item, at its place in the list."""
    if name not in ITEMS:
        raise ValueError(f"There is no made-up item {name!r}.")
    return _item(name, position, **ITEMS[name](position))


def _item(
    name: str,
    position: int,
    *,
    fields: list[dict[str, Any]] | None = None,
    volumes: list[ShownVolume] | None = None,
    overlays: list[ShownOverlay] | None = None,
    hanging: dict[str, Any] | None = None,
    text: dict[str, str] | None = None,
    phase: Phase = "reading",
    turns: tuple[TurnPayload, ...] = (),
    practice: PracticePayload | None = None,
    ahead: AheadPayload | None = None,
    scored: dict[str, Any] | None = None,
    scoring: dict[str, Any] | None = None,
    asked: dict[str, dict[str, Any]] | None = None,
    comment: bool = True,
    **more: Any,
) -> MadeUp:
    volumes = volumes if volumes is not None else [scan(position)]
    protocol = Protocol.model_validate(
        {
            "name": "made-up",
            "title": "A made-up study",
            "instructions": "Read every item.",
            "hanging": {"coregistered": True, "presets": PRESETS} | (hanging or {}),
            "context": {"age": True, "history": True},
            "text": text or {},
            "forms": {"form": {"fields": fields or [yes_no(), confidence()]}},
            "reading": {
                "comment": comment,
                "not_assessable": choices(
                    [("quality", "Image quality"), ("missing", "What is asked for is not shown")]
                ),
                "flags": choices(
                    [("prompt", "The prompt is unclear"), ("image", "Something is wrong with the images")]
                ),
            },
            "scoring": SCORING | (scoring or {}),
        }
    )
    row: dict[str, Any] = {
        "item_id": position,
        "case_id": position,
        "form": "form",
        "prompt": PROMPT,
        "options": [],
        "sequences": list(dict.fromkeys(volume.sequence for volume in volumes)),
        "uses_prior": any(volume.role == "prior" for volume in volumes),
        "overlays": ["mask"] if overlays else [],
        "start": None,
        "conversation": None,
        "turn": None,
        "vignette": "",
        "age": 54,
        "history": [],
    }
    item = ShownItem(**(row | more))
    return MadeUp(
        name,
        position,
        protocol,
        item,
        volumes,
        overlays or [],
        phase,
        turns,
        practice,
        ahead,
        asked=asked or {},
        **(scored or {}),
    )


def _second(position: int) -> dict[str, Any]:
    return {
        "prompt": "Is the finding on the right side?",
        "volumes": [scan(position), scan(position, "t2", "T2", label="T2 (simulated)")],
    }


def _lacking(position: int) -> dict[str, Any]:
    return {
        "volumes": [scan(position), scan(position, "t2", "T2"), scan(position, "t2p", "T2", role="prior")],
    }


def _prior(position: int) -> dict[str, Any]:
    now, before = date(2026, 6, 15), date(2025, 11, 15)
    return {
        "prompt": "Compared with the prior, which of these describes the change best?",
        "vignette": "54-year-old with two weeks of right-sided weakness. No fever.",
        "volumes": [
            scan(position, acquired=now),
            scan(position, "t2", "T2", label="T2 (simulated)", acquired=now),
            scan(position, "t1p", role="prior", acquired=before),
        ],
        "hanging": {
            "panes": [
                {"title": "Current", "sequences": ["T1", "T2"]},
                {"title": "Prior", "role": "prior", "sequences": ["T1"]},
            ]
        },
        "fields": [field("answer", "choice", "Answer"), confidence()],
        "options": choices([(f"o{number}", change) for number, change in enumerate(CHANGES)]),
    }


def _apart(position: int) -> dict[str, Any]:
    return {"volumes": [scan(position), scan(position, "t1p", role="prior")], "hanging": {"coregistered": False}}


def _next_turn(position: int) -> dict[str, Any]:
    return _apart(position) | {"prompt": GROWN, "turns": (blinding.turn_payload(PROMPT, [["Answer", "Left"]]),)}


def _three(position: int) -> dict[str, Any]:
    panes = [
        {"title": "T1", "sequences": ["T1"]},
        {"title": "T2", "sequences": ["T2"]},
        {"title": "Earlier T1", "role": "prior", "sequences": ["T1"]},
    ]
    return {
        "volumes": [scan(position), scan(position, "t2", "T2"), scan(position, "t1p", role="prior")],
        "hanging": {"coregistered": False, "panes": panes},
    }


def _coronal(_position: int) -> dict[str, Any]:
    return {
        "start": [8.0, 12.0, -16.0],
        "hanging": {
            "planes": ["coronal", "axial"],
            "presets": [*PRESETS, {"label": "Brain", "absolute": [0, 80]}],
        },
    }


def _image(title: str, kind: str, *, placed: bool) -> Callable[[int], dict[str, Any]]:
    return lambda position: {
        "volumes": [scan(position, kind, placed=placed)],
        "hanging": {"panes": [{"title": title, "sequences": ["T1"]}]},
    }


def _beside_scans(position: int) -> dict[str, Any]:
    """A scan, and a photograph beside it."""
    return {
        "volumes": [scan(position), scan(position, "photo", "Photograph", placed=False)],
        "hanging": {
            "coregistered": False,
            "panes": [{"title": "T1", "sequences": ["T1"]}, {"title": "Photograph", "sequences": ["Photograph"]}],
        },
    }


def _every(_position: int) -> dict[str, Any]:
    return {
        "prompt": "One field of every type.",
        "fields": [
            field("answer", "yes_no", "Lesion?"),
            field("sites", "several", "Where?", SITES, depends_on={"field": "answer", "values": ["yes"]}),
            field("size", "number", "Largest diameter", unit="mm", minimum=0, maximum=120, required=False),
            field("place", "point", "Centre of the lesion", required=False),
            field("order", "ranked", "Most likely first", SITES, required=False),
            confidence(),
            field("words", "text", "Impression", help="One sentence.", required=False),
        ],
    }


def _limited(_position: int) -> dict[str, Any]:
    return {
        "prompt": "So many and no more.",
        "fields": [
            field("answer", "several", "Where?", SITES),
            field("order", "ranked", "Most likely first", SITES),
            field("list", "ranked", "Differential diagnosis"),
        ],
        "asked": {key: {"at_most": 2} for key in ("answer", "order", "list")},
    }


def _structured(_position: int) -> dict[str, Any]:
    kinds = [("tumor", "Tumour"), ("stroke", "Stroke"), ("ms", "Multiple sclerosis"), ("undetermined", "Other")]
    subtypes = [("glioma", "Glioma"), ("meningioma", "Meningioma"), ("ischemic", "Ischaemic"), ("bleeding", "Bleeding")]
    offered = {"tumor": ["glioma", "meningioma"], "stroke": ["ischemic", "bleeding"]}
    return {
        "prompt": "Fill in the report from top to bottom.",
        "fields": [
            field("answer", "choice", "Diagnosis", kinds),
            field("subtype", "choice", "Detailed diagnosis", subtypes),
            field("size", "number", "Largest diameter", unit="mm"),
        ],
        "asked": {
            "answer": {"undetermined": True, "meanings": {"ms": "Plaques in space and time."}},
            "subtype": {"undetermined": True, "options_by": OptionsBy(field="answer", offered=offered)},
            "size": {"undetermined": True},
        },
    }


def _judged(position: int) -> dict[str, Any]:
    return {
        "prompt": "What is the most likely diagnosis?",
        "vignette": "Two weeks of right-sided weakness. " * 8,
        "history": HISTORY,
        "volumes": [scan(position), scan(position, "t2", "T2")],
        "fields": [field("answer", "ordinal", "Correctness", CONFIDENCE)],
        "scored": {
            "judged": "Does the answer name what the reference names?",
            "candidate": "Diagnosis: a glioma of the left parietal lobe, since it is bright on T2. " * 12,
        },
    }


def _seen_after(position: int) -> dict[str, Any]:
    """Return the second step of an item: reference and candidate beside the own answer, and nothing asked."""
    judged = _judged(position)
    return judged | {"scored": judged["scored"] | {"answered": True}}


def _four_fields(_position: int) -> dict[str, Any]:
    return {
        "fields": [
            field("answer", "choice", "Main finding", FINDINGS),
            field("side", "choice", "Side", SITES),
            field("size", "number", "Largest diameter", unit="mm", minimum=0, maximum=120),
            confidence(),
        ],
    }


def _second_step(_position: int) -> dict[str, Any]:
    """Return a form that is filled in once more, beside what was answered in the first step."""
    entity = field("entity", "choice", "Entity", FINDINGS, depends_on={"field": "answer", "values": ["yes"]})
    return {"fields": [yes_no(), entity, confidence()], "scored": {"own": ANSWERED_BEFORE}}


def _worded(more: dict[str, Any]) -> Callable[[int], dict[str, Any]]:
    """Return an item that is about how its words are set."""
    plain = choices([("a", "**Left**"), ("b", "Right")])
    return lambda _position: {"fields": [field("answer", "choice", "Answer"), confidence()], "options": plain} | more


def _formulas(prompt: str, **more: Any) -> Callable[[int], dict[str, Any]]:
    markdown = {"prompt": "markdown", "reference": "markdown", "candidate": "markdown"}
    return lambda _position: {"prompt": prompt, "text": markdown} | more


def _same(**more: Any) -> Callable[[int], dict[str, Any]]:
    return lambda _position: more


DIFFICULTY = ("Trivial", "Easy", "Medium", "Hard", "Very hard")
UNWIELDY = ("Oligodendroglioma", "Meningioma", "Ependymoma", "Medulloblastoma", "Schwannoma")
# What a listed phase asks for where that is an answer in words.
IN_WORDS = {"answer": {"type": "text", "label": "In your own words", "options": []}}

# What each differs in from the plain one: one scan, and a question with yes and no.
ITEMS: dict[str, Callable[[int], dict[str, Any]]] = {
    "plain": _same(),
    "without comment": _same(comment=False),
    "written": _same(fields=[yes_no(), field("words", "text", "Impression")]),
    "measured": _same(fields=[field("answer", "number", "Severity", unit="points", minimum=0, maximum=10)]),
    "second": _second,
    "neurological": _same(hanging={"convention": "neurological"}),
    "lacking": _lacking,
    "prior": _prior,
    "practice": _same(phase="practice", practice=blinding.practice_payload((1, 6), 0.8)),
    "conversation": _same(history=HISTORY, vignette="Two weeks of right-sided weakness.", turns=TURNS, prompt=GROWN),
    "masked": lambda position: {"overlays": [overlay(position, "Lesion", "fill")]},
    "outlined": lambda position: {"overlays": [overlay(position, "Lesion", "outline")]},
    "switched": lambda position: _apart(position) | {"hanging": {"coregistered": False, "layout": "switched"}},
    "apart": _apart,
    "coronal": _coronal,
    "oblique": lambda position: {"volumes": [scan(position, "oblique")]},
    "average": lambda position: {"volumes": [scan(position, "average")]},
    "flat": _image("Slice", "flat", placed=True),
    "photograph beside": _beside_scans,
    "photograph": _image("Photograph", "photo", placed=False),
    "misfit": lambda position: (
        _image("Photograph", "photo", placed=False)(position) | {"overlays": [overlay(position, "Ulcer", "fill")]}
    ),
    "three": _three,
    "next turn": _next_turn,
    "long": _same(
        prompt=" ".join(["Which of the lesions that the prior did not show lies next to the ventricle?"] * 6),
        history=HISTORY,
        vignette="Two weeks of right-sided weakness. " * 8,
    ),
    "where": _same(fields=[field("answer", "point", "Centre of the lesion")]),
    "where-photograph": lambda position: (
        _image("Photograph", "photo", placed=False)(position)
        | {"fields": [field("answer", "point", "Centre of the lesion")]}
    ),
    "where-apart": lambda position: _apart(position) | {"fields": [field("answer", "point", "Centre of the lesion")]},
    "difficulty": _same(
        fields=[
            field("answer", "ordinal", "Difficulty", [(word, word) for word in DIFFICULTY]),
            field("kind", "ordinal", "Kind", [(word, word) for word in UNWIELDY]),
        ]
    ),
    "words about images": _same(fields=[field("answer", "text", "In your own words")]),
    "open": _same(
        prompt="Describe the main abnormality and where it lies.",
        fields=[field("answer", "text", "Answer"), confidence()],
    ),
    "twelve": _same(prompt="Which region is it?", fields=[field("answer", "choice", "Region", REGIONS), confidence()]),
    "several of twelve": _same(
        prompt="Which region is it?", fields=[field("answer", "several", "Region", REGIONS), confidence()]
    ),
    "markdown": _worded(
        {"prompt": words.MARKDOWN, "vignette": "Seen **twice**\nin *May*.", "text": {"prompt": "markdown"}}
    ),
    "attack": _worded(
        {
            "prompt": "\n\n".join(words.ATTACKS),
            "vignette": "\n\n".join(words.ATTACKS),
            "text": {"prompt": "markdown", "vignette": "markdown"},
        }
    ),
    "formulas": _worded(
        {
            "prompt": "\n\n".join(words.FORMULAS),
            "vignette": "Costs $5 and $10, not $x$.",
            "text": {"prompt": "markdown"},
        }
    ),
    "arabic": _worded(
        {
            "prompt": "هل توجد آفة في الفص الجبهي الأيسر؟",
            "vignette": "امرأة عمرها 54 سنة.",
            "history": [["Family", "לא ידוע"]],
            "options": choices([("a", "نعم، في FLAIR"), ("b", "No")]),
        }
    ),
    "lines of both directions": _worded(
        {
            "prompt": mixed_lines.MARKDOWN,
            "vignette": mixed_lines.PLAIN,
            "turns": (
                blinding.turn_payload(mixed_lines.TURN, [["Answer", "Yes"]]),
                blinding.turn_payload("דם\n12 mm", [["Answer", "Yes"]]),
            ),
            "text": {"prompt": "markdown"},
        }
    ),
    "first after practice": _same(
        ahead=blinding.ahead_payload(
            "Practice is complete",
            "From now on your answers count.",
            "Read 24 items",
            "about 40 min at the pace of your practice",
        )
    ),
    "every": _every,
    "optional": _same(
        fields=[
            yes_no(),
            field("spots", "number", "Number of spots", depends_on={"field": "answer", "values": ["yes"]}),
            field("size", "number", "Largest diameter", unit="mm", required=False, minimum=0, maximum=1200),
            field("signs", "several", "Signs", SITES, required=False),
            field("first", "point", "First point", required=False),
            field("second", "point", "Second point", required=False),
            confidence(),
            field("words", "text", "Impression", required=False),
        ]
    ),
    "optional undetermined": _same(
        fields=[
            field("size", "number", "Largest diameter", required=False),
            field("side", "choice", "Side", SITES, required=False),
            yes_no(),
            confidence(),
        ],
        asked={key: {"undetermined": True} for key in ("size", "side", "answer")},
    ),
    "limited": _limited,
    "structured": _structured,
    "judged": _judged,
    "seen after": _seen_after,
    "four fields": _four_fields,
    "second step": _second_step,
    "judged second step": lambda position: (
        _judged(position) | {"scored": _judged(position)["scored"] | {"own": ANSWERED_BEFORE}}
    ),
    "second step after many fields": lambda position: (
        _second_step(position) | {"scored": {"own": [[f"Field {n}", "Yes"] for n in range(1, 25)]}}
    ),
    "scales": _same(
        fields=[yes_no()]
        + [field(f"scale{n}", "ordinal", f"Scale {n}", scale) for n, scale in enumerate(scales.SCALES)]
    ),
    "scoring": _same(phase="scoring", prompt="Where is the lesion?", volumes=[]),
    "words alone": _same(phase="scoring", volumes=[], asked=IN_WORDS),
    "two answers in words": _same(
        phase="scoring",
        volumes=[],
        asked=IN_WORDS,
        scoring={"form": {"fields": [*SCORING["form"]["fields"], field("why", "text", "Why", required=False)]}},
    ),
    "words and a choice": _same(
        phase="scoring",
        volumes=[],
        asked=IN_WORDS,
        scoring={"form": {"fields": [*SCORING["form"]["fields"], field("sure", "yes_no", "Sure")]}},
    ),
    "lines in scoring": _same(phase="scoring", prompt="Findings:\nAn old scar.\n\nNo lesion.", volumes=[]),
    "opinions": _same(phase="opinions"),
    "opinions with one label twice": _same(phase="opinions", scored={"opinions": LABELLED_ALIKE}),
    "opinions on what the reviewer left out": _same(
        phase="opinions", scored={"opinions": [[["Answer", "No"], ["Side", "Left"], ["Confidence", "2"]]]}
    ),
    "opinions in long words": _same(
        phase="opinions",
        scored={
            "opinions": [
                [["Answer", "Yes"], ["Diagnosis", "Pneumothorax"], ["Kind", "Meningoencephalitis"]],
                [["Answer", "No"], ["Diagnosis", "Hydrothorax"], ["Kind", "Leukoencephalopathy"]],
                [["Answer", "Yes"], ["Diagnosis", "No finding"], ["Kind", "Meningoencephalitis"]],
            ]
        },
    ),
    "opinions with comments": _same(phase="opinions", scored={"opinions": COMMENTED}),
    "preview": _same(phase="preview"),
    "ordinary formulas": _formulas("\n\n".join(formula_items.ORDINARY)),
    "misplaced formulas": _formulas("\n\n".join(formula_items.MISPLACED)),
    "definitions": _formulas("\n\n".join(formula_items.DEFINITIONS)),
    "formulas in turns": _formulas(
        formula_items.TURN, turns=(blinding.turn_payload(formula_items.TURN, [["Answer", "Yes"]]),)
    ),
    "formulas in scoring": _formulas(
        formula_items.IN_SCORING["prompt"],
        phase="scoring",
        volumes=[],
        scored={
            "reference": tuple(formula_items.IN_SCORING["reference"]),
            "candidate": formula_items.IN_SCORING["candidate"],
        },
    ),
    **{f"heavy formulas: {name}": _formulas(text) for name, text in formula_items.HEAVY.items()},
}
