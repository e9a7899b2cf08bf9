"""The flat state vector of one trajectory.

Each body takes 13 numbers: position [m] and velocity [m/s] of its centre of mass relative to the surface frame and in
it, the quaternion (x, y, z, w) from body to surface frame, and the angular velocity [rad/s] relative to the surface
frame in body components. After the bodies come the numbers of each `Mechanism`, in order, and the running integrals of
work [J] that the kernel keeps for the energy account (see `Assembly.works`).
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.fused import fma
from planetfall.compute.in_place import number
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.engine.structure.work_accounts import WorkAccount
from planetfall.vehicle.body import BodyState, rotation


@dataclass(frozen=True)
class StateLayout:
    """State vector type of some bodies and what is on them, with the works of the energy account, and its readers.

    Attributes:
        n_bodies: Number of rigid bodies.
        n_states: Numbers of each mechanism, in order.
        works: Accounts of work whose integrals are part of the state, in order.
        attached: Indices of the numbers that are 1 while a vehicle is attached, of those that something counts by.
        vector: Warp vector type of float64.
        body: `@wp.func (y, body index) -> BodyState`.
        normalise: `@wp.func (y)`: makes the quaternions unit.
        add_scaled: `@wp.func (out, y, slope, h)`: writes y + h slope, number by number, so that nothing is copied.
    """

    n_bodies: int
    n_states: tuple[int, ...]
    works: tuple[WorkAccount, ...]
    attached: tuple[int, ...]
    vector: Any
    body: Any
    normalise: Any
    add_scaled: Any

    @property
    def size(self) -> int:
        """Number of float64 values."""
        return self.work_offset + len(self.works)

    @property
    def work_offset(self) -> int:
        """Index of the first work integral."""
        return self.mechanism_offset(len(self.n_states))

    def work_index(self, account: WorkAccount) -> int:
        """Index of the integral of an account of work; -1 where it is not kept."""
        return self.work_offset + self.works.index(account) if account in self.works else -1

    def mechanism_offset(self, i: int) -> int:
        """Index of the first number of the i-th mechanism."""
        return BODY_SIZE * self.n_bodies + sum(self.n_states[:i])


@lru_cache
def layout(
    n_bodies: int, n_states: tuple[int, ...], works: tuple[WorkAccount, ...], attached: tuple[int, ...] = ()
) -> StateLayout:
    """Makes the vector type and its functions once per shape."""
    sizes = (n_bodies, n_states, works, attached)
    length = StateLayout(*sizes, *4 * (None,)).size
    vector = wp.types.vector(length=length, dtype=wp.float64)
    places = wp.types.vector(length=max(len(attached), 1), dtype=wp.int32)(*(attached or (0,)))

    @wp.func
    def attached_bits(y: wp.ref[vector]) -> wp.int32:
        bits = wp.int32(0)
        bit = wp.int32(1)
        for k in range(wp.static(len(attached))):
            if number(y[places[k]]) == wp.float64(1.0):
                bits = bits | bit
            bit = bit + bit
        return bits

    @wp.func
    def body(y: wp.ref[vector], i_body: int) -> BodyState:
        o = i_body * BODY_SIZE
        out = BodyState()
        out.position = wp.vec3d(number(y[o]), number(y[o + 1]), number(y[o + 2]))
        out.velocity = wp.vec3d(number(y[o + 3]), number(y[o + 4]), number(y[o + 5]))
        out.R_SB = rotation(wp.quatd(number(y[o + 6]), number(y[o + 7]), number(y[o + 8]), number(y[o + 9])))
        out.omega_B = wp.vec3d(number(y[o + 10]), number(y[o + 11]), number(y[o + 12]))
        if wp.static(len(attached) > 0):
            out.attached = attached_bits(y)
        return out

    @wp.func
    def normalise(y: wp.ref[vector]):
        for i_body in range(wp.static(n_bodies)):
            o = i_body * BODY_SIZE + 6
            q = wp.vec4d(y[o], y[o + 1], y[o + 2], y[o + 3])
            inverse = wp.float64(1.0) / wp.length(q)
            for i in range(4):
                y[o + i] = q[i] * inverse

    @wp.func
    def add_scaled(out: wp.ref[vector], y: wp.ref[vector], slope: wp.ref[vector], h: wp.float64):
        for i in range(wp.static(length)):
            out[i] = fma(number(slope[i]), h, number(y[i]))

    return StateLayout(*sizes, vector, body, normalise, add_scaled)
