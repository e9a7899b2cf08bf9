"""Figures of many runs: how and where they ended, detectors, sweeps, sunlight."""
