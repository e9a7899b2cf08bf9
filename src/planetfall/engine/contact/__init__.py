"""Contact of a body with the ground: the query of the terrain, the loop over the points, what is monitored on the way.

The laws themselves are in `planetfall.contact`. What may enter is how their forces are found and summed.
"""
