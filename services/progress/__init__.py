"""What of a study is still open, and its data lock."""
