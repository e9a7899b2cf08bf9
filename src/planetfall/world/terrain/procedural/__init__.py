"""Ground made from statistics: roughness, craters, hills and rocks, each by its own law and its own stream of numbers.

`generate.generate` makes a terrain from a scenario's table, `write.write_terrain` puts it into a file.
"""
