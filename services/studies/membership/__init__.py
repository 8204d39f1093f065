"""The people of a study: invited, described, removed."""
