"""How much of a file is held while it is read."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator

import pytest


@pytest.fixture
def held() -> Iterator[Callable[..., int]]:
    """A function that counts what lives of some types and was made in this test: `held(ForeignLine)`.

    While the collector of garbage rests, what is made stays in its youngest generation, and that is looked through
    instead of the millions of objects that the tests before have left.
    """
    gc.collect(0)
    gc.disable()
    # Of a weak reference whose object is gone nothing but its own type can be asked.
    yield lambda *types: sum(type(each) in types for each in gc.get_objects(generation=0))
    gc.enable()
