"""Readers of gravity fields: one format per file, each giving `HarmonicsData`."""
