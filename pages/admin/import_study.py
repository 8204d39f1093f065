"""Import a study folder: check it, look at a scan, store it."""

import streamlit as st

from components import session
from components.study import import_view

st.title("Import a study")
actor = session.current_actor()
with session.refusals():
    incoming = import_view.receive(actor)
    if incoming is not None:
        import_view.draw_contents(incoming)
        import_view.draw_remarks(incoming)
        import_view.draw_volume(actor, incoming)
        import_view.draw_import_button(actor, incoming)
