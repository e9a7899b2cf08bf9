"""`[initial]`, `[integrator]` and `[record]`: where a run starts, how it is integrated, what is kept of it."""
