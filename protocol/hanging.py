"""How a case is hung: panes, planes, windows, and where the crosshair begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, model_validator

from protocol.parts import Finite, Part, ShortText, require_rising

_MOST_PRESETS = 9


class WindowPreset(Part):
    """A window to choose: fractions of the default window, where [0, 1] is the default itself, or intensities."""

    label: ShortText
    window: tuple[Finite, Finite] | None = None
    absolute: tuple[Finite, Finite] | None = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> WindowPreset:
        if (self.window is None) == (self.absolute is None):
            raise ValueError(
                f"preset '{self.label}' needs either window (fractions of the default) or absolute (intensities)"
            )
        require_rising(f"preset '{self.label}'", self.window or self.absolute or (0.0, 0.0))
        return self


class Pane(Part):
    """One pane: the sequences it offers, of the scans of today or of the earlier ones."""

    title: ShortText
    role: Literal["current", "prior"] = "current"
    sequences: Annotated[list[ShortText], Field(min_length=1)]


class Hanging(Part):
    """How a case is hung: which panes and planes, where it begins, in which convention, with which windows.

    Without `panes` there is one for the current scans and, where the item uses it, one for the prior.
    """

    layout: Literal["side_by_side", "switched"] = "side_by_side"
    panes: Annotated[list[Pane], Field(max_length=4)] | None = None
    planes: Annotated[list[Literal["axial", "coronal", "sagittal"]], Field(min_length=1, max_length=3)] = [
        "axial",
        "coronal",
        "sagittal",
    ]
    start: Literal["middle"] | tuple[Finite, Finite, Finite] = "middle"
    prior_beside_current: bool = True
    convention: Literal["radiological", "neurological"] = "radiological"
    coregistered: bool = False
    overlays: bool = True
    window_percentiles: tuple[float, float] = (1.0, 99.5)
    windows: dict[ShortText, tuple[Finite, Finite]] = {}
    presets: list[WindowPreset] = []

    @model_validator(mode="after")
    def _is_consistent(self) -> Hanging:
        low, high = self.window_percentiles
        if not 0 <= low < high <= 100:
            raise ValueError(f"window_percentiles are {low:g} and {high:g}, expected two rising numbers from 0 to 100")
        for sequence, window in self.windows.items():
            require_rising(f"the window of sequence '{sequence}'", window)
        if len(self.presets) > _MOST_PRESETS:
            count = len(self.presets)
            raise ValueError(f"{count} presets, expected at most {_MOST_PRESETS}: each has a digit as its key")
        if len(self.planes) != len(set(self.planes)):
            raise ValueError("planes names a plane twice; name each at most once")
        if self.panes is not None:
            self._require_usable_panes(self.panes)
        return self

    def panes_of(self, sequences: Sequence[str], uses_prior: bool) -> list[Pane]:
        """Return the panes of an item that offers these sequences, and what of them each shows; none without any."""
        if not sequences:
            return []
        panes = self.panes
        if panes is None:
            panes = [Pane(title="Current", sequences=list(sequences))]
            if self.prior_beside_current:
                panes.append(Pane(title="Prior", role="prior", sequences=list(sequences)))
        shown = []
        for pane in panes:
            offered = [sequence for sequence in pane.sequences if sequence in sequences]
            if offered and (pane.role == "current" or uses_prior):
                shown.append(pane.model_copy(update={"sequences": offered}))
        return shown

    def _require_usable_panes(self, panes: list[Pane]) -> None:
        if not panes:
            raise ValueError("panes is an empty list; name one to four panes, or leave the key out")
        titles = [pane.title for pane in panes]
        if len(titles) != len(set(titles)):
            raise ValueError("two panes have the same title; give every pane its own")
        for pane in panes:
            if len(pane.sequences) != len(set(pane.sequences)):
                raise ValueError(f"pane '{pane.title}' names a sequence twice; name each at most once")
            if pane.role == "prior" and not self.prior_beside_current:
                raise ValueError(f"pane '{pane.title}' shows the prior, which prior_beside_current: false forbids")
