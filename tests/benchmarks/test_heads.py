"""The heads that speed is measured with tell by their pixels which they are."""

from __future__ import annotations

import numpy as np

from benchmarks import heads


def test_every_case_and_sequence_has_a_mark_of_its_own() -> None:
    marks = [heads.code_of(case, sequence) for case in range(heads.MOST_CASES) for sequence in heads.SEQUENCES]

    assert len(set(marks)) == len(marks)


def test_the_two_halves_of_the_middle_have_the_greys_of_the_mark() -> None:
    image = heads.head(3, "T2")

    _, low, high = heads.code_of(3, "T2").split()
    voxels = np.asanyarray(image.dataobj)
    x, y, z = (length // 2 for length in heads.MATRIX)
    shown = [round(255 * int(voxels[at, y, z]) / heads.WHITE) for at in (x - 1, x)]
    assert shown == [heads.grey_levels()["T2"][int(level)] for level in (low, high)]


def test_greys_of_the_marks_lie_far_enough_apart_to_be_told_apart() -> None:
    greys = sorted(grey for levels in heads.grey_levels().values() for grey in levels)

    assert min(np.diff(greys)) >= 4
