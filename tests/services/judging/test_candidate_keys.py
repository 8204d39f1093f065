"""Candidates are found by their keys as in a dictionary, whatever their hashes."""

from __future__ import annotations

from itertools import product

import pytest

from services.judging import candidate_keys
from services.judging.candidate_keys import UNKNOWN, CandidateKeys

KEYS = [("i1", "k1"), ("i1", "k2"), ("i1k", "1"), ("i", "1k1"), ("ü", "k"), ("i2", "")]
ASKED = [*KEYS, ("i1", "k3"), ("", ""), ("i2", "k1"), ("u", "k"), ("i1k1", "")]


@pytest.mark.parametrize("hashed", [hash, lambda text: len(text) % 2, lambda _: 7])
def test_a_candidate_is_found_by_both_keys_and_by_nothing_like_them(
    monkeypatch: pytest.MonkeyPatch, hashed: object
) -> None:
    monkeypatch.setattr(candidate_keys, "hash", hashed, raising=False)
    by_key = {key: 10 * number for number, key in enumerate(KEYS)}

    keys = CandidateKeys((*key, number) for key, number in by_key.items())

    assert len(keys) == len(KEYS)
    for first, second in product(ASKED, repeat=2):
        assert keys.ids_of([first, second]).tolist() == [by_key.get(key, UNKNOWN) for key in (first, second)]


def test_where_there_are_no_candidates_none_is_found() -> None:
    assert CandidateKeys(()).ids_of([("i1", "k1")]).tolist() == [UNKNOWN]
    assert CandidateKeys([("i1", "k1", 1)]).ids_of([]).tolist() == []


def test_a_hundred_thousand_candidates_take_little_memory() -> None:
    keys = CandidateKeys((f"item {n // 16}", f"candidate {n}", n) for n in range(100_000))

    held = len(keys._texts) + sum(part.nbytes for part in (keys._ends, keys._order, keys._ids, keys._hashes))

    assert keys.ids_of([("item 6249", "candidate 99999"), ("item 6249", "candidate 9")]).tolist() == [99_999, UNKNOWN]
    assert held / len(keys) < 70
