"""Whether the energies that a contact law gives go with its force, asked of the law alone, before anything moves.

The power of the force has to be minus the growth of what is stored, plus what dampers and friction take:

    F . v = -dE/dgap (n . v) + P_damper + P_friction

A law for which this does not hold moves vehicles all the same, and the energy account of every run stays open. On a
distance field n need not have the length 1, so that a law may hold on a plane and not there.
"""

from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.contact.model import ContactLaw
from planetfall.world.terrain.model import Ground

DEPTHS = (0.01, 0.1, 1.0, 3.0)
"""Over the law's own sink."""
SPEEDS = (1e-3, 1e-2, 0.1, 1.0)
"""Along and across the normal [m/s]."""
LENGTHS = (0.9, 1.1)
"""Of normals that are gradients of a distance field [-], more than these differ from 1 (assumed)."""
NORMAL, ACROSS = np.array([0.36, 0.48, 0.8]), (np.array([0.8, -0.6, 0.0]), np.array([0.48, 0.64, -0.6]))
"""Unit vectors at right angles, along no axis."""
SHIFT = 1e-4
"""Of the depth, either way, for the slope of the stored energy: it errs by its square, 1e-8, where the energy is smooth
and by less than 1e-4 at a kink of the force."""
ERROR = 1e-3
"""Largest error over |F| |v| and what is stored: that of a slope at a kink is a tenth of it."""


def power_fault(
    law: ContactLaw, struct: Any, params: Any, sink: float, has_unit_normals: bool, device: str = "cpu"
) -> str | None:
    """What to say of a law whose energies do not go with its force; None if they do, or if it is of another kind.

    Anchored laws, those with a resultant and those that keep dents have accounts of their own.

    Args:
        law: The law, as the ground asks for it.
        struct: Its struct class.
        params: One of it, filled, on the device.
        sink: How deep points go, by order of magnitude [m].
        has_unit_normals: Whether the ground's normals have the length 1.
        device: Warp device name.
    """
    if law.mode is None or law.contact is None or law.resultant is not None or law.keeps_dent or sink <= 0.0:
        return None
    gaps, normals, velocities = _states(sink, (1.0,) if has_unit_normals else LENGTHS)
    kernel = _kernel(struct, law.mode(struct), law.contact(struct))
    mode, power, booked, size = _asked(kernel, params, gaps, normals, velocities, device)
    with np.errstate(invalid="ignore", divide="ignore"):
        errors = np.abs(power - booked) / size
    errors[~np.isfinite(errors)] = 0.0  # no force, or one that ends a run by itself
    worst = int(np.argmax(errors))
    if errors[worst] <= ERROR:
        return None
    along, length = float(velocities[worst] @ NORMAL), float(np.linalg.norm(normals[worst]))
    across = float(np.linalg.norm(velocities[worst] - along * NORMAL))
    field = "" if has_unit_normals else f", where ground.normal has the length {length:g}, as it may on this ground"
    return (
        f"contact law {law.name!r}: its energies do not go with its force, so the energy account cannot close: "
        f"{-gaps[worst]:.3g} m deep, {'rising' if along > 0 else 'sinking'} at {abs(along):.3g} m/s and sliding at "
        f"{across:.3g} m/s (mode {mode[worst]}){field}, the force has a power of {power[worst]:.4g} W, but elastic, "
        f"damper_power and friction_power make {booked[worst]:.4g} W; correct them, or the force, in contact"
    )


def _states(sink: float, lengths: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gaps [m], normals [-] and velocities [m/s] at which a law is asked."""
    along = [sign * speed for speed in SPEEDS for sign in (-1.0, 1.0)]
    found = [
        (-depth * sink, length * NORMAL, up * NORMAL + speed * side)
        for depth, length, up, speed, side in product(DEPTHS, lengths, along, (0.0, *SPEEDS), ACROSS)
    ]
    gaps, normals, velocities = (np.array(values) for values in zip(*found, strict=True))
    return gaps, normals, velocities


def _asked(
    kernel: Any, params: Any, gaps: np.ndarray, normals: np.ndarray, velocities: np.ndarray, device: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Mode, power of the force, what the energies make of it, and |F| |v| with what is stored; powers in W."""
    start_warp()
    n = len(gaps)
    inputs = [
        params, wp.array(gaps, dtype=wp.float64, device=device), wp.array(normals, dtype=wp.vec3d, device=device),
        wp.array(velocities, dtype=wp.vec3d, device=device), SHIFT,
    ]  # fmt: skip
    outputs = [wp.zeros(n, dtype=kind, device=device) for kind in (wp.int32, wp.float64, wp.float64, wp.float64)]
    wp.launch(kernel, n, inputs=inputs, outputs=outputs, device=device)
    mode, power, booked, size = (values.numpy() for values in outputs)
    return mode, power, booked, size


@lru_cache
def _kernel(params: Any, mode: Any, contact: Any) -> Any:
    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def ask(
        law: params, gaps: wp.array(dtype=wp.float64), normals: wp.array(dtype=wp.vec3d),
        velocities: wp.array(dtype=wp.vec3d), shift: wp.float64,
        mode_out: wp.array(dtype=wp.int32), power_out: wp.array(dtype=wp.float64),
        booked_out: wp.array(dtype=wp.float64), size_out: wp.array(dtype=wp.float64),
    ):  # fmt: skip
        i = wp.tid()
        ground = Ground()
        ground.gap = gaps[i]
        ground.normal = normals[i]
        ground.facet = -1
        velocity = velocities[i]
        held = mode(law, 0, ground, velocity)
        here = contact(law, 0, held, ground, velocity)
        step = shift * gaps[i]
        ground.gap = gaps[i] + step
        deeper = contact(law, 0, held, ground, velocity)
        ground.gap = gaps[i] - step
        higher = contact(law, 0, held, ground, velocity)
        growth = (deeper.elastic - higher.elastic) / (step + step) * wp.dot(normals[i], velocity)
        mode_out[i] = held
        power_out[i] = wp.dot(here.force, velocity)
        booked_out[i] = here.damper_power + here.friction_power - growth
        size_out[i] = wp.length(here.force) * wp.length(velocity) + wp.abs(growth)

    return ask
