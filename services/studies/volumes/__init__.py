"""The scans of a study: prepared, stored under their hash, and checked."""
