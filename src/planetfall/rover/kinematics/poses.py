"""Poses of a rover on a terrain, from Python: one place or many."""

from dataclasses import dataclass

import numpy as np
import warp as wp
from numpy.typing import ArrayLike

from planetfall.errors import InputError
from planetfall.rover.kinematics.newton import POSE_SAYS, Pose
from planetfall.rover.model import RoverModel
from planetfall.rover.params import vec5d
from planetfall.rover.traversability.survey import decoupled_kernel, launch, newton_kernel, start_kernel
from planetfall.rover.wheel_ground.footing import footing_of, ground_of
from planetfall.world.terrain.surface import Surface

TOLERANCE = 1e-11
"""Largest distance between a wheel and the ground [m] at which a pose counts as found."""
START_ANGLES = (-0.6, -0.3, 0.0, 0.3, 0.6)
"""Pitches [rad] of rockers and bogies from which `every_pose` sets out."""


def heading_yaw(heading_deg: ArrayLike) -> np.ndarray:
    """Yaw [rad], anticlockwise from east, of a heading in degrees clockwise from north."""
    return np.radians(90.0 - np.asarray(heading_deg, dtype=float))


@dataclass(frozen=True)
class Poses:
    """Poses at n places; wheels in the order of `model.WHEEL_NAMES`.

    Attributes:
        rover: Whose poses they are.
        places: (x, y) [m] of the middle right wheel's centre, surface frame, and yaw [rad], [n, 3].
        raw: What the kernel gave, [n], fields of `newton.Pose`.
    """

    rover: RoverModel
    places: np.ndarray
    raw: np.ndarray

    def __len__(self) -> int:
        return len(self.places)

    @property
    def status(self) -> np.ndarray:
        """Status of each pose, a key of `newton.POSE_SAYS`."""
        return self.raw["status"]

    @property
    def is_found(self) -> np.ndarray:
        """Whether all six wheels stand on the ground."""
        return self.status <= 1

    def says(self, i: int = 0) -> str:
        """What became of one place, in words."""
        return POSE_SAYS[int(self.status[i])]

    @property
    def roll(self) -> np.ndarray:
        """Theta of Hacot1998 [rad]: positive with the right side up, [n]."""
        return self.raw["q"][:, 0]

    @property
    def pitch(self) -> np.ndarray:
        """Phi of Hacot1998, Eq. (1) [rad]: positive nose up, [n]."""
        return (self.raw["q"][:, 1] + self.raw["q"][:, 3]) / 2

    @property
    def joint_pitch(self) -> np.ndarray:
        """Pitch [rad] of right rocker, right bogie, left rocker, left bogie, nose up; zero on flat ground, [n, 4]."""
        return self.raw["q"][:, 1:]

    @property
    def theta(self) -> np.ndarray:
        """Theta1 to Theta4 of Hacot1998 [rad], [n, 4]; of the mirrored rover where the bogie is aft."""
        flat = np.array([side.angles[k] for side in self.rover.sides for k in (0, 2)])
        turn = 1.0 if self.rover.table.bogie == "front" else -1.0
        return flat + turn * self.joint_pitch

    @property
    def contact_angle(self) -> np.ndarray:
        """Where each wheel touches [rad], forward from the lowest point of its rim, [n, 6]."""
        return 2 * np.arctan(self.raw["stance"]["t"][:, self.rover.order])

    @property
    def residual(self) -> np.ndarray:
        """Distance between the worst wheel and the ground [m], [n]."""
        return self.raw["residual"]

    @property
    def excess(self) -> np.ndarray:
        """How much higher above the ground than the middle right one each wheel is [m], [n, 6]."""
        return self.raw["stance"]["excess"][:, self.rover.order]

    @property
    def rival(self) -> np.ndarray:
        """How much lower each wheel would rest on its second best contact [m], [n, 6]: near 0 it touches twice."""
        return self.raw["stance"]["rival"][:, self.rover.order]

    @property
    def iterations(self) -> np.ndarray:
        """Iterations taken, [n]."""
        return self.raw["iterations"]


def find_poses(
    rover: RoverModel, surface: Surface, places: ArrayLike, method: str = "newton", passes: int = 2, repeats: int = 5
) -> Poses:
    """Poses of a rover at given places.

    Args:
        rover: From `model.rover_model`.
        surface: The terrain.
        places: (x, y) [m] of the middle right wheel's centre, surface frame, and yaw [rad] anticlockwise from
            x (see `heading_yaw`), [n, 3] or [3].
        method: "newton" for all equations at once, "decoupled" for the paper's quicker approximation.
        passes: Corrections of the roll by the decoupled method.
        repeats: Most repetitions in each of them.
    """
    given = checked_places(places)
    inputs = [ground_of(surface), rover.links]
    on_device = wp.array(given, dtype=wp.vec3d, device=surface.device)
    footing = footing_of(surface)
    if method == "newton":
        kernel, inputs = newton_kernel(footing), [*inputs, contact_tolerance(surface), on_device]
    elif method == "decoupled":
        kernel, inputs = decoupled_kernel(footing), [*inputs, passes, repeats, on_device]
    else:
        raise InputError("method", f"unknown {method!r}", "newton or decoupled")
    return Poses(rover, given, launch(kernel, len(given), inputs, Pose, surface.device))


def every_pose(rover: RoverModel, surface: Surface, place: ArrayLike) -> Poses:
    """All poses that Newton finds at one place from many starts, nearest to the flat pose first; may be none."""
    given = checked_places(place)
    if len(given) != 1:
        raise InputError("place", f"{len(given)} places", "one place")
    angles = np.array(np.meshgrid(*[START_ANGLES] * 4, indexing="ij")).reshape(4, -1).T
    starts = np.column_stack([np.zeros(len(angles)), angles])
    many = np.repeat(given, len(starts), axis=0)
    on_device = [wp.array(a, dtype=t, device=surface.device) for a, t in ((many, wp.vec3d), (starts, vec5d))]
    inputs = [ground_of(surface), rover.links, contact_tolerance(surface), *on_device]
    raw = launch(start_kernel(footing_of(surface)), len(starts), inputs, Pose, surface.device)
    found = raw[raw["status"] == 0]
    found = found[np.argsort(np.abs(found["q"]).max(axis=1), kind="stable")]
    kept: list[int] = []
    for i, q in enumerate(found["q"]):
        if all(np.abs(q - found["q"][j]).max() > 1e-6 for j in kept):
            kept.append(i)
    return Poses(rover, np.repeat(given, len(kept), axis=0), found[kept])


def checked_places(places: ArrayLike) -> np.ndarray:
    """Places as [n, 3], refused if they are not."""
    given = np.ascontiguousarray(np.atleast_2d(np.asarray(places, dtype=np.float64)))
    if given.ndim != 2 or given.shape[1] != 3:
        raise InputError("places", f"an array of shape {np.shape(places)}", "(x, y, yaw), or rows of them")
    if not np.all(np.isfinite(given)):
        raise InputError("places", f"row {int(np.argwhere(~np.isfinite(given))[0, 0])} is not finite", "finite numbers")
    return given


def contact_tolerance(surface: Surface) -> float:
    """The tolerance [m], widened where heights themselves are large: 16 roundings of the largest."""
    highest = 0.0 if surface.box is None else float(np.abs(surface.box[:, 2]).max())
    return max(TOLERANCE, 16 * highest * float(np.finfo(float).eps))
