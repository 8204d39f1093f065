"""The data behind a calibration, as files for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

import streamlit as st

from services.report.calibration import exports

_IN_WORDS = {
    "tidy": "Tidy CSV",
    "long": "Long CSV for R",
    "alt-test": "JSON of the alternative annotator test",
    "differing": "Where judge and people differ",
    "coding": "A study to code why",
    "without-verdict": "Candidates without a judge's verdict",
}


def draw_downloads(study_key: str, field: str, runs: Sequence[str], labels: Sequence[str]) -> None:
    """Offer people's and judges' verdicts in each format. A file is made when it is requested."""
    with st.expander("Verdicts as files"):
        chosen = st.segmented_control(
            "Format", list(exports.FORMATS), format_func=lambda name: _IN_WORDS.get(name, name), key=f"files-{field}"
        )
        if chosen is None:
            return
        asked = urlencode({"field": field, "run": runs, "labels": labels}, doseq=True)
        for name in exports.FILES[chosen]:
            st.link_button(name, f"/download/{study_key}/judges/{name}?{asked}", icon=":material/download:")
