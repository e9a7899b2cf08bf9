"""Perseverance's mechanism from its published URDF, and public statements about rovers of its class.

The file is not part of the repository: it lies in `../shared/data` beside it, or where the variable
PLANETFALL_SHARED_DATA points.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.rover.kinematics.poses import find_poses
from planetfall.rover.model import rover_model
from planetfall.scenario.files.rover_library import load_rover
from planetfall.scenario.files.rover_urdf import read_rover_urdf
from support.rovers import slope_surface

HERE = Path(__file__).resolve()
DATA = Path(os.environ.get("PLANETFALL_SHARED_DATA", HERE.parents[4] / "shared" / "data"))
URDF = DATA / "meshes" / "rover" / "m2020" / "m2020.urdf"
needs_urdf = pytest.mark.skipif(not URDF.is_file(), reason=f"no {URDF} (set PLANETFALL_SHARED_DATA)")


@needs_urdf
def test_links_and_angles_follow_from_the_joints() -> None:
    """The file's own offsets: differential to bogie (-0.754, 0.23 down), bogie to rear (-0.625, 0.4) and middle wheel
    (0.44998, 0.4), differential to front wheel (0.881, 0.63).
    """
    rover = rover_model(load_rover("msl-class", {"urdf": str(URDF)}))
    assert rover.table.bogie == "rear"
    for side in rover.sides:
        l1, l2, l3, l4 = np.hypot([0.881, 0.754, 0.44998, 0.625], [0.63, 0.23, 0.4, 0.4])
        np.testing.assert_allclose(side.lengths, [l1, l2, l3, l4], rtol=1e-12)
        beta = np.pi - np.arctan2(0.4, 0.44998) - np.arctan2(0.4, 0.625)
        alpha = np.pi - np.arctan2(0.63, 0.881) - np.arctan2(0.23, 0.754)
        np.testing.assert_allclose(side.angles[1::2], [alpha, beta], rtol=1e-12)
    outer, middle = 0.79959 + 0.26291, 0.79959 + 0.12 + 0.26491
    np.testing.assert_allclose(rover.aside, [-outer, -middle, -outer, outer, middle, outer], atol=1e-12)


@needs_urdf
def test_flat_pose_is_level() -> None:
    rover = rover_model(load_rover("msl-class", {"urdf": str(URDF)}))
    poses = find_poses(rover, slope_surface(0.0, 0.0), [3.0, -2.0, 0.4])
    assert poses.status[0] == 0
    np.testing.assert_allclose(poses.raw["q"], 0.0, atol=1e-12)


@needs_urdf
def test_built_in_rover_is_the_file_to_the_millimetre() -> None:
    read, built_in = read_rover_urdf(URDF).values, load_rover("msl-class").model_dump()
    for name in ("axis", "pivot", "rear", "middle", "front"):
        np.testing.assert_allclose(built_in["linkage"][name], read["linkage"][name], atol=5.1e-4)
    assert built_in["track"] == pytest.approx(read["track"], abs=1e-9)
    np.testing.assert_allclose(built_in["wheels"]["offset"], read["wheels"]["offset"], atol=1e-9)


def test_class_of_curiosity_withstands_45_degrees_of_tilt() -> None:
    """NASA states for Curiosity a static tilt of at least 45 degrees in any direction without overturning."""
    stability, _ = rover_model(load_rover("msl-class")).flat_margins
    assert np.degrees(stability) > 45.0


@needs_urdf
def test_what_the_published_file_lacks_is_named() -> None:
    """It is for pictures: its links weigh nothing, its wheels are meshes, its joints have endless torque."""
    gaps = ["mass", "center_of_mass", "wheels.radius", "wheels.torque_max"]
    assert list(read_rover_urdf(URDF).gaps) == gaps
    with pytest.raises(InputError, match=r"does not give rover\.mass: its links weigh nothing.*rover\.wheels\.radius"):
        load_rover("perseverance", {"urdf": str(URDF)})
    filled = load_rover("msl-class", {"urdf": str(URDF), "wheels.torque_max": 500.0})
    assert (filled.mass, filled.wheels.torque_max, filled.urdf) == (899.18, 500.0, None)
    assert filled.source == (
        "URDF m2020.urdf, robot Perseverance; the file lacks wheels.torque_max, which the scenario gives; "
        "the file lacks mass, center_of_mass, wheels.radius, wheels.width, taken from msl-class"
    )
