"""Results in the formats of other programs: one file per format, which `formats.py` lists with what each can hold.

A format enters with its standard's name, a writer that says units and frames inside the file, and a test in which a
reader that is not ours opens it.
"""
