"""The anchor law's Warp functions over arrays of inputs, called from NumPy, and lines of sight of a whole vehicle."""

import numpy as np
import warp as wp
from numpy.typing import ArrayLike

from planetfall.compute.device import start_warp
from planetfall.contact.anchor import CONTACT_ANCHOR, anchor_stored, anchor_stretch
from planetfall.contact.model import AnchorGround, AnchorMemory, PointContact
from planetfall.engine.build import Model
from planetfall.engine.contact.anchored_ground import anchored_ground_finder, loss_finder
from planetfall.engine.structure.assembly import Assembly

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

ANCHOR_PARAMS = CONTACT_ANCHOR.params(1)
_anchor_contact = CONTACT_ANCHOR.anchored_contact(ANCHOR_PARAMS)
_anchor_renew = CONTACT_ANCHOR.renew(ANCHOR_PARAMS)
_anchor_reported = CONTACT_ANCHOR.reported
_stretch, _stored = anchor_stretch(ANCHOR_PARAMS), anchor_stored(ANCHOR_PARAMS)

Array = np.ndarray


@wp.kernel
def _held(
    law: ANCHOR_PARAMS, hold: wp.array(dtype=AnchorMemory), position: wp.array(dtype=wp.vec3d),
    velocity: wp.array(dtype=wp.vec3d), contact_out: wp.array(dtype=PointContact),
):  # fmt: skip
    i = wp.tid()
    contact_out[i] = _anchor_contact(law, 0, hold[i], position[i], velocity[i])


@wp.kernel
def _renew(
    law: ANCHOR_PARAMS, hold: wp.array(dtype=AnchorMemory), ground: wp.array(dtype=AnchorGround),
    position: wp.array(dtype=wp.vec3d), velocity: wp.array(dtype=wp.vec3d),
    hold_out: wp.array(dtype=AnchorMemory), reported_out: wp.array(dtype=wp.int32),
):  # fmt: skip
    i = wp.tid()
    after = _anchor_renew(law, 0, hold[i], ground[i], position[i], velocity[i])
    hold_out[i] = after
    reported_out[i] = _anchor_reported(after.mode)


@wp.kernel
def _elastic(
    law: ANCHOR_PARAMS, hold: wp.array(dtype=AnchorMemory), position: wp.array(dtype=wp.vec3d),
    energy_out: wp.array(dtype=wp.float64),
):  # fmt: skip
    i = wp.tid()
    at = _stretch(law, 0, hold[i].anchor, hold[i].normal, position[i], wp.vec3d())
    energy_out[i] = _stored(law, 0, hold[i].mode, at)


def holds(mode: ArrayLike, anchor: ArrayLike, normal: ArrayLike, facet: ArrayLike = 0) -> Array:
    """Memories of many points as a structured array with the fields of `AnchorMemory`."""
    rows = np.zeros(len(np.atleast_2d(anchor)), dtype=AnchorMemory.numpy_dtype())
    rows["mode"], rows["anchor"], rows["normal"], rows["facet"] = mode, anchor, normal, facet
    return rows


def footings(is_touching: ArrayLike, place: ArrayLike, normal: ArrayLike, facet: ArrayLike = 0) -> Array:
    """Grounds found for many points as a structured array with the fields of `AnchorGround`."""
    rows = np.zeros(len(np.atleast_2d(place)), dtype=AnchorGround.numpy_dtype())
    rows["is_touching"], rows["place"], rows["normal"], rows["facet"] = is_touching, place, normal, facet
    return rows


def anchor_contacts(law: ANCHOR_PARAMS, hold: Array, position: ArrayLike, velocity: ArrayLike) -> Array:
    """`held` as a structured array with the fields of `PointContact`."""
    out = wp.zeros(len(hold), dtype=PointContact, device="cpu")
    inputs = [law, wp.array(hold, dtype=AnchorMemory, device="cpu"), _vectors(position), _vectors(velocity)]
    wp.launch(_held, len(hold), inputs=inputs, outputs=[out], device="cpu")
    return out.numpy()


def anchor_renewals(
    law: ANCHOR_PARAMS, hold: Array, ground: Array, position: ArrayLike, velocity: ArrayLike
) -> tuple[Array, Array]:
    """`renew` as a structured array with the fields of `AnchorMemory`, and what result files call its modes."""
    out = wp.zeros(len(hold), dtype=AnchorMemory, device="cpu"), wp.zeros(len(hold), dtype=wp.int32, device="cpu")
    given = [wp.array(hold, dtype=AnchorMemory, device="cpu"), wp.array(ground, dtype=AnchorGround, device="cpu")]
    inputs = [law, *given, _vectors(position), _vectors(velocity)]
    wp.launch(_renew, len(hold), inputs=inputs, outputs=list(out), device="cpu")
    return out[0].numpy(), out[1].numpy()


def anchor_energies(law: ANCHOR_PARAMS, hold: Array, position: ArrayLike) -> Array:
    """Elastic energy [J] that the law says is stored."""
    out = wp.zeros(len(hold), dtype=wp.float64, device="cpu")
    inputs = [law, wp.array(hold, dtype=AnchorMemory, device="cpu"), _vectors(position)]
    wp.launch(_elastic, len(hold), inputs=inputs, outputs=[out], device="cpu")
    return out.numpy()


def found_footings(model: Model, states: Array) -> tuple[Array, Array]:
    """What every point of a vehicle finds in states [n, 13]: footings [n, point], and whether it is lost [n, point]."""
    n, n_points = len(states), model.assembly.n_points
    y = np.zeros((n, model.assembly.layout.size))
    y[:, : states.shape[1]] = states
    out = wp.zeros((n, n_points), dtype=AnchorGround, device="cpu")
    lost = wp.zeros((n, n_points), dtype=wp.int32, device="cpu")
    modes = wp.zeros((n_points, n), dtype=wp.int32, device="cpu")
    inputs = [model.params, wp.array(y, dtype=model.assembly.layout.vector, device="cpu"), modes]
    if model.assembly.terrain.make_memory is not None:
        model.assembly.terrain.make_memory(model.params.terrain, n_points, n, "cpu")
    wp.launch(_finder(model.assembly), (n, n_points), inputs=inputs, outputs=[out, lost], device="cpu")
    return out.numpy(), lost.numpy()


def _finder(assembly: Assembly) -> wp.Kernel:
    params, vector, body, gap = assembly.params, assembly.layout.vector, assembly.layout.body, assembly.terrain.gap
    find, is_lost = anchored_ground_finder(assembly), loss_finder(assembly, 0)

    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def finder(
        p: params, states: wp.array(dtype=vector), modes: wp.array2d(dtype=wp.int32),
        footing_out: wp.array2d(dtype=AnchorGround), lost_out: wp.array2d(dtype=wp.int32),
    ):  # fmt: skip
        i, j = wp.tid()
        state = body(states[i], 0)
        position = state.position + state.R_SB * p.points_B[j]
        ground = gap(p.terrain, position, j, i)
        found = find(p, state, position, ground, j)
        footing_out[i, j] = found
        if found.is_touching == 0 and ground.gap < wp.float64(0.0):
            lost_out[i, j] = is_lost(p, state, modes, j, i)

    return finder


def _vectors(values: ArrayLike) -> wp.array:
    start_warp()
    return wp.array(np.atleast_2d(np.asarray(values, float)), dtype=wp.vec3d, device="cpu")
