"""The audit chain's seals on rows, and the chain's head."""
