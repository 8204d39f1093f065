"""That what is kept is what was stored: verification, package, draws made again, backup and restore."""
