"""Properties are tried on the same examples everywhere, and never against the clock."""

from hypothesis import settings

settings.register_profile("agreement", deadline=None, derandomize=True, database=None)
settings.load_profile("agreement")
