"""Readers and writers of external formats, one file per format."""
