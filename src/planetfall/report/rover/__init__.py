"""Figures of rovers: how one stands, a drive, and the path from above."""
