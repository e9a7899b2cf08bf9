"""`[target]`, `[gravity]` and `[terrain]`: the body, its field, and every kind of ground."""
