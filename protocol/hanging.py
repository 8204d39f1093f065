"""How a case is hung: panes, planes, windows, and where the crosshair begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, model_validator

from protocol.parts import Finite, Part, Says, ShortText, require_rising

_MOST_PRESETS = 9


class WindowPreset(Part):
    """A window that can be chosen, as fractions of the default window ([0, 1] is the default) or as intensities."""

    label: Annotated[ShortText, Says("its name on the screen", "label: Narrow")]
    window: Annotated[
        tuple[Finite, Finite] | None,
        Says(
            "fractions of the default window of a scan; [0, 1] is the default itself",
            "window: [0.25, 0.75]",
            "`absolute` is required",
        ),
    ] = None
    absolute: Annotated[
        tuple[Finite, Finite] | None,
        Says("intensities, the same for every scan", "absolute: [0, 80]", "`window` is required"),
    ] = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> WindowPreset:
        if (self.window is None) == (self.absolute is None):
            raise ValueError(
                f"preset '{self.label}' needs either window (fractions of the default) or absolute (intensities)"
            )
        require_rising(f"preset '{self.label}'", self.window or self.absolute or (0.0, 0.0))
        return self


class Pane(Part):
    """One pane: the sequences that it offers, from the current scans or from the prior."""

    title: Annotated[ShortText, Says("its heading", "title: Earlier T1")]
    role: Annotated[
        Literal["current", "prior"], Says("whether it shows the current scans or the prior ones", "role: prior")
    ] = "current"
    sequences: Annotated[
        list[ShortText],
        Field(min_length=1),
        Says("which sequences it offers", "sequences: [T1, T2]"),
    ]


class Hanging(Part):
    """How a case is hung: panes, planes, starting point, convention and windows.

    Without `panes` there is one pane for the current scans and, if the item uses the prior, one for that.
    """

    layout: Annotated[
        Literal["side_by_side", "switched"],
        Says("whether panes stand side by side or one at a time", "layout: switched"),
    ] = "side_by_side"
    panes: Annotated[
        Annotated[list[Pane], Field(max_length=4)] | None,
        Says(
            "up to four panes; each shows those of its sequences that the item has",
            "panes: [{title: T1, sequences: [T1]}]",
            "*Current*, and *Prior* if the item uses it",
        ),
    ] = None
    planes: Annotated[
        list[Literal["axial", "coronal", "sagittal"]],
        Field(min_length=1, max_length=3),
        Says("one to three planes, the first one large", "planes: [axial, sagittal]", "axial, coronal, sagittal"),
    ] = [
        "axial",
        "coronal",
        "sagittal",
    ]
    start: Annotated[
        Literal["middle"] | tuple[Finite, Finite, Finite],
        Says("where the crosshair starts, in mm; the column `start` of an item overrides it", "start: [12, -30, 8]"),
    ] = "middle"
    prior_beside_current: Annotated[bool, Says("whether priors are shown at all", "prior_beside_current: no")] = True
    convention: Annotated[
        Literal["radiological", "neurological"],
        Says(
            "which side of the patient is on the left of the screen: the right (radiological) or the left",
            "convention: neurological",
        ),
    ] = "radiological"
    coregistered: Annotated[
        bool,
        Says("whether all visits are registered to one space, so that their panes are linked", "coregistered: yes"),
    ] = False
    overlays: Annotated[bool, Says("whether masks can be switched on", "overlays: no")] = True
    window_percentiles: Annotated[
        tuple[float, float],
        Says(
            "the default window of a scan, as two rising percentiles of its intensities",
            "window_percentiles: [2, 98]",
            "1 and 99.5",
        ),
    ] = (1.0, 99.5)
    windows: Annotated[
        dict[ShortText, tuple[Finite, Finite]],
        Says("the default window of a sequence, in intensities", "windows: {T2: [0, 900]}", "that of each scan"),
    ] = {}
    presets: Annotated[
        list[WindowPreset],
        Says(
            "up to nine windows to choose from, each on a digit key (Shift 1 to 9)",
            "presets: [{label: Brain, absolute: [0, 80]}]",
        ),
    ] = []

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
        """Return the panes of an item with these sequences, each with those that it shows; none without sequences."""
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

    def lies_with(self, role: str, first: str, *, placed: bool) -> bool:
        """Return whether a pane's scans share a coordinate system with those of the first pane.

        Scans of one visit share the scanner's coordinates. Scans of two visits, and images, share coordinates only if
        the study declares them co-registered.

        Parameters
        ----------
        role, first
            Whether this pane and the first one show the current scans or the prior.
        placed
            Whether everything in both panes has a position in the patient, which images do not have.
        """
        return self.coregistered or (role == first and placed)

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
