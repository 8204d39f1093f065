"""The problems of an uploaded file, all at once."""

from __future__ import annotations

import re

import pandas as pd
import streamlit as st

from services.errors import LISTED, InputRefused


def draw_problems(refusal: InputRefused, remedy: str) -> None:
    """Draw all problems, so that they can be corrected before the next upload.

    Parameters
    ----------
    remedy
        A sentence that says what to do about several problems.
    """
    if refusal.count == 1:
        st.error(f"Nothing was stored. {plain(str(refusal))}")
        _draw_unseen(refusal)
        return
    listed = refusal.first(LISTED)
    others = refusal.not_among(listed)
    more = f" {len(listed)} are listed, the first of each file; not listed: {plain(others)}." if others else ""
    st.error(f"Nothing was stored: {refusal.count} problems.{more} {remedy}")
    # Not a dataframe, which would cut off the sentences, and they are what is needed.
    st.table(
        pd.DataFrame(
            [[plain(text) for text in (problem.file, problem.place, problem.says)] for problem in listed],
            columns=["file", "where", "what was found, what is expected, what to do"],
        ).set_index("file")
    )
    _draw_unseen(refusal)


def _draw_unseen(refusal: InputRefused) -> None:
    if refusal.unseen:
        st.caption(plain(refusal.unseen))


# Addresses are turned into links last, even after backslashes. An empty mark at these places breaks them up.
_ADDRESS = re.compile(r"(?=://|@)|(?<=www)(?=\.)", re.IGNORECASE)


def plain(text: str) -> str:
    """Return Markdown that shows a text literally, without formatting or links."""
    return ":small[]".join(re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", part) for part in _ADDRESS.split(text))
