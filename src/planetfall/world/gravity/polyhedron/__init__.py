"""Gravity of a closed mesh of constant density: exact, or with distant facets taken together in a tree."""
