"""Mechanisms that join bodies: tethers that pull on them, vehicles in `attachment`, `carried` until their `separation`.

What may enter acts on more than one body.
"""
