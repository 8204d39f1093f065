"""Which items reviewers adjudicate."""
