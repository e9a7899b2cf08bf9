"""Contact laws: one per file, each a parameter struct and its `@wp.func`."""
