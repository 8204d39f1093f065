"""What belongs to one installation: its environment, version, tokens and leases."""
