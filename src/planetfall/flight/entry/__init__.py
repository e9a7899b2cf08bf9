"""Entry guidance: the planar reference, its influence coefficients, and the bank angle that follows from them.

What is computed before a flight is in NumPy and SciPy (`planar`, `reference`, `influence`); what flies is compiled.
"""
