"""The extents of the scans and images of a study folder, from their headers."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np

from imaging import measured
from protocol.fields.pixels import Extent

_DECIMALS = 1


def extent_of(path: Path) -> Extent | None:
    """Return the extent of a file (the bounding box, if it is oblique), or None if it cannot be determined."""
    size = measured(path)
    if size is None:
        return None
    if size.affine is None:
        return Extent.of_image(*size.shape[:2])
    corners = np.array(list(product(*((-0.5, length - 0.5) for length in size.shape))))
    in_mm = corners @ size.affine[:3, :3].T + size.affine[:3, 3]
    x, y, z = zip(*(np.round(edge(axis=0), _DECIMALS).tolist() for edge in (in_mm.min, in_mm.max)), strict=True)
    return Extent((x[0], y[0], z[0]), (x[1], y[1], z[1]))
