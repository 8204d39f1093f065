"""A frozen study with all that the reading room can do; what stays hidden or is withheld holds a mark of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import yaml
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from db import Database
from services.people.identity import Actor
from services.reading import revising
from services.studies.folders import importing
from services.studies.freeze import freezing
from services.studies.membership import members
from tests.blinding.marked_study import OBSERVED, STUDY, MarkedStudy, machine_names, mark, shown, write_marked_volume
from tests.room_study import write_overlay
from tests.situations import (
    PROTOCOL,
    Situation,
    any_answers,
    on_the_desk,
    owner_of,
    show,
    signed_in,
    submit,
    write_table,
)

PRACTICE, TURNS = ("1", "2"), ("1", "2", "3")
# Dates and an age that the protocol does not release, as they would be written.
UNRELEASED_FACTS = ("1987-03-21", "1991-11-09", "Months since", "113 years")

ROOM_PROTOCOL: dict[str, Any] = {
    **{key: value for key, value in PROTOCOL.items() if key != "scoring"},
    "name": STUDY,
    "instructions": f"Read every item. {shown('instructions')}",
    "context": {"vignette": True, "history": False, "age": False, "dates": "hidden"},
    "reading": {
        **PROTOCOL["reading"],
        "revision": "study",
        "practice": {"pass_mark": 0.0, "feedback": True},
    },
    "adjudication": {"instructions": "Read it yourself first.", "controls": 0},
}


def marked_room(database: Database, folder: Path) -> MarkedStudy:
    """Import and freeze the study; one rater has read and revised, another has done nothing yet."""
    admin = owner_of(database)
    importing.import_study(database, admin, write_room_folder(folder))
    for login, name, role in (
        (OBSERVED, "Olive Observed", "rater"),
        ("other", "Otto Other", "rater"),
        ("reviewer", "Rhea Reviewer", "reviewer"),
    ):
        members.invite(database, admin, STUDY, login, name, role)
    freezing.freeze_study(database, admin, STUDY)
    observed, other = signed_in(database, OBSERVED), signed_in(database, "other")
    situation = Situation(database, STUDY, admin, (observed, other), signed_in(database, "reviewer"))
    read_and_revise(situation, other)
    return MarkedStudy(situation, observed, other, machine_names(database))


def read_and_revise(situation: Situation, rater: Actor) -> None:
    """Read everything and answer no; of one item, replace a verdict with a flag and a comment by another comment."""
    while (payload := on_the_desk(situation, rater))["kind"] == "item":
        first = {
            **any_answers(payload, "no"),
            "comment": mark("supersededcomment"),
            "flag": {"id": "prompt", "note": mark("supersededflag")},
        }
        is_revised = payload["prompt"] == shown("promptr1")
        show(situation, rater, payload)
        submit(situation, rater, payload, first if is_revised else any_answers(payload, "no"))
        if is_revised:
            again = revising.reopen(situation.database, rater, payload["assignment"])
            show(situation, rater, again)
            submit(situation, rater, again, {**any_answers(again, "no"), "comment": mark("standingcomment")})


def write_room_folder(folder: Path) -> Path:
    """Write two practice items, an item with a prior and a mask, a conversation of three turns, and one of a PNG."""
    (folder / "volumes").mkdir(parents=True)
    (folder / "protocol.yaml").write_text(yaml.safe_dump(ROOM_PROTOCOL), encoding="utf-8")
    cases = ("practice", "c1", "talk", "image")
    write_table(
        folder / "cases.csv",
        "case,subject,vignette,age,note",
        [(case, mark(f"subject{case}"), shown(f"vignette{case}"), 113, mark(f"note{case}")) for case in cases],
    )
    write_table(
        folder / "case_history.csv",
        "case,name,value",
        [(case, mark("historyname"), mark("historyvalue")) for case in cases],
    )
    _write_volumes(folder)
    _write_overlays(folder)
    _write_items(folder)
    return folder


def _write_volumes(folder: Path) -> None:
    volumes = []
    for number, (case, role, sequence, label) in enumerate(
        (
            ("practice", "current", "T1", shown("label")),
            ("c1", "current", "T1", shown("label")),
            ("c1", "current", "T2", mark("unofferedlabel")),
            ("c1", "prior", "T1", shown("priorlabel")),
            ("talk", "current", "T1", shown("label")),
            ("talk", "current", "T2", mark("turnlabel")),
            ("talk", "prior", "T1", mark("priorlabel")),
        )
    ):
        file = f"volumes/{case}-{role}-{sequence}.nii.gz"
        write_marked_volume(folder / file, number)
        acquired = "1987-03-21" if role == "prior" else "1991-11-09"
        volumes.append((mark(f"volume{number}"), case, role, sequence, acquired, file, label))
    file = f"volumes/{mark('picturefile')}.png"
    metadata = PngInfo()
    metadata.add_text("Comment", mark("picturetext"))
    pixels = np.random.default_rng(8).integers(0, 256, (30, 40), dtype=np.uint8)
    Image.fromarray(pixels).save(folder / file, pnginfo=metadata)
    volumes.append((mark("volumepicture"), "image", "current", "T1", "", file, shown("label")))
    write_table(folder / "volumes.csv", "volume,case,role,sequence,acquired,file,label", volumes)


def _write_overlays(folder: Path) -> None:
    rows = []
    for key, label in (("named", shown("overlay")), ("unnamed", mark("overlaylabel"))):
        file = f"volumes/{mark(f'overlayfile{key}')}.nii.gz"
        write_overlay(folder / file)
        rows.append((mark(f"overlaykey{key}"), "c1", label, file, "#12ab9f", "fill", "0.5"))
    write_table(folder / "overlays.csv", "overlay,case,label,file,colour,style,opacity", rows)


def _write_items(folder: Path) -> None:
    # item, case, form, prompt, sequences, prior, overlays, conversation, turn, practice, explanation, accepted
    items: list[tuple[str, ...]] = [
        (f"p{n}", "practice", "open", shown(f"promptp{n}"), "T1", "false", "", "", "", "true", mark(f"explanation{n}"),
         mark(f"practiceref{n}"))
        for n in PRACTICE
    ]  # fmt: skip
    items.append(
        ("r1", "c1", "yes_no", shown("promptr1"), "T1", "true", mark("overlaykeynamed"), "", "", "false", "", "yes")
    )
    for turn in TURNS:
        # The first turn is there from the beginning; what comes after it is withheld.
        prompt = shown("promptt1") if turn == "1" else mark(f"turn{turn}")
        items.append(
            (f"t{turn}", "talk", "yes_no", prompt, "T1" if turn == "1" else "T1|T2", "false", "",
             mark("conversation"), turn, "false", "", "yes")
        )  # fmt: skip
    items.append(("x1", "image", "yes_no", shown("promptx1"), "T1", "false", "", "", "", "false", "", "yes"))
    write_table(
        folder / "items.csv",
        "item,case,category,format,grounding,form,prompt,options,sequences,uses_prior,overlays,conversation,turn,"
        "practice,explanation",
        [
            (mark(f"item{key}"), case, mark(f"category{key}"), form, "image_grounded", form, prompt, "", *rest)
            for key, case, form, prompt, *rest, _ in items
        ],
    )
    write_table(
        folder / "references.csv",
        "item,accepted,low,high,text_only_answer,provenance",
        [
            (mark(f"item{key}"), accepted, "", "", mark("textonly") if form == "open" else "no", mark(f"origin{key}"))
            for key, _, form, *_, accepted in items
        ],
    )
