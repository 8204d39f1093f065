"""The example study with which a new installation starts."""
