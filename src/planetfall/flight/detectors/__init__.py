"""Landing detectors, a model per kind of condition; `kinds.py` has the table of all of them.

What may enter concludes from readings, commanded throttles and a memory of its own, never from the state.
"""
