"""Variables of a run's dataset, a file per subject: arrays in, `xarray` variables with unit, meaning and frame out.

`trajectory.py`, above, puts them together. Nothing in here knows of files.
"""
