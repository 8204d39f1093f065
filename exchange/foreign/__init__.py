"""Files in which other programs store verdicts of judges and labels made elsewhere, one module for each layout."""
