"""Mechanisms that join bodies: tethers that pull on them, vehicles that are `carried` until their `separation`.

What may enter acts on more than one body.
"""
