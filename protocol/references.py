"""What counts as right for an item, field by field: how it is stored, and which reference applies to which field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from protocol.fields.kind import Reference
from protocol.fields.region import Region

# The program scores nothing if people compare, if the reference was shown beforehand, or if there is none.
ComparedBy = Literal["program", "people"]
ReferenceState = Literal["program", "people", "shown", "none"]


@dataclass(frozen=True)
class FieldReference:
    """What counts as right in one field.

    Attributes
    ----------
    field
        Key of the field; empty for the primary field of a phase.
    accepted, low, high
        Every answer that counts as right, and the limits of a number, inclusive.
    radius
        Distance in mm within which a point is right.
    overlay, region
        Key of the overlay that a point has to hit, and its inside.
    compared_by
        Whether the program decides what is right, or only people who read both texts can.
    text_only_answer
        The answer of a model that saw no image.
    provenance
        Where the reference comes from.
    """

    field: str = ""
    accepted: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    radius: float | None = None
    overlay: str = ""
    region: Region | None = None
    compared_by: ComparedBy = "program"
    text_only_answer: str = ""
    provenance: str = ""

    @property
    def counts_as_right(self) -> Reference:
        """The part with which answers are compared."""
        return Reference(self.accepted, self.low, self.high, self.radius, self.region)

    @property
    def says_something(self) -> bool:
        """Whether anything counts as right; a row may contain only the baseline's answer."""
        return self.counts_as_right.is_given or bool(self.overlay)

    def as_stored(self) -> dict[str, Any]:
        """Return the reference in a form that JSON can hold, without empty entries."""
        content = {
            "field": self.field,
            "accepted": list(self.accepted),
            "low": self.low,
            "high": self.high,
            "radius": self.radius,
            "overlay": self.overlay,
            "region": self.region.as_stored() if self.region else None,
            "compared_by": "" if self.compared_by == "program" else self.compared_by,
            "text_only_answer": self.text_only_answer,
            "provenance": self.provenance,
        }
        return {name: value for name, value in content.items() if value not in (None, "", [])}

    @staticmethod
    def of_stored(content: Mapping[str, Any]) -> FieldReference:
        """Return the reference from its stored form."""
        region = content.get("region")
        return FieldReference(
            **{
                **content,
                "accepted": tuple(content.get("accepted", ())),
                "region": Region.of_stored(region) if region else None,
            }
        )


@dataclass(frozen=True)
class ItemReferences:
    """Everything that counts as right for an item, with each field at most once, in the order of the table."""

    fields: tuple[FieldReference, ...] = ()

    @staticmethod
    def of_stored(
        accepted: Sequence[str],
        low: float | None,
        high: float | None,
        text_only_answer: str,
        provenance: str,
        fields: Sequence[Mapping[str, Any]],
    ) -> ItemReferences:
        """Return the references of a stored row, which has the primary field in columns and others in `fields`."""
        primary = FieldReference(
            accepted=tuple(accepted), low=low, high=high, text_only_answer=text_only_answer, provenance=provenance
        )
        named = tuple(FieldReference.of_stored(content) for content in fields)
        return ItemReferences(((primary,) if primary.says_something or text_only_answer else ()) + named)

    def of(self, field: str, *, compared: bool) -> FieldReference | None:
        """Return what counts as right in a field, or None.

        Parameters
        ----------
        compared
            Whether it is the primary field of its phase, to which a reference without a field applies.
        """
        named = next((reference for reference in self.fields if reference.field == field), None)
        nameless = next((reference for reference in self.fields if not reference.field), None)
        reference = named or (nameless if compared else None)
        return reference if reference is not None and reference.says_something else None


def state_of(reference: FieldReference | None) -> ReferenceState:
    """Return whether there is a reference, and who compares answers with it."""
    return "none" if reference is None else reference.compared_by
