"""The script that runs first, on every run: who is signed in, and which pages they have."""

import streamlit as st

from components import frame, session

st.set_page_config(page_title="Blindread", layout="wide", initial_sidebar_state="collapsed")
actor = session.current_actor()
pages = frame.pages_of(actor)
page = st.navigation(list(pages.values()), position="hidden")
frame.draw(actor, pages)
page.run()
