"""Points are written with the same letters by the reading room and by the server."""

from __future__ import annotations

import json
import re
from pathlib import Path

from protocol.fields import point

SOURCE = Path(__file__).resolve().parents[2] / "components" / "viewer" / "frontend" / "src" / "planes.js"


def test_letters_of_the_room_are_those_with_which_the_server_writes_a_point() -> None:
    said = re.search(r"^export const SIDES = (.+);$", SOURCE.read_text(encoding="utf-8"), re.MULTILINE)
    assert said is not None
    sides = json.loads(said[1])

    towards, away = ([pair[sign] for pair in sides] for sign in (0, 1))

    assert point.in_words([1.0, 2.0, 3.0], {}) == "{} 1.0 {} 2.0 {} 3.0 mm".format(*towards)
    assert point.in_words([-1.0, -2.0, -3.0], {}) == "{} 1.0 {} 2.0 {} 3.0 mm".format(*away)
