"""What is wrong with a file from outside, all of it at once."""

from __future__ import annotations

import re

import pandas as pd
import streamlit as st

from services.errors import LISTED, InputRefused


def draw_problems(refusal: InputRefused, remedy: str) -> None:
    """Draw everything that is wrong, so that it can be corrected before the next upload.

    Parameters
    ----------
    remedy
        What to do about several problems, as a sentence.
    """
    if refusal.count == 1:
        st.error(f"Nothing was stored. {plain(str(refusal))}")
        _draw_unseen(refusal)
        return
    listed = refusal.problems[:LISTED]
    more = f" The first {len(listed)} are listed." if refusal.count > len(listed) else ""
    st.error(f"Nothing was stored: {refusal.count} problems.{more} {remedy}")
    # Not a dataframe: that would cut the sentences, which are what is needed.
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


# Addresses become links once all else is read, also behind backslashes: at these places an empty mark parts them.
_ADDRESS = re.compile(r"(?=://|@)|(?<=www)(?=\.)", re.IGNORECASE)


def plain(text: str) -> str:
    """Return a text whose signs are shown as they are, where Markdown would be read; it leads nowhere."""
    return ":small[]".join(re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", part) for part in _ADDRESS.split(text))
