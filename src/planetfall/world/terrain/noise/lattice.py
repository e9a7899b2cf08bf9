"""The random numbers at the nodes of a lattice of noise (Jarzynski2020, pcg3d), for CPU and GPU."""

import warp as wp

LATTICE_FACTOR = wp.constant(1664525)
LATTICE_SHIFT = wp.constant(1013904223)
"""Of the generator's first line."""
WHOLE = wp.constant(wp.float64(1.5 * 2.0**52))
"""A number of this size counts in ones: an integer added to it is, modulo 2^32, the low word of the sum."""
MIXED = """
            x += y * z;
            y += z * x;
            z += x * y;
            x ^= x >> 16;
            y ^= y >> 16;
            z ^= z >> 16;
            x += y * z;
            y += z * x;
            z += x * y;
"""
"""The lines after the first one, native, of three unsigned words or of vectors of them; the last word is mixed best."""
