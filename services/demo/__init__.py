"""The example study that a new installation begins with."""
