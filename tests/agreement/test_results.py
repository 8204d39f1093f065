"""What every result says of itself as JSON."""

import dataclasses
import json

import numpy as np
import pytest

import agreement
from agreement.result import plain

RESULTS = [
    kind
    for kind in vars(agreement).values()
    if isinstance(kind, type) and dataclasses.is_dataclass(kind) and kind.__module__.startswith("agreement")
]
RATINGS = [["a", "b", "a"], ["b", "b", "b"], ["a", "a", "a"], ["b", "a", "b"]] * 4
SETS = [[{"mass", "edema"}, {"mass"}], [{"edema"}, {"edema"}], [set(), {"mass"}]]
MADE = {
    "consensus": lambda: agreement.consensus(RATINGS),
    "latent classes": lambda: agreement.dawid_skene(RATINGS, seed=1),
    "sets": lambda: agreement.set_agreement(SETS, ["edema", "mass"]),
    "sets against a reference": lambda: agreement.set_accuracy(
        [row[0] for row in SETS], [row[1] for row in SETS], ["edema", "mass"]
    ),
    "risk": lambda: agreement.risk_coverage([0.9, 0.5, 0.7], [1, 0, 1]),
    "a split": lambda: agreement.development_and_test(range(80), [1, 2] * 40, share=0.5, seed=1),
    "strengths": lambda: agreement.bradley_terry(["a", "b", "a"], ["b", "c", "c"], ["first", "second", "first"]),
    "published variances": lambda: next(iter(agreement.VARIANCES.values())),
}


@pytest.mark.parametrize("kind", RESULTS, ids=lambda kind: kind.__name__)
def test_every_public_result_can_be_written_as_json(kind):
    assert callable(kind.as_dict)


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_a_result_as_json_has_every_field_by_its_name(made):
    result = made()

    row = json.loads(json.dumps(result.as_dict(), allow_nan=False))

    assert list(row) == [field.name for field in dataclasses.fields(result)]


def test_numbers_of_any_width_are_numbers_and_what_json_has_no_kind_for_is_text():
    assert plain([np.longdouble(1), np.longdouble("nan"), np.float16(0.5)]) == [1.0, None, 0.5]
    assert plain({"at": np.datetime64("2026-01-01"), 2: 1 + 2j}) == {"at": "2026-01-01", "2": "(1+2j)"}
