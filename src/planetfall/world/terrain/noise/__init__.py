"""Gradient noise that roughens a distance field, and where on a body it does so."""
