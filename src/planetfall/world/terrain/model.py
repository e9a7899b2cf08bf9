"""What a terrain is to the engine: the query contract.

Every terrain answers `gap(params, position_S, point, run) -> Ground` and `ray(params, origin_S, direction_S, range_max)
-> RayHit`. `point` and `run` say who asks, for terrains that keep something for each contact point so as to answer
faster; run = -1 asks without. The answer does not depend on them, except that a terrain may give a lower bound of the
gap to a point far from it.

The normal leaves the ground; `gap` > 0 is apart. A point off the map or over a hole is a status, never a gap of zero:
the engine ends the run with the outcome of that name. A point far from a map on a planet is apart, and has a status of
its own, which ends nothing: only hosts ask for it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import warp as wp

GROUND_FAR = wp.constant(-1)
GROUND_OK = wp.constant(0)
GROUND_OFF_MAP = wp.constant(1)
GROUND_HOLE = wp.constant(2)
RAY_HIT = wp.constant(0)
RAY_MISS = wp.constant(1)


@wp.struct
class Ground:
    """The ground under (or nearest to) a point.

    `gap` [m], positive apart; `normal` [-], outward, surface frame: the gradient of the gap, of length 1 except on
    distance fields; `facet` index, -1 where there are none; `status`, one of GROUND_*. `dent` [m]: how deep the ground
    has been pressed there, where a contact law keeps that; terrains leave it 0.
    """

    gap: wp.float64
    normal: wp.vec3d
    facet: wp.int32
    status: wp.int32
    dent: wp.float64


@wp.struct
class RayHit:
    """First front-face hit: `range` [m] along the unit direction, outward `normal`, `facet`, `status` (RAY_*)."""

    range: wp.float64
    normal: wp.vec3d
    facet: wp.int32
    status: wp.int32


@dataclass(frozen=True)
class TerrainView:
    """A part of the ground that each body of a run keeps beside it, and that answers for all its points.

    Attributes:
        params: `@wp.struct` class by which such a part is known.
        n_rows: Rows, each of four numbers, that a body keeps it in; all NaN must be a view that nothing is in.
        recalled: `@wp.func (kept [row, run], row, run) -> view` from a row of an array on.
        renewed: `@wp.func (terrain params, view, position_S [m], run) -> view` around a position; another one is kept.
        gap: `@wp.func (terrain params, view, position_S [m], run) -> Ground`: bit for bit what the terrain's own `gap`
            says, sooner where the position is in the view.
    """

    params: Any
    n_rows: int
    recalled: Any
    renewed: Any
    gap: Any


@dataclass(frozen=True)
class TerrainModel:
    """A terrain as the kernel builder takes it.

    Attributes:
        name: Name in scenario files; also part of the kernel cache key.
        params: `@wp.struct` class that holds every number and array of the terrain.
        gap: `@wp.func (params, position_S [m], point, run) -> Ground`.
        ray: `@wp.func (params, origin_S [m], direction_S [-], range_max [m]) -> RayHit`.
        is_flat: Whether the ground is one plane, so that one query serves all points of a body.
        column: `gap` of a map, measured on the facet straight below along z, or above, however steep; None of others.
        make_memory: `(params, n_points, n_runs, device) -> arrays` in which the points of a batch keep something. They
            must be kept as long as it runs: on the device, the parameters have their addresses alone.
        look_ahead: `(params, is_wanted)`: tells a terrain whether gaps far from it are wanted exactly, by a method that
            looks for touchdowns along a whole step.
        steepness: `@wp.func (params) -> vec2d`: how much a gap can change per metre, and how far [m] a point may move
            for that to hold. None where it is not known.
        closing: `@wp.func (params) -> float64`: a point with the gap g stays apart on any way shorter than g over
            this. None where it is not known.
        view: Of terrains whose points near each other are answered by the same part of memory; of use only where there
            is ground everywhere and it is known how gaps change.
        is_register_bound: Whether a GPU's kernel gains more from registers for its queries than from threads, and reads
            its parameters from an array, since a search is called that is given all of them.
        is_called: Whether large kernels call `gap` instead of having a copy wherever it is asked, as suits a GPU.
        is_endless: Whether there is ground everywhere, without edges or holes that a point could come to.
        has_unit_normals: Whether normals have the length 1; those of distance fields are gradients as they are.
    """

    name: str
    params: Any
    gap: Any
    ray: Any
    is_flat: bool = False
    make_memory: Callable[[Any, int, int, str], Any] | None = None
    look_ahead: Callable[[Any, bool], None] | None = None
    steepness: Any = None
    closing: Any = None
    column: Any = None
    view: TerrainView | None = None
    is_endless: bool = False
    is_called: bool = False
    is_register_bound: bool = False
    has_unit_normals: bool = True

    @property
    def has_edges(self) -> bool:
        """Whether a point in the ground can leave it sideways at once, over the edge of a map or of a hole in it."""
        return not (self.is_flat or self.is_endless)
