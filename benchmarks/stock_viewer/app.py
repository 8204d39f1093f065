"""What one would write with niivue-streamlit alone: one scan, and buttons to the next item and to the other sequence.

`streamlit run app.py` with BENCHMARK_VOLUMES naming a folder of `.nii.gz` files called c00-T1, c00-T2, c01-T1 ...
"""

import os
from pathlib import Path

import streamlit as st
from niivue_component import niivue_viewer

st.set_page_config(page_title="niivue-streamlit", layout="wide")
folder = Path(os.environ["BENCHMARK_VOLUMES"])
cases = sorted({file.name.split("-")[0] for file in folder.glob("*.nii.gz")})


def go_on() -> None:
    st.session_state["item"] = st.session_state.get("item", 0) + 1
    st.session_state["sequence"] = "T1"


def switch() -> None:
    st.session_state["sequence"] = "T2" if st.session_state.get("sequence", "T1") == "T1" else "T1"


item = st.session_state.get("item", 0)
sequence = st.session_state.get("sequence", "T1")
left, right = st.columns(2)
left.button("Next item", on_click=go_on)
right.button("Other sequence", on_click=switch)
file = folder / f"{cases[item % len(cases)]}-{sequence}.nii.gz"
st.write(f"Item {item + 1}")
view = os.environ.get("BENCHMARK_VIEW", "multiplanar")
# A key of its own for each scan: with one key for all, the scans are added up on one canvas.
key = f"item-{item}-{sequence}"
niivue_viewer(nifti_data=file.read_bytes(), filename=file.name, height=700, view_mode=view, key=key)
