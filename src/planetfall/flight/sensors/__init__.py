"""What the vehicle measures: a sensor per file, `kinds.py` with the table of all of them, noise.

`mount.py` gives the sensors of a scenario their places in the arrays of `readings.py`.
"""
