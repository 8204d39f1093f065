"""The commands of `manage.py`, by subject. A command parses and prints; what it does is one call of a service.

Services are imported inside the command that calls them. All of them together load for seconds (SQLAlchemy, SciPy,
Plotly, nibabel), and `--help` or an account to be locked needs none or few of them.
"""
