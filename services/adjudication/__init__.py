"""What reviewers get to decide."""
