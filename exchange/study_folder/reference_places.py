"""Places in `references.csv`: how they are written in scans and images, and whether anybody could point at them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from exchange.csv_table import Line
from exchange.refusal import shown
from exchange.study_folder.item_table import ItemRow
from exchange.study_folder.shown_places import ShownPlaces
from exchange.tables import FIELD_REFERENCES
from protocol.fields.pixels import Pixels, exact_column_and_row, pixels_at
from protocol.fields.point import place_of
from protocol.references import FieldReference


def as_stored(line: Line, item: ItemRow, accepted: tuple[str, ...], places: ShownPlaces) -> tuple[str, ...]:
    """Return places as three numbers, those of an image without scale from column and row; note what is not clear.

    Parameters
    ----------
    accepted
        The places as written.
    """
    pixels = pixels_at(places.places_of(item), None)
    stored = []
    for written in accepted:
        pixel = exact_column_and_row(written)
        if pixel is not None and places.are_as_shown:
            stored.append(_from_pixel(line, item, written, pixel, pixels, places))
            continue
        place = place_of(written)
        if place is None and pixels is not None and not places.mixes(item):
            line.problem(
                f"'{shown(written)}' is no place in an image without scale; write column and row as the reading room "
                "shows them, such as column 33 row 17.",
                "accepted",
            )
        is_kept = place is None or (places.frozen is not None and places.frozen.has_reference(item.key, place))
        unclear = "" if place is None or is_kept else places.may_be_read_in_two_ways(item, place)
        if unclear:
            line.problem(f"'{shown(written)}' {unclear}", "accepted")
        stored.append(written)
    return tuple(stored)


def _from_pixel(
    line: Line, item: ItemRow, written: str, pixel: tuple[float, float], pixels: Pixels | None, places: ShownPlaces
) -> str:
    lacking = places.lacks_an_image(item)
    if lacking:
        line.problem(
            f"'{shown(written)}' is a place in {shown(lacking)}, which is not in the folder or cannot be read, so its "
            "columns and rows are not known; add the image.",
            "accepted",
        )
    elif pixels is None:
        line.problem(
            f"'{shown(written)}' is a column and a row, and item '{item.key}' shows no image without scale; write x, y "
            "and z in mm with blanks between, as 12.5 -30 8.",
            "accepted",
        )
    else:
        return " ".join(f"{part:g}" for part in pixels.place_of(*pixel))
    return written


def outside(number: int, says: FieldReference, item: ItemRow, places: ShownPlaces) -> Iterator[str]:
    """Yield which places that count as right, in a line of the table, lie outside of what an item shows."""
    for written in says.accepted:
        place = place_of(written)
        beyond = "" if place is None else places.beyond(item, place)
        if place is not None and beyond:
            yield (
                f"{FIELD_REFERENCES.file}: line {number}: the place '{_in_words(written, item, places)}' of field "
                f"'{says.field}' is outside of what item '{item.key}' shows ({beyond}), where nobody can point; "
                "correct it."
            )


def begun_at(number: int, says: FieldReference, item: ItemRow, places: ShownPlaces) -> Iterator[str]:
    """Yield which places that count as right, in a line of the table, the crosshair shows from the beginning."""
    if not isinstance(item.start, tuple) or says.radius is None:
        return
    for written in says.accepted:
        place = place_of(written)
        if place is not None and math.dist(item.start, place) <= says.radius:
            begin = item.start_in_image or " ".join(f"{part:g}" for part in item.start)
            about = f"'{says.field}'" if says.field else "the primary field"
            yield (
                f"{FIELD_REFERENCES.file}: line {number}: item '{item.key}' begins at {begin} (start), within the "
                f"radius of the place '{_in_words(written, item, places)}' that counts as right in {about}: the "
                "crosshair shows it; begin elsewhere."
            )


def _in_words(written: str, item: ItemRow, places: ShownPlaces) -> str:
    """Return a stored place as its table has it: in an image by column and row, which the reading room shows, too."""
    place, pixels = place_of(written), pixels_at(places.places_of(item), None)
    return written if place is None or pixels is None else pixels.in_words(place)
