"""The freeze: what it fixes, what it refuses, and how it is taken back."""
