"""What a study may say: the language of a protocol, pure and below everything else."""
