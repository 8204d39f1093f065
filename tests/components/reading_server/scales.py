"""Scales whose options begin with their id in many ways, as (id, text): written by hand, and generated."""

from __future__ import annotations

import random

WRITTEN = [
    [("0", "0.5 mm"), ("1", "1.5 mm"), ("2", "2,5 mm")],
    [("1", "1-3 mm"), ("4", "4-10 mm"), ("10", "10 mm or more")],
    [("1", "1 - 3 mm"), ("2", "2 – 4 mm"), ("3", "3. 5 mm"), ("4", "4: 12 mm")],
    [("1", "10 %"), ("2", "20 %"), ("5", "50 %")],
    [("a", "absent"), ("p", "present"), ("u", "unsure")],
    [("1", "1: poor"), ("2", "2 – fair"), ("3", "3. good"), ("4", "4 excellent")],
    [("-1", "-1 worse"), ("0", "0 same"), ("1", "+1 better")],
    [("1", "1"), ("2", "2."), ("3", "3 :"), ("4", "..."), ("5", "-")],
    [("1", "1) poor"), ("2", "(2) fair"), ("3", "3 (good)"), ("4", ": none")],
]
_IDS = ("0", "1", "2", "10", "-1", "a", "T1", "ja", "1.5", ".", "א")
_BEHIND = ("", " ", "  ", ":", ": ", " : ", ".", ". ", "-", " - ", "–", " – ", "—", ")", "\u00a0", "\u0301", "..", ", ")
_WORDS = (
    "",
    "guess",
    "5",
    "5 mm",
    "-5",
    "< 3",
    "±2",
    "%",
    "1",
    "absent",
    "שמאל",
    "(mild)",
    "·",
    "≥ 4",
    "mm²",
    "° C",
    "è",
)


def _generated(count: int, seed: int) -> list[list[tuple[str, str]]]:
    rng = random.Random(seed)
    scales = []
    for _ in range(count):
        ids = rng.sample(_IDS, 5)
        texts = [rng.choice((key, rng.choice(_IDS))) + rng.choice(_BEHIND) + rng.choice(_WORDS) for key in ids]
        scales.append(list(zip(ids, texts, strict=True)))
    return scales


SCALES = WRITTEN + _generated(60, seed=20261123)
