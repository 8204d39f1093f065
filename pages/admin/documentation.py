"""A section of the documentation, to which other pages lead."""

import streamlit as st

from components import documentation_view, session
from services.installation import documentation

st.title("Documentation")
actor = session.current_actor()
document, section = (st.query_params.get(name, "") for name in ("document", "section"))
with session.refusals():
    documentation_view.draw_section(documentation.section_to_read(session.database(), actor, document, section))
