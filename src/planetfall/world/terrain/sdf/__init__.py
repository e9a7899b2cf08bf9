"""Ground as a distance field: sampled from a mesh or a formula, with noise and rocks, and its measured error."""
