"""The seals that the audit chain holds on rows, and the chain's head."""
