"""Mechanisms that need air: aerodynamics with bank angle, heating and peaks of loads; parachutes.

What may enter acts through the air or keeps numbers of a flight through it.
"""
