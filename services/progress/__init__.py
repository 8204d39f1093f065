"""A study's open work and its data lock."""
