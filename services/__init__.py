"""The use cases: one function, one transaction. Knows no Streamlit and no HTTP."""
