"""A point in mm, in the coordinates of the pane in which it was set."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from protocol.fields.kind import NOT_SCORED, AskedField, FieldKind, FieldScore, Reference, WrongAnswer, is_finite
from protocol.fields.pixels import WITH_SCALE, Places, column_and_row, pixels_at
from protocol.labels import as_label

# Decimals of mm to which points are compared; finer than any voxel.
_DECIMALS = 3
# Anatomical directions of positive and negative x, y and z.
_SIDES = (("R", "L"), ("A", "P"), ("S", "I"))


def check(field: AskedField, value: Any, panes: Sequence[str]) -> list[float | str]:
    """Return x, y and z in mm, with the title of the pane whose coordinates they are if the browser names it."""
    if not isinstance(value, list) or len(value) not in (3, 4):
        raise WrongAnswer(f"{as_label(field.label)} set the crosshair on the point first.")
    point: list[float | str] = []
    for coordinate in value[:3]:
        if isinstance(coordinate, bool) or not isinstance(coordinate, int | float) or not is_finite(coordinate):
            raise WrongAnswer(f"{as_label(field.label)} expected three numbers in mm.")
        point.append(float(coordinate))
    for pane in value[3:]:
        if pane not in panes:
            raise WrongAnswer(f"{as_label(field.label)} this item has no such pane; take the point again.")
        point.append(str(pane))
    return point


def canonical(value: Any) -> str:
    """Return the point to a thousandth of a millimetre, with its pane."""
    if not isinstance(value, list | tuple):
        return str(value)
    # Adding 0 turns -0 into 0.
    return json.dumps([round(part, _DECIMALS) + 0.0 if isinstance(part, int | float) else part for part in value])


def score(value: Any, reference: Reference, _options: Sequence[str]) -> FieldScore:
    """Return whether the point is within the radius (mm) of a reference point, with its distance, or in the region.

    A point that names its pane has coordinates of its own, which no reference shares, so it is not scored.
    """
    if not isinstance(value, list | tuple) or len(value) != len("xyz"):
        return NOT_SCORED
    point = [float(coordinate) for coordinate in value]
    if reference.region is not None:
        return FieldScore(reference.region.holds(point))
    places = [place for place in map(place_of, reference.accepted) if place is not None]
    radius = _radius(reference)
    if not places or radius is None:
        return NOT_SCORED
    distance = min(math.dist(point, place) for place in places)
    return FieldScore(distance <= radius, distance_mm=distance)


def _radius(reference: Reference) -> float | None:
    return reference.high if reference.radius is None else reference.radius


def in_words(value: Any, _texts: Mapping[str, str], places: Places = WITH_SCALE) -> str:
    """Return the point as the reading room displays it: directions and mm, or pixels, and its pane.

    Parameters
    ----------
    places
        The images in the panes; if empty, everything has a scale.
    """
    if not isinstance(value, list | tuple):
        return str(value)
    pixels = pixels_at(places, value[3] if len(value) > len("xyz") else None)
    if pixels is not None:
        words = pixels.in_words(value)
    else:
        towards = (sides[mm < 0] + f" {abs(mm):.1f}" for mm, sides in zip(value, _SIDES, strict=False))
        words = f"{' '.join(towards)} mm"
    return words + "".join(f" ({pane})" for pane in value[3:])


def reference_in_words(reference: Reference, _texts: Mapping[str, str], places: Places = WITH_SCALE) -> list[str]:
    """Return each point as the crosshair shows it, with the radius within which an answer is right."""
    if reference.region is not None:
        # The mask that a point has to hit may not be shown, so the words do not refer to an outline.
        return ["inside the region that counts as right"]
    radius = _radius(reference)
    if radius is None:
        return [_place_in_words(place, places) for place in reference.accepted]
    unit = "mm" if pixels_at(places, None) is None else "pixels"
    return [f"within {radius:g} {unit} of {_place_in_words(place, places)}" for place in reference.accepted]


def _place_in_words(written: str, places: Places) -> str:
    """Return a point from the table as the reading room displays it; leave other text unchanged."""
    place = place_of(written)
    return f"{written} mm" if place is None else in_words(place, {}, places)


def problem_of_reference(_field: AskedField, reference: Reference) -> str:
    """Return what is wrong with the reference's point or radius."""
    if reference.region is not None:
        return ""
    wrong = [answer for answer in reference.accepted if place_of(answer) is None]
    if wrong or not reference.accepted:
        instead = f"not by '{wrong[0][:40]}'" if wrong else "and accepted is empty"
        unit = "pixels from the middle of the image" if any(column_and_row(answer) for answer in wrong) else "mm"
        return f"is answered by a point, {instead}; write x, y and z in {unit} with blanks between, as 12.5 -30 8"
    if reference.radius is not None:
        return "" if reference.radius > 0 else "is answered by a point, whose radius in mm is above 0; correct the cell"
    if reference.high is None or reference.high <= 0 or reference.low is not None:
        return "is answered by a point, whose radius in mm belongs in high, with nothing in low; correct the cells"
    return ""


def place_of(written: str) -> tuple[float, float, float] | None:
    """Return the point that a text names, or None if it names none."""
    try:
        x, y, z = (float(part) for part in written.split())
    except ValueError:
        return None
    return (x, y, z) if all(math.isfinite(coordinate) for coordinate in (x, y, z)) else None


KIND = FieldKind(
    name="point",
    scale="place",
    answered_by="a place in the scan",
    check=check,
    canonical=canonical,
    score=score,
    in_words=in_words,
    reference_in_words=reference_in_words,
    problem_of_reference=problem_of_reference,
    schema={
        "type": "array",
        "prefixItems": [{"type": "number"}] * 3,
        "items": {"type": "string"},
        "minItems": 3,
        "maxItems": 4,
    },
)
