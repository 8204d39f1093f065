"""Where items start: in an image without scale by column and row, as places in references are written there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from exchange.refusal import Problems, shown
from exchange.study_folder.item_table import ItemRow
from exchange.study_folder.shown_places import ShownPlaces
from exchange.tables import ITEMS
from protocol.fields.pixels import column_and_row, exact_column_and_row, pixels_at


def with_starts(problems: Problems, items: Sequence[ItemRow], places: ShownPlaces) -> tuple[ItemRow, ...]:
    """Return the items with columns and rows as stored places; note starts that are not clear.

    Starts are left as they are if places are not written as shown.
    """
    return tuple(_with_start(problems, item, places) if places.are_as_shown else item for item in items)


def _with_start(problems: Problems, item: ItemRow, places: ShownPlaces) -> ItemRow:
    pixel = exact_column_and_row(item.start_in_image)
    says = _unclear(item, places) if pixel is None else _not_shown(item, places)
    pixels = pixels_at(places.places_of(item), None)
    if says:
        problems.add(ITEMS.file, f"line {item.line}", says)
    elif pixel is not None and pixels is not None:
        return replace(item, start=pixels.place_of(*pixel))
    return item


def _not_shown(item: ItemRow, places: ShownPlaces) -> str:
    """Return why an item cannot start at its column and row; empty if it can."""
    written, lacking = f"start '{shown(item.start_in_image)}'", places.lacks_an_image(item)
    if lacking:
        return f"{written} is in {shown(lacking)}, which is not in the folder or cannot be read; add the image."
    if pixels_at(places.places_of(item), None) is None:
        return f"{written} is a column and a row, and the item shows no image without scale; write x|y|z in mm."
    pixel = column_and_row(item.start_in_image)
    beyond = "" if pixel is None else places.beyond_pixels(item, *pixel)
    return f"{written} is outside of what item '{item.key}' shows ({beyond}); correct the cell." if beyond else ""


def _unclear(item: ItemRow, places: ShownPlaces) -> str:
    """Return why the three numbers of a start do not say where it is; empty if they do, or were frozen."""
    if not isinstance(item.start, tuple) or (places.frozen and places.frozen.starts_at(item.key, item.start)):
        return ""
    unclear = places.may_be_read_in_two_ways(item, item.start)
    return f"start '{'|'.join(f'{part:g}' for part in item.start)}' {unclear}" if unclear else ""
