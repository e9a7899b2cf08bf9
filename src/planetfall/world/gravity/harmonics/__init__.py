"""Gravity by spherical harmonics."""
