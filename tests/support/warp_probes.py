"""The package's Warp functions over arrays of inputs, called from NumPy. One Warp module, compiled once."""

import numpy as np
import warp as wp
from numpy.typing import ArrayLike

from planetfall.compute.device import start_warp
from planetfall.contact.marker import CONTACT_MARKER, CONTACT_MARKER_ON_FIELD
from planetfall.contact.model import PointContact
from planetfall.engine.solver.dopri5 import step_factor
from planetfall.vehicle.body import rotation
from planetfall.vehicle.forces import TabledForce, tabled_break, tabled_magnitude
from planetfall.world.terrain.model import Ground, RayHit
from planetfall.world.terrain.plane import PlaneParams, disc_gap, plane_gap, plane_ray

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

MARKER_PARAMS = CONTACT_MARKER.params(1)
_marker_mode = CONTACT_MARKER.mode(MARKER_PARAMS)
_marker_contact = CONTACT_MARKER.contact(MARKER_PARAMS)
_marker_reported = CONTACT_MARKER.reported
_field_mode = CONTACT_MARKER_ON_FIELD.mode(MARKER_PARAMS)
_field_contact = CONTACT_MARKER_ON_FIELD.contact(MARKER_PARAMS)

Array = np.ndarray


@wp.kernel
def _gap(plane: PlaneParams, position: wp.array(dtype=wp.vec3d), ground_out: wp.array(dtype=Ground)):
    i = wp.tid()
    ground_out[i] = plane_gap(plane, position[i], -1, -1)


@wp.kernel
def _disc_gap(plane: PlaneParams, position: wp.array(dtype=wp.vec3d), ground_out: wp.array(dtype=Ground)):
    i = wp.tid()
    ground_out[i] = disc_gap(plane, position[i], -1, -1)


@wp.kernel
def _ray(
    plane: PlaneParams, origin: wp.array(dtype=wp.vec3d), direction: wp.array(dtype=wp.vec3d), reach: wp.float64,
    hit_out: wp.array(dtype=RayHit),
):  # fmt: skip
    i = wp.tid()
    hit_out[i] = plane_ray(plane, origin[i], direction[i], reach)


@wp.kernel
def _rotation(q: wp.array(dtype=wp.quatd), matrix_out: wp.array(dtype=wp.mat33d)):
    i = wp.tid()
    matrix_out[i] = rotation(q[i])


@wp.kernel
def _magnitude(
    force: TabledForce, t: wp.array(dtype=wp.float64), branch: wp.array(dtype=wp.float64),
    magnitude_out: wp.array(dtype=wp.float64), break_out: wp.array(dtype=wp.float64),
):  # fmt: skip
    i = wp.tid()
    magnitude_out[i] = tabled_magnitude(force, t[i], branch[i])
    break_out[i] = tabled_break(force, t[i])


@wp.kernel
def _mode(
    law: MARKER_PARAMS, ground: wp.array(dtype=Ground), velocity: wp.array(dtype=wp.vec3d),
    mode_out: wp.array(dtype=wp.int32), reported_out: wp.array(dtype=wp.int32),
):  # fmt: skip
    i = wp.tid()
    mode = _marker_mode(law, 0, ground[i], velocity[i])
    mode_out[i] = mode
    reported_out[i] = _marker_reported(mode)


@wp.kernel
def _contact(
    law: MARKER_PARAMS, mode: wp.array(dtype=wp.int32), ground: wp.array(dtype=Ground),
    velocity: wp.array(dtype=wp.vec3d), contact_out: wp.array(dtype=PointContact),
):  # fmt: skip
    i = wp.tid()
    contact_out[i] = _marker_contact(law, 0, mode[i], ground[i], velocity[i])


@wp.kernel
def _on_field(
    law: MARKER_PARAMS, ground: wp.array(dtype=Ground), velocity: wp.array(dtype=wp.vec3d),
    contact_out: wp.array(dtype=PointContact),
):  # fmt: skip
    i = wp.tid()
    mode = _field_mode(law, 0, ground[i], velocity[i])
    contact_out[i] = _field_contact(law, 0, mode, ground[i], velocity[i])


@wp.kernel
def _factor(error: wp.array(dtype=wp.float64), factor_out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    factor_out[i] = step_factor(error[i])


def plane(point: ArrayLike, normal: ArrayLike, radius: float = np.inf) -> PlaneParams:
    """A plane's parameters."""
    start_warp()
    params = PlaneParams()
    params.point, params.normal, params.radius = wp.vec3d(*point), wp.vec3d(*normal), radius
    return params


def gaps(ground: PlaneParams, positions: ArrayLike) -> Array:
    """`plane_gap`, or `disc_gap` of a plane with a radius, as a structured array with the fields of `Ground`."""
    return _launch(_gap if np.isinf(ground.radius) else _disc_gap, [ground, _vectors(positions)], Ground)


def rays(ground: PlaneParams, origins: ArrayLike, directions: ArrayLike, reach: float = np.inf) -> Array:
    """`plane_ray` as a structured array with the fields of `RayHit`."""
    return _launch(_ray, [ground, _vectors(origins), _vectors(directions), wp.float64(reach)], RayHit)


def rotations(quaternions: ArrayLike) -> Array:
    """`rotation` of quaternions x y z w, shape (n, 3, 3)."""
    start_warp()
    return _launch(_rotation, [wp.array(np.asarray(quaternions, float), dtype=wp.quatd, device="cpu")], wp.mat33d)


def tabled(times: ArrayLike, magnitudes: ArrayLike, t: ArrayLike, branch: ArrayLike | None = None) -> Array:
    """`tabled_magnitude` [N] and `tabled_break` [s], shape (2, n); the branch is that of t if not given."""
    start_warp()
    force = TabledForce()
    force.times, force.magnitudes = _numbers(times), _numbers(magnitudes)
    n = len(np.asarray(t))
    out = [wp.zeros(n, dtype=wp.float64, device="cpu") for _ in range(2)]
    inputs = [force, _numbers(t), _numbers(t if branch is None else branch)]
    wp.launch(_magnitude, n, inputs=inputs, outputs=out, device="cpu")
    return np.array([column.numpy() for column in out])


def marker_modes(law: MARKER_PARAMS, gap: ArrayLike, normal: ArrayLike, velocity: ArrayLike) -> Array:
    """Mode of the marker law, and what result files call it, shape (2, n)."""
    n = len(np.asarray(gap))
    out = [wp.zeros(n, dtype=wp.int32, device="cpu") for _ in range(2)]
    wp.launch(_mode, n, inputs=[law, _grounds(gap, normal), _vectors(velocity)], outputs=out, device="cpu")
    return np.array([column.numpy() for column in out])


def marker_contacts_on_field(law: MARKER_PARAMS, gap: ArrayLike, normal: ArrayLike, velocity: ArrayLike) -> Array:
    """The marker law on a distance field, in the modes that it finds, as a structured array of `PointContact`."""
    return _launch(_on_field, [law, _grounds(gap, normal), _vectors(velocity)], PointContact)


def marker_contacts(
    law: MARKER_PARAMS, mode: ArrayLike, gap: ArrayLike, normal: ArrayLike, velocity: ArrayLike
) -> Array:
    """One branch of the marker law as a structured array with the fields of `PointContact`."""
    modes = wp.array(np.asarray(mode, np.int32), dtype=wp.int32, device="cpu")
    return _launch(_contact, [law, modes, _grounds(gap, normal), _vectors(velocity)], PointContact)


def step_factors(errors: ArrayLike) -> Array:
    """`step_factor` of error norms."""
    start_warp()
    return _launch(_factor, [_numbers(errors)], wp.float64)


def _launch(kernel: wp.Kernel, inputs: list, dtype: type) -> Array:
    arrays = [given for given in inputs if isinstance(given, wp.array)]
    out = wp.zeros(len(arrays[0]), dtype=dtype, device="cpu")
    wp.launch(kernel, len(out), inputs=inputs, outputs=[out], device="cpu")
    return out.numpy()


def _vectors(values: ArrayLike) -> wp.array:
    return wp.array(np.atleast_2d(np.asarray(values, float)), dtype=wp.vec3d, device="cpu")


def _numbers(values: ArrayLike) -> wp.array:
    return wp.array(np.asarray(values, float), dtype=wp.float64, device="cpu")


def _grounds(gap: ArrayLike, normal: ArrayLike) -> wp.array:
    rows = np.zeros(len(np.asarray(gap)), dtype=Ground.numpy_dtype())
    rows["gap"], rows["normal"] = gap, normal
    return wp.array(rows, dtype=Ground, device="cpu")
