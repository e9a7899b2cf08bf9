"""Gravity sampled on a grid around a body, with its measured error."""
