"""Drawing and session state. Knows Streamlit, never SQL."""
