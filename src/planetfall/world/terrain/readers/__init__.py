"""Readers of terrain files: one format per file, plain NumPy arrays out, every fault an InputError.

Elevation maps are read in `rasters`, triangle meshes in `meshes`; `load.load_terrain_file` picks the reader.
"""
