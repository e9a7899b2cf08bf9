"""A browser without a window: films of a replay, pictures and PDF of our pages."""
