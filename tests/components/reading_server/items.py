"""Items and volumes of the stand-in server, made up here."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from formula_items import formula_words
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
EXPLANATION = [["Reference", "Yes"], ["Explanation", "The bright focus lies in front of the central sulcus."]]
HISTORY = [
    ["Allergies", "none"],
    ["Medication", "levetiracetam 500 mg twice a day"],
    ["Operations", "appendectomy 1998"],
    ["Family", "no neurological disease"],
    ["Smoking", "10 pack-years, stopped 2011"],
    ["Blood pressure", "135/85 mmHg"],
    ["Creatinine", "78 µmol/l"],
]
TURNS = [
    {"prompt": "Is there a lesion?", "lines": [["Answer", "Yes"], ["Confidence", "4"]]},
    {"prompt": "On which side?", "lines": [["Answer", "Left"]]},
]
PRESETS = [
    {"label": "Default", "window": None},
    {"label": "Narrow", "window": [0.25, 0.75]},
    {"label": "Wide", "window": [-0.25, 1.25]},
]


def field(key: str, kind: str, label: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "type": kind, "label": label, "required": False, "options": []} | more


def confidence() -> dict[str, Any]:
    return field("confidence", "ordinal", "How sure are you?", options=CONFIDENCE, required=True)


def volume_of(label: str, token: str) -> dict[str, Any]:
    return scan(label, token) | {"window": [20.0, 220.0], "range": [0.0, 255.0]}


def scan(label: str, token: str) -> dict[str, Any]:
    return {"label": label, "url": f"reading/volume/{token}", "sha256": sha256_of(token)}


def images(*panes: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"convention": "radiological", "coregistered": True, "panes": list(panes), "presets": PRESETS} | more


def pane(title: str, *volumes: dict[str, Any], badge: str | None = None, **more: Any) -> dict[str, Any]:
    return {"title": title, "badge": badge, "volumes": list(volumes)} | more


def overlay(label: str, token: str, style: str) -> dict[str, Any]:
    colour = "#e8a33d" if style == "outline" else "#ff00ff"
    return scan(label, token) | {"colour": colour, "style": style, "opacity": 1.0}


def item(name: str, position: int) -> dict[str, Any]:
    """The payload of one named item, tagged with its place in the list."""
    payload: dict[str, Any] = {
        "kind": "item",
        "assignment": f"assignment-{position}-{name}",
        "key": f"key-{position}-{name}",
        "phase": "reading",
        "notice": "Simulated: lesion and second contrast are made by a computer from an average head. Nobody is shown.",
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
    elif name == "lacking":
        payload["images"] = images(
            pane("Current", volume_of("T1", f"t1-{position}"), volume_of("T2", f"t2-{position}"), opens_on=1),
            pane("Prior", volume_of("T2", f"t2p-{position}"), opens_on=0, missing=["T1"]),
        )
        fields += [field("answer", "yes_no", "Answer", options=YES_NO, required=True), confidence()]
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
    elif name in ("practice", "conversation"):
        fields += [field("answer", "yes_no", "Answer", options=YES_NO, required=True), confidence()]
        if name == "practice":
            payload |= {"phase": "practice", "practice": {"done": 1, "total": 6, "pass_mark": 0.8}}
        else:
            payload["context"] |= {"history": HISTORY, "vignette": "Two weeks of right-sided weakness."}
            payload |= {"turns": TURNS, "prompt": "Has it grown since the prior?"}
    elif name in TOOLS:
        payload["images"] = TOOLS[name](position)
        fields += [field("answer", "yes_no", "Answer", options=YES_NO, required=True), confidence()]
    elif name == "next turn":
        payload |= {
            "images": TOOLS["apart"](position),
            "turns": [{"prompt": payload["prompt"], "lines": TURNS[1]["lines"]}],
        }
        payload["prompt"] = "Has it grown since the prior?"
        fields += [field("answer", "yes_no", "Answer", options=YES_NO, required=True), confidence()]
    elif name == "long":
        payload["prompt"] = " ".join(
            ["Which of the lesions that the prior did not show lies next to the ventricle?"] * 6
        )
        payload["context"] |= {"history": HISTORY, "vignette": "Two weeks of right-sided weakness. " * 8}
        fields += [field("answer", "yes_no", "Answer", options=YES_NO, required=True), confidence()]
    elif name in ("where", "where-apart"):
        if name == "where-apart":
            payload["images"] = TOOLS["apart"](position)
        fields += [field("place", "point", "Centre of the lesion", required=True)]
    elif name == "open":
        payload["prompt"] = "Describe the main abnormality and where it lies."
        fields += [field("answer", "text", "Answer", required=True), confidence()]
    elif name in ("twelve", "several of twelve"):
        payload["prompt"] = "Which region is it?"
        regions = [{"id": f"r{n}", "text": f"Region {n}"} for n in range(1, 13)]
        kind = "choice" if name == "twelve" else "several"
        fields += [field("answer", kind, "Region", options=regions, required=True), confidence()]
    elif name in ("markdown", "attack", "arabic", "formulas"):
        payload |= words_of(name)
        fields += [field("answer", "choice", "Answer", options=payload.pop("options"), required=True), confidence()]
    elif (words := formula_words(name)) is not None:
        payload |= words
        fields += [field("answer", "yes_no", "Answer", options=YES_NO, required=True), confidence()]
    elif name == "first after practice":
        payload["ahead"] = {
            "title": "Read 24 items",
            "about": "about 40 min at the pace of your practice",
            "place": None,
        }
        fields += [field("answer", "yes_no", "Answer", options=YES_NO, required=True), confidence()]
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


def words_of(name: str) -> dict[str, Any]:
    """The words of an item that is about how words are set."""
    plain = [{"id": "a", "text": "**Left**"}, {"id": "b", "text": "Right"}]
    if name == "arabic":
        return {
            "prompt": "هل توجد آفة في الفص الجبهي الأيسر؟",
            "context": {
                "vignette": "امرأة عمرها 54 سنة.",
                "facts": [["Age", "54"]],
                "history": [["Family", "לא ידוע"]],
            },
            "options": [{"id": "a", "text": "نعم، في FLAIR"}, {"id": "b", "text": "No"}],
        }
    if name == "formulas":
        return {
            "prompt": "\n\n".join(FORMULAS),
            "context": {"vignette": "Costs $5 and $10, not $x$.", "facts": []},
            "text": {"prompt": "markdown", "vignette": "plain"},
            "options": plain,
        }
    if name == "markdown":
        return {
            "prompt": MARKDOWN,
            "context": {"vignette": "Seen **twice**\nin *May*.", "facts": []},
            "text": {"prompt": "markdown", "vignette": "plain"},
            "options": plain,
        }
    return {
        "prompt": "\n\n".join(ATTACKS),
        "context": {"vignette": "\n\n".join(ATTACKS), "facts": []},
        "text": {"prompt": "markdown", "vignette": "markdown"},
        "options": plain,
    }


MARKDOWN = """Which of these is **most likely**?

| Sequence | Signal |
|---|---|
| T1 | *low* |
| T2 | `high` |

1. the first
2. the second

> as the report said"""
FORMULAS = [
    r"Is $\frac{a}{b} > \sqrt{2}$ here?",
    r"$$E = mc^2$$",
    r"It costs $5 and $10, or \$x\$.",
    r"$\frac{$ stays as it is, and $\nosuch$ too.",
    r"$\href{javascript:window.hit='formula'}{go}$ $\url{/try/beacon?url}$ $\includegraphics{/try/beacon?tex}$",
    r"$\htmlStyle{position:fixed}{x}$ $\htmlData{a=b}{y}$ $\def\a{\a\a}\a$",
    "$" + "{" * 900 + "$",
]
ATTACKS = [
    "<img src=x onerror=\"window.hit='img'\">",
    "<script>window.hit='script'</script>",
    "<b onmouseover=alert(1)>bold</b>",
    "![picture](/try/beacon?image)",
    "![picture][beacon]\n\n[beacon]: /try/beacon?reference",
    "[words](javascript:window.hit='link')",
    "[words](/try/beacon?link)",
    "<javascript:window.hit='auto'>",
    "<https://elsewhere.example/auto>",
    "https://elsewhere.example/bare",
    "&lt;img src=x onerror=window.hit='entity'&gt;",
    "`<img src=x onerror=window.hit='code'>`",
    "```html onload=window.hit='fence'\n<script>window.hit='fence'</script>\n```",
    "| <img src=x> |\n|---|\n| <svg onload=window.hit='svg'> |",
    "# <iframe src=javascript:window.hit='frame'>",
    ">" * 500 + " deep",
]


def t1(position: int, kind: str = "t1") -> dict[str, Any]:
    return volume_of("T1", f"{kind}-{position}")


# Items that differ from the plain one in their images only.
TOOLS: dict[str, Callable[[int], dict[str, Any]]] = {
    "masked": lambda p: images(pane("Current", t1(p), overlays=[overlay("Lesion", f"mask-{p}", "fill")])),
    "outlined": lambda p: images(pane("Current", t1(p), overlays=[overlay("Lesion", f"mask-{p}", "outline")])),
    "switched": lambda p: images(
        pane("Current", t1(p)), pane("Prior", t1(p, "t1p"), badge="7 months earlier"), layout="switched"
    ),
    "apart": lambda p: images(pane("Current", t1(p)), pane("Prior", t1(p, "t1p")), coregistered=False),
    "coronal": lambda p: images(
        pane("Current", t1(p)),
        planes=["coronal", "axial"],
        start=[8.0, 12.0, -16.0],
        presets=[*PRESETS, {"label": "Brain", "absolute": [0, 80]}],
    ),
    "oblique": lambda p: images(pane("Current", t1(p, "oblique"))),
    "average": lambda p: images(pane("Current", t1(p, "average"))),
    "flat": lambda p: images(pane("Slice", t1(p, "flat"))),
    "photograph": lambda p: images(
        pane("Photograph", t1(p, "photo") | {"placed": False}, badge="picture without scale")
    ),
    "misfit": lambda p: images(
        pane(
            "Photograph",
            t1(p, "photo") | {"placed": False},
            badge="picture without scale",
            overlays=[overlay("Ulcer", f"mask-{p}", "fill")],
        )
    ),
    "three": lambda p: images(
        pane("T1", t1(p), coregistered=True),
        pane("T2", volume_of("T2", f"t2-{p}"), coregistered=True),
        pane("Earlier T1", t1(p, "t1p"), badge="not co-registered", coregistered=False),
        coregistered=False,
    ),
}


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
    kind, position = token.rsplit("-", 1)
    if kind == "mask":
        return nifti(*lesion_mask())
    if kind == "oblique":
        return nifti(*oblique_noise())
    if kind == "average":
        return nifti(*average_head())
    voxels, size = head()
    voxels = voxels.copy()
    if kind.startswith("t2"):
        voxels = np.where(voxels > 0, 240 - voxels, 0).astype(np.int16)
    bright = 6 + 3 * int(position)
    voxels[2 : 2 + bright // 2, 2:8, 2:8] = 250
    if kind == "photo":  # a pixel to the millimetre, as pictures without scale are prepared
        size = 1.0
    if kind in ("flat", "photo"):
        voxels = voxels[:, :, voxels.shape[2] // 2][:, :, np.newaxis]
    affine = np.diag([size, size, size, 1.0])
    affine[:3, 3] = [-size * (n // 2) for n in voxels.shape]
    return nifti(voxels, affine)


@cache
def sha256_of(token: str) -> str:
    return hashlib.sha256(volume(token)).hexdigest()


def oblique_noise() -> tuple[NDArray[np.int16], NDArray[np.float64]]:
    """Blocks of random brightness on an oblique grid with voxels of 1.5 by 2 by 5 mm: no two slices are alike."""
    blocks = np.random.default_rng(7).integers(0, 256, (30, 27, 22))
    voxels = blocks.repeat(3, axis=0).repeat(3, axis=1)
    affine = np.eye(4)
    affine[:3, :3] = turned(0.35, -0.25) * [1.5, 2.0, 5.0]
    affine[:3, 3] = [-60.0, -70.0, -40.0]
    return voxels.astype(np.int16), affine


@cache
def average_head() -> tuple[NDArray[np.int16], NDArray[np.float64]]:
    """The ICBM 152 average head that comes with nilearn, 1 mm."""
    import nibabel

    [folder] = importlib.util.find_spec("nilearn").submodule_search_locations  # type: ignore[union-attr, misc]
    file = Path(folder) / "datasets" / "data" / "mni_icbm152_t1_tal_nlin_sym_09a_converted.nii.gz"
    image = nibabel.as_closest_canonical(nibabel.load(file))
    return np.asarray(image.dataobj).astype(np.int16), image.affine


def turned(about_s: float, about_r: float) -> NDArray[np.float64]:
    """A rotation about two axes, in radians."""
    c, s = np.cos(about_s), np.sin(about_s)
    d, t = np.cos(about_r), np.sin(about_r)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array([[1, 0, 0], [0, d, -t], [0, t, d]])


def lesion_mask() -> tuple[NDArray[np.int16], NDArray[np.float64]]:
    """The bright ball of the head, on an oblique grid of its own with voxels of 2 by 3 by 2.5 mm."""
    _, size = head()
    shape = head()[0].shape
    affine = np.eye(4)
    affine[:3, :3] = turned(0.44, 0.3) * [2.0, 3.0, 2.5]
    grid = (50, 40, 44)

    # mm of the ball's middle: the head's voxel n lies at (n - N // 2) * size, and at 2 n / (N - 1) - 1 there.
    def mm(part: float, n: int) -> float:
        return ((part + 1) * (n - 1) / 2 - n // 2) * size

    middle = np.array([mm(part, n) for part, n in zip((0.4, 0.3, 0.0), shape, strict=True)])
    affine[:3, 3] = middle - affine[:3, :3] @ (np.array(grid) / 2 - 0.5)
    index = np.stack(np.meshgrid(*(np.arange(n) for n in grid), indexing="ij"), axis=-1)
    point = index @ affine[:3, :3].T + affine[:3, 3]
    parts = [2 * (point[..., axis] / size + n // 2) / (n - 1) - 1 for axis, n in enumerate(shape)]
    inside = (parts[0] - 0.4) ** 2 + (parts[1] - 0.3) ** 2 + parts[2] ** 2 < 0.05
    return inside.astype(np.int16), affine


def nifti(voxels: NDArray[np.int16], affine: NDArray[np.float64]) -> bytes:
    """A file as the server prepares them: geometry and voxels, nothing else."""
    header = bytearray(352)
    spacing = np.linalg.norm(affine[:3, :3], axis=0)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, 3, *voxels.shape, 1, 1, 1, 1)
    struct.pack_into("<2h", header, 70, 4, 16)
    struct.pack_into("<8f", header, 76, 1, *spacing, 0, 0, 0, 0)
    struct.pack_into("<3f", header, 108, 352.0, 1.0, 0.0)
    header[123] = 2
    struct.pack_into("<2h", header, 252, 0, 1)
    for row in range(3):
        struct.pack_into("<4f", header, 280 + 16 * row, *affine[row])
    header[344:348] = b"n+1\x00"
    return bytes(header) + voxels.tobytes(order="F")
