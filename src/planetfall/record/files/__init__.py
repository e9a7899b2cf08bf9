"""What folders of results consist of: JSON, NetCDF and shard files, their checksums, the schema that they carry.

Results themselves (`Trajectory`, `Ensemble`) are above this folder, and so is the reading of a whole run.
"""
