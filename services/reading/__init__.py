"""What is on the screen of a rater or reviewer, and what becomes of their answers."""
