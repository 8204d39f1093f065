"""Traces of old and new browsers are read; whatever else stands in one is "not recorded" and never fails."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exchange.viewing_trace import LARGEST_TRACE, kept_trace, read_trace, was_too_large

OLD = {
    "volumes": [{"pane": 0, "label": "T1", "seen": {"axial": 0.43, "coronal": 0.005}}],
    "windows": ["T1 0.25 0.75"],
    "crosshair": [1.5, -2.0, 0.0],
}
NEW = {
    "volumes": [
        {"pane": 0, "title": "Current", "label": "T1", "opened": True, "ms": 5200, "seen": {"axial": 0.5}},
        {"pane": 1, "title": "Prior", "label": "T1", "opened": False, "ms": 0, "seen": {}},
    ],
    "windows": [],
    "crosshair": None,
    "overlays": {"offered": 1, "shown_ms": 0},
    "tools": {"cine": 2},
}
# Few letters: drawing from all of Unicode costs seconds and finds nothing more here.
TEXT = st.text("aZ0 \x00é", max_size=5)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(["volumes", "windows", "overlays", "tools", "crosshair"])
ENTRY = st.dictionaries(st.sampled_from(["pane", "title", "label", "opened", "ms", "seen"]), ANYTHING)


def test_an_old_trace_lists_what_was_drawn_and_says_nothing_of_times_tools_and_overlays() -> None:
    trace = read_trace(OLD)

    assert trace.volumes is not None
    (volume,) = trace.volumes
    assert (volume.pane, volume.title, volume.label) == (0, None, "T1")
    assert volume.opened is True
    assert volume.ms is None
    assert volume.seen == {"axial": 0.43, "coronal": 0.005}
    assert trace.window_changed is True
    assert not trace.lists_all
    assert (trace.overlays_offered, trace.overlays_ms, trace.tools) == (None, None, None)


def test_a_new_trace_lists_what_was_offered_and_says_what_was_opened() -> None:
    trace = read_trace(NEW)

    assert trace.volumes is not None
    assert [(volume.title, volume.opened, volume.ms) for volume in trace.volumes] == [
        ("Current", True, 5200),
        ("Prior", False, 0),
    ]
    assert trace.lists_all
    assert trace.window_changed is False
    assert (trace.overlays_offered, trace.overlays_ms, trace.tools) == (1, 0, {"cine": 2})


@pytest.mark.parametrize("stored", [{}, {"volumes": []}, {"volumes": "T1"}, {"volumes": [3]}, {"x": 1}])
def test_a_trace_without_volumes_has_recorded_none_and_not_zero(stored: dict[str, Any]) -> None:
    trace = read_trace(stored)

    assert trace.volumes is None
    assert trace.window_changed is None


@pytest.mark.parametrize("share", [-0.1, 1.1, "0.5", True, None, [0.5], 10**400])
def test_a_share_that_is_none_is_left_out(share: Any) -> None:
    trace = read_trace({"volumes": [{"pane": 0, "label": "T1", "seen": {"axial": share, "coronal": 1}}]})

    assert trace.volumes is not None
    assert trace.volumes[0].seen == {"coronal": 1.0}


def test_names_of_tools_that_are_no_names_are_left_out() -> None:
    assert read_trace({"tools": {"cine": 1, "<b>": 1, "": 2, "x" * 41: 3, "zoom": "often"}}).tools == {"cine": 1}


@given(st.dictionaries(KEYS, ANYTHING | st.lists(ENTRY, max_size=3)))
def test_whatever_a_browser_sends_can_be_read(stored: dict[str, Any]) -> None:
    trace = read_trace(json.loads(json.dumps(stored)))

    for volume in trace.volumes or ():
        assert all(0.0 <= share <= 1.0 for share in volume.seen.values())


def test_a_trace_is_kept_as_it_came_and_one_that_is_too_large_leaves_a_remark() -> None:
    large = {"windows": ["x" * LARGEST_TRACE]}

    assert kept_trace(NEW) == NEW
    assert not was_too_large(NEW)
    remark = kept_trace(large)
    assert remark is not None
    assert was_too_large(remark)
    assert len(json.dumps(remark)) < 60


@pytest.mark.parametrize("nothing", [None, {}, {"crosshair": [float("nan")]}])
def test_no_trace_and_one_that_is_no_json_leave_nothing(nothing: Any) -> None:
    assert kept_trace(nothing) is None
