"""The engine: from a checked scenario to arrays of results.

`build` makes a model of a scenario, `kernel` compiles it, `run` launches it, `observe` evaluates the recorded states.
Each folder is one part of a run; `docs/design/architecture.md` follows a run through them.
"""
