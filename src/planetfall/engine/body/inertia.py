"""Inertia of the bodies as the parameters have it."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.structure.assembly import Assembly


@lru_cache
def inertia_matrices(assembly: Assembly) -> tuple[Any, Any, Any]:
    """`@wp.func (params, body index) -> mat33d`: inertia of a body, what of it flywheels do not keep, that inverted."""
    params, stack = assembly.params, wp.types.matrix(shape=(3 * assembly.n_bodies, 3), dtype=wp.float64)

    @wp.func
    def block(m: stack, b: int) -> wp.mat33d:
        o = 3 * b
        return wp.mat33d(
            m[o, 0], m[o, 1], m[o, 2],
            m[o + 1, 0], m[o + 1, 1], m[o + 1, 2],
            m[o + 2, 0], m[o + 2, 1], m[o + 2, 2],
        )  # fmt: skip

    @wp.func
    def inertia(p: wp.ref[params], b: int) -> wp.mat33d:
        return block(p.inertia, b)

    @wp.func
    def free(p: wp.ref[params], b: int) -> wp.mat33d:
        return block(p.inertia_free, b)

    @wp.func
    def inverse(p: wp.ref[params], b: int) -> wp.mat33d:
        return block(p.inertia_inverse, b)

    return inertia, free, inverse


@lru_cache
def body_inertia(assembly: Assembly) -> tuple[Any, Any]:
    """`(I omega)` and `(I^-1 torque)` of one body, with the products of a diagonal inertia left out."""
    params, is_diagonal = assembly.params, assembly.has_diagonal_inertia
    inertia, _, inverse = inertia_matrices(assembly)

    @wp.func
    def apply(p: wp.ref[params], b: int, w: wp.vec3d) -> wp.vec3d:
        if wp.static(is_diagonal):
            o = 3 * b
            return wp.vec3d(p.inertia[o, 0] * w[0], p.inertia[o + 1, 1] * w[1], p.inertia[o + 2, 2] * w[2])
        else:
            return inertia(p, b) * w

    @wp.func
    def solve(p: wp.ref[params], b: int, w: wp.vec3d) -> wp.vec3d:
        if wp.static(is_diagonal):
            o = 3 * b
            return wp.vec3d(
                p.inertia_inverse[o, 0] * w[0], p.inertia_inverse[o + 1, 1] * w[1], p.inertia_inverse[o + 2, 2] * w[2]
            )
        else:
            return inverse(p, b) * w

    return apply, solve
