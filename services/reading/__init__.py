"""What raters and reviewers see on the screen, and how their answers are processed."""
