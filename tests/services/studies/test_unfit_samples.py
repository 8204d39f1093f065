"""What a folder is warned of before it is imported: samples that its tables cannot give."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.studies import checking
from tests.listed_study import write_listed
from tests.versioned_study import READS


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("{sample: {size: 7}}", "sample.size: 7 units are wanted, but only 6 can be drawn; write 6 or fewer"),
        ("{sample: {size: 6, at_most: {subject: 1}}}", "sample.at_most: 6 units are wanted of the sample, but with at"),
        ("{where: {category: nothing}}", "from.where: no unit has category 'nothing', expected"),
        ("{sample: {size: 6}}", ""),
    ],
)
def test_a_sample_that_cannot_be_drawn_is_said_with_the_folder(tmp_path: Path, source: str, says: str) -> None:
    drawn = READS.replace("rates: items", f"rates: items\n    from: {source}")

    warnings = checking.validated_folder(write_listed(tmp_path / "study", drawn)).warnings

    said = [warning for warning in warnings if "freeze would refuse" in warning]
    assert len(said) == bool(says)
    assert all(warning.startswith(f"The freeze would refuse phase 'read': {says}") for warning in said)
