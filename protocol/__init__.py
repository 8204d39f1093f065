"""The language of a study's protocol: pure, and below everything else."""
