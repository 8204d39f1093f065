"""The commands of `manage.py`, by subject. A command parses and prints; the work is one call of a service.

Services are imported inside the command that calls them. Loading all of them takes seconds (SQLAlchemy, SciPy, Plotly,
nibabel), while `--help` or locking an account needs few of them or none.
"""
