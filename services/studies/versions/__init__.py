"""Versions of a frozen study: what may differ from the previous version, what is drawn, and how it is stored."""
