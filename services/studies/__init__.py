"""A study from its folder to its freeze, and the people in it."""
