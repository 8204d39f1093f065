"""Who rates what was drawn, and in which order."""
