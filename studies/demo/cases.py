"""How each case of the demo study was made: the specification from which voxels and right answers follow.

Positions are in millimetres of the MNI152 space that all volumes share: x to the right, y to the front, z upwards. A
lesion's side is the sign of x and nothing else. Everything here is invented; no finding belongs to a person.
"""

import datetime
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["dark_t1_bright_t2", "bright_t1_dark_t2", "ring"]
Side = Literal["left", "right"]
Sequence = Literal["T1", "T2"]


@dataclass(frozen=True)
class Lesion:
    """A focal change of signal.

    Attributes
    ----------
    centre
        In mm.
    radius
        Of the core at half its depth, in mm; the border is irregular by about a tenth of it.
    kind
        What the core looks like beside white matter; see `volumes.SIGNALS`.
    region
        Lobe or deep structure that holds the centre.
    """

    centre: tuple[float, float, float]
    radius: float
    kind: Kind
    region: str

    @property
    def side(self) -> Side:
        return "right" if self.centre[0] > 0 else "left"


@dataclass(frozen=True)
class Scan:
    """One visit: all its sequences show the same findings.

    Attributes
    ----------
    acquired
        Invented date of the visit.
    sequences
        What was acquired at it.
    lesions
        Findings of this visit.
    enlarged_ventricle
        Side whose lateral ventricle is widened, if any.
    """

    acquired: datetime.date
    sequences: tuple[Sequence, ...]
    lesions: tuple[Lesion, ...] = ()
    enlarged_ventricle: Side | None = None


@dataclass(frozen=True)
class Case:
    """What is shown at once: the current scan and perhaps a prior one of the same person."""

    key: str
    subject: str
    age: int
    vignette: str
    current: Scan
    prior: Scan | None = None

    def scans(self) -> tuple[tuple[Literal["current", "prior"], Scan], ...]:
        """Return (role, scan) pairs."""
        if self.prior is None:
            return (("current", self.current),)
        return (("current", self.current), ("prior", self.prior))


@dataclass(frozen=True)
class Subject:
    """The build of an invented person, as departures from the average head.

    Attributes
    ----------
    seed
        Of the smooth deformation that makes this head differ from the others, and from its own mirror image.
    scale
        Size relative to the average head, towards right, front and top.
    ventricles
        How far the walls of both lateral ventricles lie outside of the average, in mm; a part of normal variation.
    """

    seed: int
    scale: tuple[float, float, float] = field(default=(1.0, 1.0, 1.0))
    ventricles: float = 0.0


SUBJECTS: dict[str, Subject] = {
    "s01": Subject(11, (1.02, 0.98, 1.00), 0.5),
    "s02": Subject(22, (0.97, 1.01, 0.99), 0.00),
    "s03": Subject(33, (1.00, 0.96, 1.02), -0.3),
    "s04": Subject(44, (1.03, 1.00, 0.97), 1.0),
    "s05": Subject(55, (0.98, 1.02, 1.01), 0.2),
    "s06": Subject(66, (1.01, 0.99, 0.98), 0.00),
    "s07": Subject(78, (0.99, 1.00, 1.02), 1.2),
}

CASES: tuple[Case, ...] = (
    Case(
        key="c01",
        subject="s01",
        age=58,
        vignette="Weakness of the left hand since yesterday.",
        current=Scan(
            datetime.date(2025, 3, 4),
            ("T1", "T2"),
            (Lesion((27.0, 22.0, 28.0), 9.0, "dark_t1_bright_t2", "frontal"),),
        ),
    ),
    Case(
        key="c02",
        subject="s02",
        age=47,
        vignette="Headaches for many years; examination without findings.",
        current=Scan(datetime.date(2019, 10, 21), ("T1", "T2")),
    ),
    Case(
        key="c03",
        subject="s03",
        age=31,
        vignette="Two episodes of numbness within a year, each of several weeks.",
        current=Scan(
            datetime.date(2025, 6, 17),
            ("T1", "T2"),
            (
                Lesion((-30.0, -46.0, 36.0), 7.0, "dark_t1_bright_t2", "parietal"),
                Lesion((-24.0, 34.0, 16.0), 6.0, "dark_t1_bright_t2", "frontal"),
                Lesion((29.0, -38.0, 38.0), 6.0, "dark_t1_bright_t2", "parietal"),
            ),
        ),
    ),
    Case(
        key="c04",
        subject="s04",
        age=66,
        vignette="Word-finding difficulty for about a year.",
        current=Scan(
            datetime.date(2025, 5, 12),
            ("T1", "T2"),
            (Lesion((-46.0, -22.0, -14.0), 10.0, "dark_t1_bright_t2", "temporal"),),
        ),
        prior=Scan(
            datetime.date(2024, 10, 9),
            ("T1", "T2"),
            (Lesion((-46.0, -22.0, -14.0), 6.0, "dark_t1_bright_t2", "temporal"),),
        ),
    ),
    Case(
        key="c05",
        subject="s05",
        age=39,
        vignette="Follow-up under treatment; no new complaints.",
        current=Scan(
            datetime.date(2025, 9, 30),
            ("T1",),
            (
                Lesion((-25.0, 30.0, 20.0), 7.0, "dark_t1_bright_t2", "frontal"),
                Lesion((26.0, -78.0, 14.0), 8.5, "dark_t1_bright_t2", "occipital"),
            ),
        ),
        prior=Scan(
            datetime.date(2024, 8, 27),
            ("T1",),
            (Lesion((-25.0, 30.0, 20.0), 7.0, "dark_t1_bright_t2", "frontal"),),
        ),
    ),
    Case(
        key="c06",
        subject="s02",
        age=52,
        vignette="Unsteady gait and vomiting for two weeks.",
        current=Scan(
            datetime.date(2025, 1, 15),
            ("T1", "T2"),
            (Lesion((25.0, -62.0, -34.0), 10.0, "ring", "cerebellum"),),
        ),
    ),
    Case(
        key="c07",
        subject="s06",
        age=29,
        vignette="Healthy volunteer.",
        current=Scan(datetime.date(2025, 4, 8), ("T1",), enlarged_ventricle="left"),
    ),
    Case(
        key="c08",
        subject="s07",
        age=71,
        vignette="High blood pressure for decades; weakness of the right leg since a week ago.",
        current=Scan(
            datetime.date(2025, 8, 1),
            ("T1", "T2"),
            (Lesion((27.0, -2.0, 4.0), 9.0, "bright_t1_dark_t2", "basal ganglia"),),
        ),
    ),
)
