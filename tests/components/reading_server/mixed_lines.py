"""Texts whose lines are written in both directions, with the numbers and signs of findings."""

from __future__ import annotations

import random

_RIGHT_TO_LEFT = ("שמאל", "דם", "ימין", "يمين", "ورم", "ܐܒܓ", "ހށ", "ߊߋ")
_LEFT_TO_RIGHT = ("left", "mass", "T2", "mm", "no", "cyst")
_NUMBERS = ("5", "-5", "12 mm", "3.5", "<3", "> 5", "5-7", "+2", "(5)", "1/2", "50%", "±3", "٣٤", "۵")
_KINDS = (_RIGHT_TO_LEFT, _LEFT_TO_RIGHT, _NUMBERS, _NUMBERS)


def _lines(count: int, rng: random.Random) -> list[str]:
    return [" ".join(rng.choice(rng.choice(_KINDS)) for _ in range(rng.randint(1, 3))) for _ in range(count)]


_RNG = random.Random(20261123)
PARAGRAPHS = [["דם", "12 mm"], ["דם", "-5", "5 > 3"], ["ورم", "T2 5 > T1 3 - 2"]] + [_lines(3, _RNG) for _ in range(60)]
CODE = [["דם", "3 - 5 mm"], ["ימין", "(5) T2 1/2"]] + [_lines(3, _RNG) for _ in range(20)]
# In a list, a line goes on below the first one.
ITEMS = [["- דם", "3 - 5 mm"], ["- mass", "דם 3 - 5"], ["1. ורם", "1/2"]]

MARKDOWN = "\n\n".join(
    ["\n".join(lines) for lines in PARAGRAPHS]
    + ["\n".join(["```", *lines, "```"]) for lines in CODE]
    + ["\n   ".join(lines) + "\n\nbetween" for lines in ITEMS]
)
IN_MARKDOWN = [line for lines in PARAGRAPHS + CODE + ITEMS for line in lines]
PLAIN = "\n".join(line for lines in PARAGRAPHS for line in lines)
IN_PLAIN = [line for lines in PARAGRAPHS for line in lines]
TURN = "```\nדם\n12 mm\n```"
