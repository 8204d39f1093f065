"""What one installation is: its environment, version, tokens and leases."""
