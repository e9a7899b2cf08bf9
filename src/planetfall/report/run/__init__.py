"""Figures of one run: track, energy, forces, and one file for each mechanism that has a figure of its own.

`figures.py` chooses those that a run has something to show in.
"""
