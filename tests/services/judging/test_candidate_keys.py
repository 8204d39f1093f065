"""Candidates are found by their keys as in a dictionary, whatever their hashes."""

from __future__ import annotations

import tracemalloc
from itertools import product

import pytest

from services.judging import candidate_keys
from services.judging.candidate_keys import UNKNOWN, CandidateKeys

KEYS = [("i1", "k1"), ("i1", "k2"), ("i1k", "1"), ("i", "1k1"), ("ü", "k"), ("i2", "")]
ASKED = [*KEYS, ("i1", "k3"), ("", ""), ("i2", "k1"), ("u", "k"), ("i1k1", "")]


@pytest.mark.parametrize("alike", [8, 7, 0])
def test_a_candidate_is_found_by_both_keys_and_by_nothing_like_them(
    monkeypatch: pytest.MonkeyPatch, alike: int
) -> None:
    digest = candidate_keys._digest
    # As many of the first bytes as decide where a candidate is looked for are the same for all.
    monkeypatch.setattr(candidate_keys, "_digest", lambda *key: bytes(alike) + digest(*key)[alike:])
    by_key = {key: 10 * number for number, key in enumerate(KEYS)}

    keys = CandidateKeys((*key, number) for key, number in by_key.items())

    assert len(keys) == len(KEYS)
    for first, second in product(ASKED, repeat=2):
        assert keys.ids_of([first, second]).tolist() == [by_key.get(key, UNKNOWN) for key in (first, second)]


def test_where_there_are_no_candidates_none_is_found() -> None:
    assert CandidateKeys(()).ids_of([("i1", "k1")]).tolist() == [UNKNOWN]
    assert CandidateKeys([("i1", "k1", 1)]).ids_of([]).tolist() == []


def test_candidates_take_little_memory_while_they_are_read_and_less_afterwards() -> None:
    number = 8_000
    tracemalloc.start()
    try:
        keys = CandidateKeys((f"item {n // 16}", f"candidate {n}", n) for n in range(number))
        held, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert keys.ids_of([("item 499", "candidate 7999"), ("item 499", "candidate 9")]).tolist() == [7_999, UNKNOWN]
    assert held / number < 30
    assert most / number < 80
