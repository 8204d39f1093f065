"""What the report rests on: the rows of the study as they were read, and the same arranged by rater and item."""
