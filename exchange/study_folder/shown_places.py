"""Places in an item: the scan or image on which each pane opens, its extent, and how a place in it is written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from exchange.study_folder.frozen_study import FrozenStudy
from exchange.study_folder.item_table import ItemRow, VolumeRow
from protocol.fields.pixels import Extent, Pixels, Places, columns_and_rows, pixels_at
from protocol.hanging import Hanging
from protocol.hung import hung, opened

# Returns the extent of a file; None if it is missing or cannot be read.
Measure = Callable[[Path], Extent | None]
_IMAGES = (".png", ".jpg", ".jpeg")


class ShownPlaces:
    """How places in the scans and images of a study folder are written. Each file is measured once.

    Attributes
    ----------
    frozen
        The frozen study whose places keep their spelling, also those in pixels from the middle of an image.
    warnings
        Warnings about places, collected while tables are read.
    not_places
        Cells of models that are not places: line number, column and cell.
    not_offered
        The same, of cells that are no option, or no number, of a field in which people can give nothing else.
    too_long
        The same, of cells with a longer text than people can write.
    left_empty
        Empty cells of answers, in fields that people have to fill in: line number and column.
    """

    def __init__(
        self,
        hanging: Hanging,
        volumes: Sequence[VolumeRow],
        measure: Measure | None,
        frozen: FrozenStudy | None = None,
    ) -> None:
        self.frozen = frozen
        self._hanging, self._volumes, self._measure = hanging, volumes, measure
        self._extents: dict[Path, Extent | None] = {}
        self.warnings: list[str] = []
        self.not_places: list[tuple[int, str, str]] = []
        self.not_offered: list[tuple[int, str, str]] = []
        self.too_long: list[tuple[int, str, str]] = []
        self.left_empty: list[tuple[int, str]] = []

    @property
    def are_as_shown(self) -> bool:
        """Whether places are written in pixels or mm, whichever the image has, for which files must be measured."""
        return self._measure is not None

    def places_of(self, item: ItemRow) -> Places:
        """Return, for each pane, the pixels in which a place is given; None if it has a scale or cannot be measured."""
        convention = self._hanging.convention
        return {
            title: Pixels.of_whole(*extent.pixels, convention) if extent is not None and extent.pixels else None
            for title, extent in ((title, self._extent_of(volume)) for title, volume in self._opened(item))
        }

    def lacks_an_image(self, item: ItemRow) -> str:
        """Return the name of an image on which an item opens and that cannot be measured; empty if there is none."""
        return next(
            (
                volume.path.name
                for _, volume in self._opened(item)
                if volume.path.suffix.lower() in _IMAGES and self._extent_of(volume) is None
            ),
            "",
        )

    def may_be_read_in_two_ways(self, item: ItemRow, place: Sequence[float]) -> str:
        """Return why three numbers do not say where a place in an item is; empty if they do.

        In an image they can be taken for column and row.
        """
        pixels = pixels_at(self.places_of(item), None)
        if pixels is None or self.mixes(item):
            return ""
        return (
            "is a place in an image without scale, where three numbers can be taken for column and row, and for pixels "
            f"from the middle ({pixels.in_words(place)}); write column and row as the reading room shows them, such as "
            "column 33 row 17."
        )

    def mixes(self, item: ItemRow) -> bool:
        """Return whether some panes of an item have a scale and others have none."""
        return len({pixels is None for pixels in self.places_of(item).values()}) > 1

    def beyond(self, item: ItemRow, place: Sequence[float]) -> str:
        """Return the extents of an item's scans if a place is outside all of them; empty if it may be inside one."""
        case = self._of_case[item.case]
        panes = hung(self._hanging, item.sequences, item.uses_prior, case)
        extents = [self._extent_of(volume) for _, offered in panes for volume in offered]
        known = [extent for extent in extents if extent is not None]
        if not known or len(known) < len(extents) or any(extent.holds(place) for extent in known):
            return ""
        return "; ".join(dict.fromkeys(extent.in_words() for extent in known))

    def has_image(self, item: ItemRow) -> bool:
        """Return whether an item opens on an image without scale, as far as its files can be measured."""
        return any(pixels is not None for pixels in self.places_of(item).values()) or bool(self.lacks_an_image(item))

    def beyond_pixels(self, item: ItemRow, column: int, row: int) -> str:
        """Return the columns and rows of an item's images if a place is outside all of them; empty otherwise."""
        images = [pixels.shape for pixels in self.places_of(item).values() if pixels is not None]
        if self.lacks_an_image(item) or any(1 <= column <= across and 1 <= row <= down for across, down in images):
            return ""
        return "; ".join(dict.fromkeys(columns_and_rows(across, down) for across, down in images))

    @cached_property
    def _of_case(self) -> dict[str, list[VolumeRow]]:
        of_case: dict[str, list[VolumeRow]] = defaultdict(list)
        for volume in self._volumes:
            of_case[volume.case].append(volume)
        return of_case

    def _opened(self, item: ItemRow) -> list[tuple[str, VolumeRow]]:
        return opened(hung(self._hanging, item.sequences, item.uses_prior, self._of_case[item.case]))

    def _extent_of(self, volume: VolumeRow) -> Extent | None:
        if self._measure is not None and volume.path not in self._extents:
            self._extents[volume.path] = self._measure(volume.path)
        return self._extents.get(volume.path)
