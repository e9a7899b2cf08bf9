"""Wheel-soil laws, one per file."""
