"""Contact of a body with the ground: the terrain query, the loop over the points, and what is monitored there.

The laws themselves are in `planetfall.contact`. What may enter is how their forces are found and summed.
"""
