"""A contact point leaves its mode where its gap says so by more than rounding, on whichever side of a boundary it is.

The block's marker law has three boundaries along the gap: the ground, for points that part and for points that come,
and the clamp, -K gap = C v_n, beyond which a point in the ground is pressed or unloaded.
"""

import numpy as np
import pytest
import warp as wp

from planetfall.contact.model import MODE_APART
from planetfall.contact.slip_stick import MODE_CREEP, MODE_UNLOADED
from planetfall.engine.solver.events.point_scan import mode_judge
from planetfall.world.terrain.model import Ground
from support.block_scene import block_model

BLUR, RISING = 1e-9, 0.01  # [m], [m/s]


def left(gaps: np.ndarray, mode: int, v_n: float, blur: float = BLUR) -> list[bool]:
    """Whether points at some gaps [m], with a normal velocity [m/s], have left a mode."""
    model = block_model("adaptive")
    judge, params = mode_judge(model.assembly, 0), model.assembly.params

    @wp.kernel(enable_backward=False, module="unique")
    def ask(
        p: wp.array(dtype=params), gaps: wp.array(dtype=wp.float64), velocity: wp.vec3d, mode: int, blur: wp.float64,
        left_out: wp.array(dtype=wp.int32),
    ):  # fmt: skip
        i = wp.tid()
        ground = Ground()
        ground.gap = gaps[i]
        ground.normal = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0))
        left_out[i] = judge(p[0], ground, velocity, mode, blur)

    out = wp.zeros(len(gaps), dtype=wp.int32, device="cpu")
    rows = wp.array([model.params], dtype=params, device="cpu")
    places = wp.array(gaps, dtype=wp.float64, device="cpu")
    wp.launch(ask, len(gaps), inputs=[rows, places, wp.vec3d(0.0, 0.0, v_n), mode, blur, out], device="cpu")
    return (out.numpy() == 1).tolist()


def clamp_gap(v_n: float) -> float:
    """Where the damper pulls as much as the spring pushes [m]."""
    law = block_model("adaptive").params.law
    return -float(law.damping[0]) * v_n / float(law.stiffness[0])


@pytest.mark.parametrize(
    ("mode", "v_n", "is_clamp", "outward"),
    [
        (MODE_APART, -RISING, False, -1.0),  # it comes down, and is in the ground
        (MODE_UNLOADED, RISING, False, 1.0),  # it has come out
        (MODE_CREEP, -RISING, False, 1.0),  # it is out, though on its way down
        (MODE_CREEP, RISING, True, 1.0),  # it parts faster than the spring can follow
        (MODE_UNLOADED, RISING, True, -1.0),  # the spring has caught up with it
    ],
)
def test_in_doubt_a_point_keeps_its_mode(mode: int, v_n: float, is_clamp: bool, outward: float) -> None:
    """Beyond a boundary by less than the blur it stays, by more it leaves; a hundredth of it is far over rounding."""
    boundary = clamp_gap(v_n) if is_clamp else 0.0
    beyond = np.array([-1.5, -0.5, 0.5, 0.99, 1.01, 1.5])
    assert left(boundary + outward * beyond * BLUR, int(mode), v_n) == [False, False, False, False, True, True]


def test_a_mode_narrower_than_the_blur_is_kept() -> None:
    """Unloaded points between the ground and the clamp, both nearer than the blur: a look would find them unloaded."""
    depth = -clamp_gap(RISING)
    assert left(np.array([-0.5 * depth]), int(MODE_UNLOADED), RISING, blur=3.0 * depth) == [False]
