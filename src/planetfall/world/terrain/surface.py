"""A terrain on a device: what the kernel takes, and a way for the host to ask it."""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.world.terrain.model import GROUND_OK, RAY_HIT, TerrainModel
from planetfall.world.terrain.outline import Outline
from planetfall.world.terrain.sweep import sweep


@dataclass(frozen=True)
class Surface:
    """A terrain made ready for a device.

    Attributes:
        model: Which terrain it is.
        params: Its filled parameter struct, arrays on `device`.
        device: Warp device.
        kept: Objects that `params` only points to (Warp's meshes), kept alive here.
        facts: What is known of it, for people: `source`, and `notes`, a tuple of sentences about the file.
        n_facets: How many facets it has; a plane is one.
        box: Lowest and highest corner [2, 3] [m] of what is bounded in it, surface frame; None if nothing is.
        parts: The terrains that a combined one is made of; none for the others.
        map: Of a map on a planet, the map alone, as if it lay on a plane without end; None for others.
        outline: Where its nearest point is, from any distance; None where `ask` is good everywhere, or parts have it.
    """

    model: TerrainModel
    params: Any
    device: str
    kept: tuple[Any, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)
    n_facets: int = 1
    box: np.ndarray | None = None
    parts: tuple["Surface", ...] = ()
    outline: Outline | None = None
    map: "Surface | None" = None

    @property
    def alone(self) -> "Surface":
        """The ground without the planet around it, for drawing."""
        return self if self.map is None else self.map

    def ask(self, positions_S: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Gaps [m], outward normals and statuses at positions [n, 3] [m], surface frame."""
        start_warp()
        positions = np.ascontiguousarray(np.atleast_2d(positions_S), dtype=np.float64)
        if self.model.is_flat:  # no arrays in it, so no kernel has to be compiled for a question
            answers = [self.model.gap(self.params, wp.vec3d(*position), -1, -1) for position in positions]
            return (
                np.array([float(a.gap) for a in answers]),
                np.array([np.array(a.normal) for a in answers]),
                np.array([int(a.status) for a in answers]),
            )
        gaps, normals, statuses, _ = self._asked(positions)
        return gaps, normals, statuses

    @property
    def columns(self) -> "Surface":
        """The same ground; of a map, asked for the facet straight below, whichever is nearest."""
        if self.model.column is None:
            return self
        return replace(self, model=replace(self.model, gap=self.model.column, make_memory=None))

    def facets_at(self, positions_S: np.ndarray) -> np.ndarray:
        """Index of the facet that answers at each of positions [n, 3] [m]; -1 where there is none."""
        start_warp()
        return self._asked(np.ascontiguousarray(np.atleast_2d(positions_S), dtype=np.float64))[3]

    def _asked(self, positions: np.ndarray) -> tuple[np.ndarray, ...]:
        dtypes = [wp.float64, wp.vec3d, wp.int32, wp.int32]
        return tuple(self._swept(_ask_kernel(self.model), [positions], [], dtypes))

    def cast(self, origins_S: np.ndarray, directions_S: np.ndarray, range_max: float) -> tuple[np.ndarray, np.ndarray]:
        """Ranges [m] along unit directions to the first front face, NaN where there is none, and the facets hit."""
        start_warp()
        rays = [np.ascontiguousarray(np.atleast_2d(a), dtype=np.float64) for a in (origins_S, directions_S)]
        ranges, facets = self._swept(_ray_kernel(self.model), rays, [range_max], [wp.float64, wp.int32])
        return ranges, facets

    def _swept(
        self, kernel: Any, questions: list[np.ndarray], limits: list[float], dtypes: list[Any]
    ) -> list[np.ndarray]:
        """Answers of the given types to questions [n, 3], by a kernel with one thread for each."""
        if self.device == "cpu":
            return sweep(kernel, self.params, questions, limits, dtypes)
        n, device = len(questions[0]), self.device
        answers = [wp.zeros(n, dtype=dtype, device=device) for dtype in dtypes]
        rows = [wp.array(question, dtype=wp.vec3d, device=device) for question in questions]
        wp.launch(kernel, n, inputs=[self.params, *rows, *limits], outputs=answers, device=device)
        return [answer.numpy() for answer in answers]

    def ground_at(self, position_S: np.ndarray) -> tuple[float, np.ndarray, bool]:
        """Gap [m], outward normal, and whether there is ground at all, at one position."""
        gaps, normals, statuses = self.ask(position_S)
        return float(gaps[0]), normals[0], int(statuses[0]) == int(GROUND_OK)


@lru_cache
def _ask_kernel(model: TerrainModel) -> Any:
    params, gap = model.params, model.gap

    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def ask(
        terrain: params,
        positions: wp.array(dtype=wp.vec3d),
        gaps_out: wp.array(dtype=wp.float64),
        normals_out: wp.array(dtype=wp.vec3d),
        statuses_out: wp.array(dtype=wp.int32),
        facets_out: wp.array(dtype=wp.int32),
    ):
        i = wp.tid()
        ground = gap(terrain, positions[i], -1, -1)
        gaps_out[i] = ground.gap
        normals_out[i] = ground.normal
        statuses_out[i] = ground.status
        facets_out[i] = ground.facet

    return ask


@lru_cache
def _ray_kernel(model: TerrainModel) -> Any:
    params, ray = model.params, model.ray

    # 80 registers, three blocks of 256 per multiprocessor: a ray waits for memory most of its time
    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False}, launch_bounds=(256, 3))
    def cast(
        terrain: params,
        origins: wp.array(dtype=wp.vec3d),
        directions: wp.array(dtype=wp.vec3d),
        range_max: wp.float64,
        ranges_out: wp.array(dtype=wp.float64),
        facets_out: wp.array(dtype=wp.int32),
    ):
        i = wp.tid()
        hit = ray(terrain, origins[i], directions[i], range_max)
        ranges_out[i] = wp.float64(wp.nan)
        facets_out[i] = -1
        if hit.status == RAY_HIT:
            ranges_out[i] = hit.range
            facets_out[i] = hit.facet

    return cast
