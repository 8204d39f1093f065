"""The words that refusals and results are made of."""

from __future__ import annotations

import pytest

from exchange.refusal import counted


@pytest.mark.parametrize(("number", "said"), [(0, "0 cases"), (1, "1 case"), (2, "2 cases"), (12_345, "12,345 cases")])
def test_number_and_noun_agree(number: int, said: str) -> None:
    assert counted(number, "case") == said
