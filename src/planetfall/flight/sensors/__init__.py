"""Sensors, one per file: parameter struct and `@wp.func`."""
