"""Terrains: one model per file, each answering the query contract of `terrain.model`."""
