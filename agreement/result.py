"""The base of all results that hold more than one number: they can be written as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np


class Result:
    """A result composed of estimates, numbers, names and smaller results."""

    def as_dict(self) -> dict[str, Any]:
        """All entries by name, ready for JSON: ``nan`` and infinities become ``None``."""
        return {name: plain(value) for name, value in vars(self).items()}


def plain(value: Any) -> Any:
    """Convert a value to what JSON can represent.

    Parameters
    ----------
    value : object
        A result, an estimate, a container of these, or one value.

    Returns
    -------
    dict, list, str, int, float, bool or None
        Keys of a mapping become text, sets become sorted lists, and values without a JSON type become text.

    Examples
    --------
    >>> plain({1: (0.5, float("nan")), "of": frozenset({"edema", "mass"})})
    {'1': [0.5, None], 'of': ['edema', 'mass']}
    """
    if hasattr(value, "as_dict"):
        return value.as_dict()
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((plain(part) for part in value), key=str)
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, np.floating):
        return plain(float(value))  # a long double is its own `tolist`
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value if value is None or isinstance(value, (str, int)) else str(value)
