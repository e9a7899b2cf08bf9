"""What surrounds the vehicle: gravity fields, terrains and shapes of whole bodies.

Each gravity field and each terrain is a parameter struct and its Warp functions; kernels are assembled from them.
"""
