"""The data behind the report: the study's rows as read, and the same rows arranged by rater and item."""
