"""The verdicts of LLM judges."""
