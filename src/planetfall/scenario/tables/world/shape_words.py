"""What is said of keys that ground and gravity have alike, where both come from the mesh of a whole body."""

MADE_SHAPES = ("bilobed-comet",)
"""Names of shapes that are made by a formula, which stand where the name of a file could."""
CENTERS = "origin and axes: as in the `file`, at the centre of `mass`, or also along the `principal` axes of inertia"
CROSSED = "facets of the file that may be crossed by others, or lie inside, as in folds; with more it is refused"
