"""The report's figures, drawn only from the finished report."""
