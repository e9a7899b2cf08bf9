"""The rotation matrix of a quaternion."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from support.warp_probes import rotations


def test_rotation_matrix_is_scipys() -> None:
    """Both are sums of three products of numbers below one: rounding of 1e-15 at most."""
    attitudes = Rotation.random(500, rng=np.random.default_rng(0))
    np.testing.assert_allclose(rotations(attitudes.as_quat()), attitudes.as_matrix(), atol=1e-15)


def test_quarter_turns_take_body_axes_where_they_should_go() -> None:
    half = np.sqrt(0.5)
    about_z = rotations([[0.0, 0.0, half, half]])[0]
    np.testing.assert_allclose(about_z @ [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], atol=1e-15)
    about_x = rotations([[half, 0.0, 0.0, half]])[0]
    np.testing.assert_allclose(about_x @ [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], atol=1e-15)


def test_opposite_quaternions_are_one_attitude() -> None:
    q = Rotation.random(50, rng=np.random.default_rng(1)).as_quat()
    np.testing.assert_array_equal(rotations(q), rotations(-q))


def test_a_quaternion_that_is_not_quite_unit_turns_with_its_scene() -> None:
    """Stages of a step have such ones; what is made of them must not depend on the orientation of the frame.

    For a turn p of the scene, rotation(p q) = rotation(p) rotation(q) to rounding, whatever the length of q.
    """
    rng = np.random.default_rng(2)
    turn, attitude = Rotation.random(100, rng=rng), Rotation.random(100, rng=rng)
    stretched = 1.0 + 1e-4 * rng.normal(size=100)
    both = rotations((turn * attitude).as_quat() * stretched[:, None])
    apart = turn.as_matrix() @ rotations(attitude.as_quat() * stretched[:, None])
    np.testing.assert_allclose(both, apart, atol=2e-15)
