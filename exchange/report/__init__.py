"""The agreement report in words, and as HTML, CSV and JSON."""
