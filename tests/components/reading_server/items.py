"""Items and volumes of the stand-in server, made up here."""

from __future__ import annotations

import os
import struct
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

YES_NO = [{"id": "yes", "text": "Yes"}, {"id": "no", "text": "No"}]
CONFIDENCE = [
    {"id": 1, "text": "1 guess"},
    {"id": 2, "text": "2"},
    {"id": 3, "text": "3 fairly sure"},
    {"id": 4, "text": "4"},
    {"id": 5, "text": "5 certain"},
]
REASONS = [{"id": "quality", "text": "Image quality"}, {"id": "missing", "text": "What is asked for is not shown"}]
FLAGS = [
    {"id": "prompt", "text": "The prompt is unclear"},
    {"id": "image", "text": "Something is wrong with the images"},
]
PRESETS = [
    {"label": "Default", "window": None},
    {"label": "Narrow", "window": [0.25, 0.75]},
    {"label": "Wide", "window": [-0.25, 1.25]},
]


def field(key: str, kind: str, label: str, **more: Any) -> dict[str, Any]:
    return {
        "key": key,
        "type": kind,
        "label": label,
        "help": None,
        "required": False,
        "options": [],
        "unit": None,
        "minimum": None,
        "maximum": None,
        "depends_on": None,
    } | more


def confidence() -> dict[str, Any]:
    return field("confidence", "ordinal", "How sure are you?", options=CONFIDENCE, required=True)


def volume_of(label: str, token: str) -> dict[str, Any]:
    return {"label": label, "url": f"reading/volume/{token}", "window": [20.0, 220.0], "range": [0.0, 255.0]}


def images(*panes: dict[str, Any]) -> dict[str, Any]:
    return {"convention": "radiological", "coregistered": True, "panes": list(panes), "presets": PRESETS}


def pane(title: str, *volumes: dict[str, Any], badge: str | None = None) -> dict[str, Any]:
    return {"title": title, "badge": badge, "volumes": list(volumes)}


def item(name: str, position: int) -> dict[str, Any]:
    """The payload of one named item, tagged with its place in the list."""
    payload: dict[str, Any] = {
        "kind": "item",
        "assignment": f"assignment-{position}-{name}",
        "key": f"key-{position}-{name}",
        "phase": "reading",
        "notice": "Simulated lesion and second contrast",
        "images": images(pane("Current", volume_of("T1", f"t1-{position}"))),
        "context": {"vignette": None, "facts": [["Age", "54 years"]]},
        "prompt": "Is there a lesion in the left frontal lobe?",
        "reference": None,
        "candidate": None,
        "opinions": None,
        "form": {"fields": [], "not_assessable": REASONS, "comment": True, "flags": FLAGS},
        "draft": {"sequence": 0, "answers": {"fields": {}, "not_assessable": None, "comment": "", "flag": None}},
        "prefetch": [],
    }
    fields = payload["form"]["fields"]
    if name in ("plain", "second", "neurological"):
        fields += [field("answer", "yes_no", "Answer", options=YES_NO, required=True), confidence()]
        if name == "neurological":
            payload["images"]["convention"] = "neurological"
        if name == "second":
            payload["prompt"] = "Is the finding on the right side?"
            t1, t2 = volume_of("T1", f"t1-{position}"), volume_of("T2 (simulated)", f"t2-{position}")
            payload["images"] = images(pane("Current", t1, t2))
    elif name == "prior":
        payload["images"] = images(
            pane("Current", volume_of("T1", f"t1-{position}"), volume_of("T2 (simulated)", f"t2-{position}")),
            pane("Prior", volume_of("T1", f"t1p-{position}"), badge="7 months earlier"),
        )
        payload["prompt"] = "Compared with the prior, which of these describes the change best?"
        payload["context"]["facts"] += [["Months since the prior", "7"]]
        payload["context"]["vignette"] = "54-year-old with two weeks of right-sided weakness. No fever."
        options = ["New lesion, left", "New lesion, right", "The known lesion has grown", "No change"]
        fields += [
            field(
                "answer",
                "choice",
                "Answer",
                required=True,
                options=[{"id": f"o{i}", "text": t} for i, t in enumerate(options)],
            ),
            confidence(),
        ]
    elif name == "open":
        payload["prompt"] = "Describe the main abnormality and where it lies."
        fields += [field("answer", "text", "Answer", required=True), confidence()]
    elif name == "every":
        payload["prompt"] = "One field of every type."
        sites = [{"id": s, "text": s.capitalize()} for s in ("frontal", "parietal", "temporal")]
        fields += [
            field("answer", "yes_no", "Lesion?", options=YES_NO, required=True),
            field(
                "sites",
                "several",
                "Where?",
                options=sites,
                depends_on={"field": "answer", "is": ["yes"]},
                required=True,
            ),
            field("size", "number", "Largest diameter", unit="mm", minimum=0, maximum=120),
            field("place", "point", "Centre of the lesion"),
            field("order", "ranked", "Most likely first", options=sites),
            confidence(),
            field("words", "text", "Impression", help="One sentence."),
        ]
    elif name == "scoring":
        payload |= {
            "phase": "scoring",
            "images": None,
            "reference": ["Left frontal lobe", "Left superior frontal gyrus"],
            "candidate": "There is a lesion in the left parietal lobe.",
            "prompt": "Where is the lesion?",
        }
        verdicts = [{"id": "correct", "text": "Correct"}, {"id": "incorrect", "text": "Incorrect"}]
        fields += [field("verdict", "choice", "The candidate's answer is", options=verdicts, required=True)]
    elif name == "opinions":
        lines = [["Answer", "Yes"], ["Confidence", "4"], ["Comment", "A small focus near the ventricle."]]
        payload |= {
            "phase": "opinions",
            "own": [["Answer", "Yes"], ["Confidence", "3"]],
            "opinions": [
                {"name": "A", "lines": lines},
                {"name": "B", "lines": [["Answer", "No"], ["Confidence", "2"]]},
            ],
        }
        fields += [
            field("answer", "yes_no", "Decision", options=YES_NO, required=True),
            field("reason", "text", "Reason", required=True),
        ]
    elif name == "preview":
        payload |= {"phase": "preview"}
        fields += [field("answer", "yes_no", "Answer", options=YES_NO, required=True), confidence()]
    else:
        raise ValueError(f"There is no made-up item {name!r}.")
    return payload


@cache
def head() -> tuple[NDArray[np.int16], float]:
    """A head-like volume in RAS order and its voxel size in mm: the file named by TRY_VOLUME, or balls in a ball."""
    if os.environ.get("TRY_VOLUME"):
        import nibabel

        image = nibabel.as_closest_canonical(nibabel.load(os.environ["TRY_VOLUME"]))
        return np.asarray(image.dataobj).astype(np.int16), 1.0
    shape = (48, 56, 44)
    r, a, s = np.meshgrid(*(np.linspace(-1, 1, n) for n in shape), indexing="ij")
    voxels = np.where(r**2 + a**2 + s**2 < 0.85, 120, 0)
    voxels[(r - 0.4) ** 2 + (a - 0.3) ** 2 + s**2 < 0.05] = 220
    return voxels.astype(np.int16), 4.0


def volume(token: str) -> bytes:
    """An uncompressed NIfTI-1 file. The kind and the position in the token make each a little different."""
    voxels, size = head()
    kind, position = token.rsplit("-", 1)
    voxels = voxels.copy()
    if kind.startswith("t2"):
        voxels = np.where(voxels > 0, 240 - voxels, 0).astype(np.int16)
    bright = 6 + 3 * int(position)
    voxels[2 : 2 + bright // 2, 2:8, 2:8] = 250
    middle = [n // 2 for n in voxels.shape]
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, 3, *voxels.shape, 1, 1, 1, 1)
    struct.pack_into("<2h", header, 70, 4, 16)
    struct.pack_into("<8f", header, 76, 1, size, size, size, 0, 0, 0, 0)
    struct.pack_into("<3f", header, 108, 352.0, 1.0, 0.0)
    header[123] = 2
    struct.pack_into("<2h", header, 252, 1, 1)
    struct.pack_into("<6f", header, 256, 0, 0, 0, *(-size * m for m in middle))
    for row in range(3):
        line = [0.0, 0.0, 0.0, -size * middle[row]]
        line[row] = size
        struct.pack_into("<4f", header, 280 + 16 * row, *line)
    header[344:348] = b"n+1\x00"
    return bytes(header) + voxels.tobytes(order="F")
