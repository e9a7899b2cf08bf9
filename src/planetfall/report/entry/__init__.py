"""Figures of entries."""
