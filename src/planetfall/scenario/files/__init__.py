"""From files and changes to a checked scenario, and back: TOML, paths, `--set`, messages, URDF, waypoints.

What may enter reads or writes a file of the user's, or says what is wrong with it.
"""
