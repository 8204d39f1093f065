"""The report's figures, drawn from the finished report alone."""
