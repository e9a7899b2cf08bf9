"""A gravity field on a device: what the kernel takes, and a way for the host to ask it."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.compute.slices import launch_in_slices
from planetfall.world.gravity.model import GravityModel


@dataclass(frozen=True)
class GravityField:
    """A gravity field made ready for a device.

    Attributes:
        model: Which field it is.
        params: Its filled parameter struct, arrays on `device`.
        device: Warp device.
        facts: What is known of it, for people: source, density, extent, measured errors.
    """

    model: GravityModel
    params: Any
    device: str
    facts: dict[str, Any] = field(default_factory=dict)

    def acceleration(self, positions_S: np.ndarray) -> np.ndarray:
        """Acceleration [n, 3] [m/s^2] at positions [n, 3] [m], surface frame."""
        return self.at(positions_S)[1]

    def potential(self, positions_S: np.ndarray) -> np.ndarray:
        """Potential [n] [m^2/s^2], zero at infinity, at positions [n, 3] [m], surface frame."""
        return self.at(positions_S)[0]

    def at(self, positions_S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Potential [n] and acceleration [n, 3] at positions [n, 3] [m], on all cores of a CPU."""
        start_warp()
        positions = wp.array(np.atleast_2d(np.asarray(positions_S, float)), dtype=wp.vec3d, device=self.device)
        n = len(positions)
        potentials = wp.zeros(n, dtype=wp.float64, device=self.device)
        accelerations = wp.zeros(n, dtype=wp.vec3d, device=self.device)
        launch_in_slices(_kernel(self.model), n, [self.params, positions], [potentials, accelerations], self.device)
        return potentials.numpy(), accelerations.numpy()


@lru_cache
def _kernel(model: GravityModel) -> Any:
    params, acceleration, potential = model.params, model.acceleration, model.potential

    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def ask(
        field: params,
        positions: wp.array(dtype=wp.vec3d),
        first: int,
        potentials_out: wp.array(dtype=wp.float64),
        accelerations_out: wp.array(dtype=wp.vec3d),
    ):
        i = wp.tid() + first
        potentials_out[i] = potential(field, positions[i])
        accelerations_out[i] = acceleration(field, positions[i])

    return ask
