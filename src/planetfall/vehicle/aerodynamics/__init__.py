"""Aerodynamic coefficients, heating and trim of a vehicle: one model of coefficients per file, and what they come to.

A model is a parameter struct and one `@wp.func` from Mach number and direction of flight to coefficients (`model.py`).
What turns coefficients into forces, and forces into rates, is a mechanism of the engine.
"""
