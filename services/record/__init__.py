"""Making sure that the records are what was stored: verification, package, repeated draws, backup and restore."""
