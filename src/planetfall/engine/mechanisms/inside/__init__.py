"""Mechanisms within a body: flywheels, eccentric arms, engines with their tanks.

What may enter turns, swings or burns in one body, and has numbers of its own in the state.
"""
