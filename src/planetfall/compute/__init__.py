"""What Planetfall needs of Warp, whatever is computed: devices, fused sums, structs and arrays on the way to a device.

No physics lives here. What may enter is a helper that knows numbers and memory, and nothing of bodies or ground.
"""
