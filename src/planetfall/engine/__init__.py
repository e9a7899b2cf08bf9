"""The engine: from a checked scenario to arrays of results.

`build` makes a model of a scenario, `kernel` compiles it, `run` drives it, `observe` computes what is recorded of it.
Each folder is one part of the way; `docs/design/architecture.md` follows a run through them.
"""
