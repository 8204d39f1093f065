"""Foreign formats, one file per format, in and out. Imports nothing of ours."""
