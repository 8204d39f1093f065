"""What each phase rates, drawn from everything that a study holds."""
