"""Target attitude, spin and sun from SPICE kernels that the tests write themselves."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.scenario.files.load import scenario_from_dict
from planetfall.scenario.tables.run.attitude import rotation_matrix
from support.spice_files import MERIDIAN, PLACE, POLE_DEC, POLE_RA, TURN, VELOCITY, write_kernels

LIGHT = 299792.458
DAYS = 20.0
EPOCH = "2000-01-21T12:00:00"
"""Twenty days after J2000, in TDB."""


@pytest.fixture
def kernels(tmp_path: Path) -> dict[str, Path]:
    return write_kernels(tmp_path)


def scenario(kernels: list[Path], *, more: dict[str, Any] | None = None, **spice: Any) -> planetfall.Scenario:
    target = {
        "name": "testball", "gm": 5.0, "radius": 250.0, "frame": "P", "semi_axes": [250.0, 250.0, 250.0],
        "epoch": EPOCH, "time_system": "TDB", **(more or {}),
        "spice": {"kernels": [str(path) for path in kernels], "frame": "TESTBALL_FIXED", **spice},
    }  # fmt: skip
    return scenario_from_dict(
        {
            "scenario": {"name": "seen", "duration": 1000.0}, "target": target, "vehicle": {"name": "cube"},
            "contact": {"law": "distributed", "stiffness": 250.0, "damping": 14.0, "friction": 0.5},
            "initial": {"position": [0.0, 0.0, 260.0]}, "integrator": {"method": "adaptive"},
        }
    )  # fmt: skip


def body_axes(days: float) -> np.ndarray:
    """Body-fixed to J2000 by the IAU's angles: R_z(90 + ra) R_x(90 - dec) R_z(W), active rotations."""

    def about(axis: int, angle_deg: float) -> np.ndarray:
        c, s = np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))
        out, (i, j) = np.eye(3), ((axis + 1) % 3, (axis + 2) % 3)
        out[i, i], out[i, j], out[j, i], out[j, j] = c, -s, s, c
        return out

    return about(2, 90.0 + POLE_RA) @ about(0, 90.0 - POLE_DEC) @ about(2, MERIDIAN + TURN * days)


def test_attitude_and_spin_are_those_of_the_angles(kernels: dict[str, Path]) -> None:
    target = scenario([kernels["pck"]], has_sun=False).target
    found = rotation_matrix(np.asarray(target.attitude))
    np.testing.assert_allclose(found, body_axes(DAYS), atol=1e-12)  # W is 4e4 deg, whose rounding is 1e-13 rad
    assert target.spin_rate == pytest.approx(np.radians(TURN) / 86400.0, rel=1e-12)
    assert target.spin_axis is None  # the z axis
    assert target.inertial_frame == "J2000"
    later = rotation_matrix(target.attitude_at(np.array([3600.0]))[0])
    np.testing.assert_allclose(later, body_axes(DAYS + 1.0 / 24.0), atol=1e-10)
    assert "SPICE" in target.source


def test_sun_is_where_light_comes_from(kernels: dict[str, Path]) -> None:
    """From a moving body: aberration by v/c, 1e-4 rad, to its square."""
    target = scenario([kernels["pck"], kernels["spk"]]).target
    place = PLACE + DAYS * 86400.0 * VELOCITY
    seen = -place / np.linalg.norm(place) + VELOCITY / LIGHT
    np.testing.assert_allclose(target.sun_direction, seen / np.linalg.norm(seen), atol=3e-8)


def test_utc_needs_leap_seconds(kernels: dict[str, Path]) -> None:
    """In 2020, TDB is 69.184 s ahead of UTC, and less than 2 ms of the year's wave."""
    utc = {"epoch": "2020-01-01T00:00:00", "time_system": "UTC"}
    with pytest.raises(planetfall.InputError, match=r"leap-seconds kernel \(\.tls\)"):
        scenario([kernels["pck"]], more=utc, has_sun=False)
    one = scenario([kernels["pck"], kernels["lsk"]], more=utc, has_sun=False).target
    ahead = {"epoch": "2020-01-01T00:01:09.184", "time_system": "TDB"}
    other = scenario([kernels["pck"]], more=ahead, has_sun=False).target
    turned = 2.0 * np.arccos(min(1.0, abs(float(np.dot(one.attitude, other.attitude)))))
    assert turned < 2e-3 * one.spin_rate + 1e-7


def test_a_changed_epoch_is_read_anew_and_saved_runs_stay(kernels: dict[str, Path], tmp_path: Path) -> None:
    first = scenario([kernels["pck"]], has_sun=False)
    again = scenario_from_dict(first.to_dict())
    assert again.target == first.target
    later = first.with_values({"target.epoch": "2000-01-22T12:00:00"})
    np.testing.assert_allclose(rotation_matrix(np.asarray(later.target.attitude)), body_axes(DAYS + 1.0), atol=1e-12)
    with pytest.raises(planetfall.InputError, match=r"target\.attitude: .*remove target\.spice"):
        first.with_values({"target.attitude": [0.0, 0.0, 0.0, 1.0]})


def test_frame_of_a_site(kernels: dict[str, Path]) -> None:
    """East, north and up at 90 deg east on the equator are -x, z and y of the body."""
    more = {"frame": "L", "site": {"latitude_deg": 0.0, "longitude_deg": 90.0}}
    values = scenario([kernels["pck"]], has_sun=False).to_dict()
    target = {"name": "testball", "gm": 5.0, "radius": 250.0, "epoch": EPOCH, "time_system": "TDB", **more}
    target["spice"] = {"kernels": [str(kernels["pck"])], "frame": "TESTBALL_FIXED", "has_sun": False}
    values |= {"target": target, "terrain": {"model": "plane"}, "gravity": {"model": "point"}}
    found = rotation_matrix(np.asarray(scenario_from_dict(values).target.attitude))
    axes = body_axes(DAYS)
    np.testing.assert_allclose(found, np.column_stack([-axes[:, 0], axes[:, 2], axes[:, 1]]), atol=1e-12)


@pytest.mark.parametrize(
    "wanted, spice, more, says",
    [
        (["none"], {}, {}, r"none\.tpc cannot be loaded .*names are relative"),
        (["pck"], {"frame": "IAU_NOWHERE"}, {}, "a frame that the kernels know; target.spice.frame is 'IAU_NOWHERE'"),
        (["pck"], {}, {}, r"an ephemeris \(\.bsp\) of the body and the sun"),
        (["pck"], {"has_sun": False}, {"epoch": None}, r"target\.epoch: missing"),
        (["pck"], {"has_sun": False}, {"epoch": "soon"}, "'soon' is not an instant"),
        (["pck"], {"has_sun": False}, {"attitude": [0.0, 0.0, 0.0, 1.0]}, "given beside target.spice"),
        ([], {}, {}, "a list of one or more files"),
    ],
)
def test_what_is_missing_is_told(
    wanted: list[str], spice: dict, more: dict, says: str, kernels: dict[str, Path], tmp_path: Path
) -> None:  # fmt: skip
    files = {**kernels, "none": tmp_path / "none.tpc"}
    with pytest.raises(planetfall.InputError, match=says):
        scenario([files[kind] for kind in wanted], more=more, **spice)


def test_without_the_extra(kernels: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spiceypy", None)
    with pytest.raises(planetfall.InputError, match=r"spiceypy is not installed; pip install spiceypy"):
        scenario([kernels["pck"]], has_sun=False)
