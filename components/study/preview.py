"""Choosing an item to preview (previous, next, or by search) and the phase in which it is shown."""

from __future__ import annotations

import streamlit as st

from components.frame import script_of
from components.problems import plain
from components.session import current_actor, database
from services.reading import previewing
from services.reading.previewing import MOST_FOUND, ItemLine, PhaseLine, Place


def choose_item(study_key: str) -> str:
    """Draw the item's position in the study and the navigation to others; return its key."""
    place = previewing.place_of(database(), current_actor(), study_key, st.query_params.get("item", ""))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link(
            script_of("study"),
            label="Back to the study",
            icon=":material/arrow_back:",
            query_params={"study": study_key},
        )
        st.space("small")
        _draw_step("Previous item", ":material/chevron_left:", place.before)
        st.markdown(f"**{place.number:,}** of {place.total:,}", width="content")
        _draw_step("Next item", ":material/chevron_right:", place.after)
        st.markdown(f"`{place.key}`", width="content")
        st.space("small")
        search = st.text_input(
            "Search",
            placeholder="Search keys, categories and prompts",
            label_visibility="collapsed",
            icon=":material/search:",
            width=300,
        )
        if search.strip():
            _draw_matches(study_key, search, place)
    return place.key


def choose_phase(study_key: str, item_key: str) -> PhaseLine:
    """Draw the phases of a study that lists them, and return the one in which the item is shown."""
    lines = {line.key: line for line in previewing.phases_to_preview(database(), current_actor(), study_key, item_key)}
    if len(lines) == 1:
        return next(iter(lines.values()))
    asked = st.query_params.get("phase", "")
    first = next(line.key for line in lines.values() if line.is_first)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("As raters see it in", width="content")
        chosen: str = st.selectbox(
            "Phase",
            list(lines),
            index=list(lines).index(asked if asked in lines else first),
            format_func=lambda key: lines[key].title,
            label_visibility="collapsed",
            # Another item may start with another phase.
            key=f"phase-{asked or first}",
            width=360,
        )
    if chosen != (asked or first):
        st.query_params["phase"] = chosen
        st.rerun()
    return lines[chosen]


def draw_feedback(lines: list[list[str]]) -> None:
    """Draw the feedback that raters get after answering a practice item."""
    if lines:
        st.caption(plain(f"After the answer: {previewing.in_one_line(lines)}"))


def _draw_step(label: str, icon: str, key: str | None) -> None:
    st.button(label, icon=icon, disabled=key is None, on_click=_go, args=(key,))


def _draw_matches(study_key: str, search: str, place: Place) -> None:
    matches = {line.key: line for line in previewing.items_of(database(), current_actor(), study_key, search)}
    if not matches:
        st.markdown("Nothing found; try a shorter word.", width="content")
        return
    count = previewing.count_items(database(), current_actor(), study_key, search)
    listed = f", the first {MOST_FOUND} listed" if count > MOST_FOUND else ""
    chosen = st.selectbox(
        "Found",
        list(matches),
        index=list(matches).index(place.key) if place.key in matches else None,
        placeholder=f"{count:,} found{listed}",
        format_func=lambda key: _line(matches[key]),
        label_visibility="collapsed",
        key=f"found-{search}",
        width="stretch",
    )
    if chosen is not None and chosen != place.key:
        _go(chosen)
        st.rerun()


def _go(key: str) -> None:
    st.query_params["item"] = key


def _line(item: ItemLine) -> str:
    notes = ["practice" if item.practice else "", item.turn]
    return " · ".join(part for part in (item.key, *notes, item.prompt) if part)
