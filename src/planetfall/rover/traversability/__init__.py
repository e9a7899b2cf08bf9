"""Where a rover can go: a map of verdicts, and routes over it."""
