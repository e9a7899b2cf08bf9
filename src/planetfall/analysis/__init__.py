"""What people look at: the run in a few numbers."""
