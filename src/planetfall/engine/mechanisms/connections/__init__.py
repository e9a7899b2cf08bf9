"""Mechanisms that join bodies: tethers that pull on them, vehicles that are attached to others until their release.

What may enter acts on more than one body.
"""
