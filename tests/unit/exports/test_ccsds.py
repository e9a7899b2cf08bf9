"""Orbit and attitude messages, opened by readers of the CCSDS formats that are not ours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import planetfall
from support.view_runs import bridles

EPOCH = "2026-11-18T12:00:00.25"
STAMP = 5e-10
"""Stamps are rounded to the nanosecond [s]."""
KM_DIGITS = 1e-15
"""Seventeen digits of a length in kilometres come back to the bit or its neighbour, relative."""


def opened_oem(path: Path):
    from oem import OrbitEphemerisMessage

    return OrbitEphemerisMessage.open(str(path))


def opened_aem(path: Path):
    from ccsds_ndm.ndm_io import NdmIo

    return NdmIo().from_path(str(path))


def seconds_after(first, instants) -> np.ndarray:
    return np.array([(instant - first).sec for instant in instants])


def test_oem_has_the_run(drop_run: planetfall.Trajectory, tmp_path: Path) -> None:
    (path,) = planetfall.export(drop_run, "oem", tmp_path / "run.oem", epoch=EPOCH)
    (segment,) = opened_oem(path).segments
    data = drop_run.data
    assert segment.metadata["TIME_SYSTEM"] == "UTC"
    assert segment.metadata["REF_FRAME"] == "PLANETFALL_L"
    assert segment.metadata["OBJECT_NAME"] == "msl-rover"
    states = list(segment.states)
    position = 1e3 * np.array([state.position for state in states])
    velocity = 1e3 * np.array([state.velocity for state in states])
    times = seconds_after(states[0].epoch, [state.epoch for state in states])
    kept = np.searchsorted(data.time.values, times - 1e-6)
    assert len(states) >= 150  # frames of one instant, before and after an event, are one row
    np.testing.assert_allclose(times, data.time.values[kept], rtol=0, atol=2 * STAMP)
    np.testing.assert_allclose(position, data.position.values[kept, 0], rtol=KM_DIGITS, atol=1e-18)
    np.testing.assert_allclose(velocity, data.velocity.values[kept, 0], rtol=KM_DIGITS, atol=1e-18)
    assert states[0].epoch.isot == "2026-11-18T12:00:00.250"


def test_inertial_oem_moves_as_newton_says(ball_run: planetfall.Trajectory, tmp_path: Path) -> None:
    """In axes that do not turn, velocity is the derivative of position, and in flight gravity alone acts.

    Central differences over two intervals of 0.5 s are wrong by h^2/6 times the third derivative: a cube that falls at
    g = gm/r^2 with 3e-4 m/s^2, carried about by a spin of 0.02 rad/s at 41 m, has at most omega^3 r = 3.3e-4 m/s^3 of
    jerk in P and far less in I.
    """
    (path,) = planetfall.export(ball_run, "oem", tmp_path / "run.oem", epoch=EPOCH, frame="inertial")
    (segment,) = opened_oem(path).segments
    assert segment.metadata["REF_FRAME"] == "PLANETFALL_I"
    states = list(segment.states)
    position = 1e3 * np.array([state.position for state in states])
    velocity = 1e3 * np.array([state.velocity for state in states])
    times = seconds_after(states[0].epoch, [state.epoch for state in states])
    in_flight = np.flatnonzero(times < 4.0)[1:-1]
    even = [i for i in in_flight if np.isclose(times[i + 1] - times[i], times[i] - times[i - 1])]
    assert len(even) > 3
    for i in even:
        h = times[i + 1] - times[i]
        np.testing.assert_allclose((position[i + 1] - position[i - 1]) / (2 * h), velocity[i], atol=1e-4 * h**2)
        pull = -0.5 * position[i] / np.linalg.norm(position[i]) ** 3
        np.testing.assert_allclose((velocity[i + 1] - velocity[i - 1]) / (2 * h), pull, atol=1e-6)


def standard_matrix(q: np.ndarray) -> np.ndarray:
    """Attitude matrix of a quaternion as the ADM gives it (504.0-B-1, annex): components in A to components in B."""
    q1, q2, q3, qc = q
    return np.array(
        [
            [q1**2 - q2**2 - q3**2 + qc**2, 2 * (q1 * q2 + q3 * qc), 2 * (q1 * q3 - q2 * qc)],
            [2 * (q1 * q2 - q3 * qc), -(q1**2) + q2**2 - q3**2 + qc**2, 2 * (q2 * q3 + q1 * qc)],
            [2 * (q1 * q3 + q2 * qc), 2 * (q2 * q3 - q1 * qc), -(q1**2) - q2**2 + q3**2 + qc**2],
        ]
    )


@pytest.mark.parametrize("frame", ["surface", "inertial"])
def test_aem_turns_the_frame_into_the_body(frame: str, ball_run: planetfall.Trajectory, tmp_path: Path) -> None:
    """What the standard's matrix makes of a body axis in the frame is that axis in the body."""
    (path,) = planetfall.export(ball_run, "aem", tmp_path / "run.aem", epoch=EPOCH, time_system="TDB", frame=frame)
    message = opened_aem(path)
    (segment,) = message.body.segment
    about = segment.metadata
    assert (about.ref_frame_a, about.ref_frame_b) == (f"PLANETFALL_{'P' if frame == 'surface' else 'I'}", "SC_BODY_1")
    assert (about.time_system.value, about.attitude_dir.value) == ("TDB", "A2B")
    data = ball_run.data
    R_SB = Rotation.from_quat(data.quaternion.values[:, 0]).as_matrix()
    if frame == "inertial":
        spin = Rotation.from_rotvec(np.outer(data.time.values, [0.0, 0.0, 0.02]))
        R_SB = (Rotation.from_quat([0.0, 0.0, 0.28, 0.96]) * spin).as_matrix() @ R_SB
    rows = segment.data.attitude_state
    for row, axes in list(zip(rows, R_SB, strict=False))[:: len(rows) // 7]:
        found = row.quaternion_state.quaternion
        q = np.array([float(getattr(part, "value", part)) for part in (found.q1, found.q2, found.q3, found.qc)])
        np.testing.assert_allclose(standard_matrix(q) @ axes, np.eye(3), atol=1e-12)


def test_one_body_of_several(tmp_path: Path) -> None:
    """A message is about one object, so that it has to be named."""
    run = planetfall.run(bridles().with_values({"scenario.duration": 0.2}))
    (path,) = planetfall.export(run, "oem", tmp_path / "two.oem", epoch=EPOCH, frame_name="SITE", body="high")
    (segment,) = opened_oem(path).segments
    assert (segment.metadata["OBJECT_NAME"], segment.metadata["REF_FRAME"]) == ("high", "SITE")
    np.testing.assert_allclose(next(iter(segment.states)).position, [0.0, 0.0, 3.6e-3])
    with pytest.raises(planetfall.InputError, match="the run has 2 vehicles; expected one of low, high"):
        planetfall.export(run, "oem", tmp_path / "other.oem", epoch=EPOCH)
    with pytest.raises(planetfall.InputError, match=r"target\.name or target\.center"):
        planetfall.export(run, "aem", tmp_path / "run.aem", epoch=EPOCH, frame="inertial", body="low")


def test_epoch_of_the_scenario(drop_run: planetfall.Trajectory, tmp_path: Path) -> None:
    from dataclasses import replace

    dated = drop_run.scenario.with_values({"target.epoch": "2030-01-31T23:59:59", "target.time_system": "TDB"})
    (path,) = planetfall.export(replace(drop_run, scenario=dated), "oem", tmp_path / "dated.oem")
    (segment,) = opened_oem(path).segments
    assert segment.metadata["TIME_SYSTEM"] == "TDB"
    assert list(segment.states)[-1].epoch.isot.startswith("2030-02-01T00:00:00.5")


@pytest.mark.parametrize(
    "options, says",
    [
        ({}, "give --epoch"),
        ({"epoch": "yesterday"}, "'yesterday' is not an instant"),
        ({"epoch": "2026-13-01T00:00:00"}, "month must be in 1..12"),
        ({"epoch": EPOCH, "time_system": "GPS"}, "one of UTC, TAI, TT, TDB"),
        ({"epoch": EPOCH + "Z", "time_system": "TDB"}, "ends in Z"),
        ({"epoch": EPOCH, "frame": "moon"}, "one of surface, inertial"),
        ({"epoch": EPOCH, "speed": 3}, "one of epoch, time_system"),
    ],
)
def test_bad_options_are_told(options: dict, says: str, drop_run: planetfall.Trajectory, tmp_path: Path) -> None:
    with pytest.raises(planetfall.InputError, match=says):
        planetfall.export(drop_run, "oem", tmp_path / "run.oem", **options)
    assert not list(tmp_path.iterdir())
