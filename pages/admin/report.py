"""The agreement report of a study."""

import streamlit as st

st.title("Report")
