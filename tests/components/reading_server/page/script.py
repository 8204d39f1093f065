"""The page of the stand-in: mounts the reading room, and a button that reruns the script."""

import streamlit as st

from components.viewer import reading_room

st.set_page_config(layout="wide", initial_sidebar_state="collapsed")
st.html("<style>.stMainBlockContainer { padding: 3.75rem 0.75rem 0; max-width: none; }</style>")
reading_room(st.desk.payload(), key="reading-room")
with st.sidebar:
    st.button("Rerun")
