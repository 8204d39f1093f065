"""What an analysis plan asks, held against what a study can provide."""
