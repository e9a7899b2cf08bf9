"""Rovers from URDF files: what is read, what is named as missing, and what is refused."""

import os
import re
from pathlib import Path

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.rover.model import rover_model
from planetfall.scenario.drive import load_drive
from planetfall.scenario.files.rover_library import load_rover
from planetfall.scenario.files.rover_urdf import MAX_JOINTS, read_rover_urdf
from planetfall.scenario.tables.rover import LinkagePoints
from support.urdf_files import robot


def written(folder: Path, text: str | bytes) -> str:
    path = folder / "bench.urdf"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


@pytest.mark.parametrize("up", [1.0, -1.0])
def test_masses_inertia_wheels_and_torques_are_read(up: float, tmp_path: Path) -> None:
    """Sums over the links: the wheels of both sides are centred at x = 0, 0.2 m below the axis. Inertia by Steiner."""
    found = read_rover_urdf(written(tmp_path, robot(up)))
    assert found.gaps == {}
    assert found.values["mass"] == pytest.approx(13.0)
    center = np.array([10 * 0.05, 0.0, 10 * 0.02 - 3 * 0.2]) / 13
    np.testing.assert_allclose(found.values["center_of_mass"], center, atol=1e-12)
    assert found.values["wheels"] == {"offset": [0.0, 0.0, 0.0], "radius": 0.1, "width": 0.08, "torque_max": 4.0}
    assert (found.values["bogie"], found.values["track"]) == ("front", pytest.approx(0.6))
    expected = np.array([[0.2, 0, up * 0.01], [0, 0.3, 0], [up * 0.01, 0, 0.4]]) + np.diag([0.006, 0.012, 0.006])
    places = [np.array([x, y, -0.2]) for x in (-0.4, 0.0, 0.4) for y in (-0.3, 0.3)]
    for m, p in [(10.0, np.array([0.05, 0.0, 0.02])), *((0.5, p) for p in places)]:
        d = p - center
        expected = expected + m * (d @ d * np.eye(3) - np.outer(d, d))
    assert found.inertia_B is not None
    np.testing.assert_allclose(found.inertia_B, expected, atol=1e-12)


def test_a_drive_takes_the_rover_of_a_file_and_nothing_of_the_one_before(tmp_path: Path) -> None:
    flat, file = load_drive("lsr1-flat"), written(tmp_path, robot())
    rover = flat.with_values({"rover.urdf": file, "rover.speed": 0.05}).rover
    assert (rover.name, rover.mass, rover.speed, rover.wheels.torque_max) == ("bench", 13.0, 0.05, 4.0)
    assert rover.urdf is None  # the numbers stand for the file: a saved drive does not need it
    read = "mass 13 kg, wheels.radius 0.1 m, wheels.torque_max 4 N m"
    assert rover.source == f"URDF bench.urdf, robot bench; from the file {read}"
    heavier = flat.with_values({"rover.urdf": file, "rover.name": "sojourner", "rover.mass": 20.0}).rover
    assert (heavier.name, heavier.mass, heavier.track) == ("sojourner", 20.0, pytest.approx(0.6))
    assert "from the file wheels.radius 0.1 m, wheels.torque_max 4 N m" in heavier.source


def test_a_width_from_the_built_in_rover_is_told(tmp_path: Path) -> None:
    """It is no gap, as only soil needs it."""
    meshes = written(tmp_path, robot(wheel='<mesh filename="wheel.stl"/>'))
    borrowed = load_rover("sojourner", {"urdf": meshes})
    assert borrowed.wheels.width > 0.0
    assert "lacks wheels.radius, wheels.width, taken from sojourner" in borrowed.source
    given = load_rover("sojourner", {"urdf": meshes, "wheels": {"width": 0.07}})
    assert "lacks wheels.radius, taken from sojourner" in given.source
    cylinders = load_rover("sojourner", {"urdf": written(tmp_path, robot())})
    assert "wheels.width" not in cylinders.source


def test_efforts_that_differ_are_told(tmp_path: Path) -> None:
    """The weakest motor is that of all wheels."""
    found = read_rover_urdf(file := written(tmp_path, robot().replace('effort="4.0"', 'effort="6.0"', 2)))
    assert found.values["wheels"]["torque_max"] == 4.0
    words = "the efforts of its wheels differ, 4 to 6 N m; the least is that of all"
    assert found.notes == {"wheels.torque_max": words}
    assert words in load_rover("lsr-1", {"urdf": file}).source
    assert words not in load_rover("lsr-1", {"urdf": file, "wheels": {"torque_max": 5.0}}).source


def test_keys_beside_the_file_in_toml_come_first(tmp_path: Path) -> None:
    """And the file is beside the drive that names it, wherever one stands."""
    written(tmp_path, robot(wheel='<mesh filename="wheel.stl"/>', effort=None))
    text = '[rover]\nurdf = "bench.urdf"\nmass = 12.0\n'
    rest = """[scenario]
name = "own"
[gravity]
model = "uniform"
acceleration = 3.71
[terrain]
model = "plane"
[soil]
law = "coulomb"
friction = 0.8
[path]
waypoints = [[0.0, 0.0], [1.0, 0.0]]
"""
    drive = tmp_path / "own.toml"
    drive.write_text(text + rest)
    with pytest.raises(InputError, match=r"rover\.wheels\.radius: the wheel on .* is made of mesh.*torque_max"):
        load_drive(str(drive))
    drive.write_text(text + "wheels = {radius = 0.1, torque_max = 3.0}\n" + rest)
    rover = load_drive(str(drive)).rover
    assert (rover.mass, rover.wheels.radius, rover.wheels.torque_max) == (12.0, 0.1, 3.0)
    assert "lacks wheels.radius, wheels.torque_max, which the scenario gives" in rover.source


def limited(text: str, **limits: tuple[float, float]) -> str:
    """The joints of these names turn within limits [rad]."""
    for name, (lower, upper) in limits.items():
        begin = text.index(f'<joint name="{name}"')
        end = text.index("</joint>", begin)
        joint = text[begin:end].replace("continuous", "revolute") + f'<limit lower="{lower}" upper="{upper}"/>'
        text = text[:begin] + joint + text[end:]
    return text


@pytest.mark.parametrize("up", [1.0, -1.0])
def test_limits_of_rockers_and_bogies_are_their_stops(up: float, tmp_path: Path) -> None:
    rockers = {"right_rocker": (-0.5, 0.5), "left_rocker": (-0.5, 0.5)}
    bogies = {"right_bogie": (-0.6, 0.6), "left_bogie": (-0.6, 0.6)}
    file = written(tmp_path, limited(robot(up), **rockers, **bogies))
    assert read_rover_urdf(file).notes == {}
    rover = load_drive("lsr1-flat").with_values({"rover.urdf": file}).rover
    assert rover.rocker_stop_deg == pytest.approx(np.degrees(0.5), abs=1e-9)
    assert rover.bogie_stop_deg == pytest.approx(np.degrees(0.6), abs=1e-9)
    assert "by the limits of its joints rocker_stop_deg 28.65, bogie_stop_deg 34.38" in rover.source
    given = load_drive("lsr1-flat").with_values({"rover.urdf": file, "rover.bogie_stop_deg": 20.0}).rover
    assert given.bogie_stop_deg == 20.0
    assert "bogie_stop_deg" not in given.source


@pytest.mark.parametrize(
    ("limits", "key", "stop", "words"),
    [
        # the differential turns one rocker up by as much as the other down: the narrower way holds both, exactly
        ({"right_rocker": (-0.2, 0.5), "left_rocker": (-0.2, 0.5)}, "rocker_stop_deg", 0.2, ""),
        ({"right_rocker": (-0.2, 0.5), "left_rocker": (-0.5, 0.2)}, "rocker_stop_deg", 0.2, "not the same both ways"),
        ({"right_rocker": (-0.4, 0.4)}, "rocker_stop_deg", 0.4, ""),
        ({"right_bogie": (-0.2, 0.6), "left_bogie": (-0.2, 0.6)}, "bogie_stop_deg", 0.2, "not the same both ways"),
        ({"right_bogie": (-0.2, 0.6), "left_bogie": (-0.6, 0.2)}, "bogie_stop_deg", 0.2, "not the same both ways"),
        ({"right_bogie": (0.0, 0.0)}, "bogie_stop_deg", None, "no stop is read from them"),
        ({"right_bogie": (-6.3, 6.3), "left_bogie": (-6.3, 6.3)}, "bogie_stop_deg", None, ""),
    ],
)  # fmt: skip
def test_limits_that_are_no_stop_are_told(
    limits: dict, key: str, stop: float | None, words: str, tmp_path: Path
) -> None:
    file = written(tmp_path, limited(robot(), **limits))
    found = read_rover_urdf(file)
    assert found.values.get(key) == (None if stop is None else pytest.approx(np.degrees(stop), abs=1e-9))
    assert words in found.notes.get(key, "")
    assert bool(words) == (key in found.notes)
    assert found.notes.get(key, "") in load_rover("lsr-1", {"urdf": file}).source


def lifted(text: str, dz: float) -> str:
    """The rear wheels that much higher [m]."""
    rear, z = r'(<child link="(?:right|left)_rear"/><origin xyz="\S+ \S+) (\S+)"', -0.2
    text, n = re.subn(rear, lambda found: f'{found[1]} {float(found[2]) + dz:.12g}"', text)
    assert n == 2
    assert f" {z + dz:.12g}" in text
    return text


def test_wheels_that_are_level_but_for_rounding_stand_level(tmp_path: Path) -> None:
    """A frame turned by rpy 1.5708 in place of pi/2 puts a wheel 0.1 m aside 0.4 um off."""
    rover = load_rover("lsr-1", {"urdf": written(tmp_path, lifted(robot(), 4e-7))})
    assert isinstance(rover.linkage, LinkagePoints)
    assert rover.linkage.rear[1] == rover.linkage.middle[1] == rover.linkage.front[1]
    assert rover.linkage.rear[1] - rover.linkage.axis[1] == pytest.approx(-0.2 + 4e-7 / 3, abs=1e-12)
    assert rover_model(rover).length == pytest.approx(1.0)
    with pytest.raises(InputError, match=r"rear -0\.195, middle -0\.2, front -0\.2 m; .*all joints at zero"):
        rover_model(load_rover("lsr-1", {"urdf": written(tmp_path, lifted(robot(), 5e-3))}))


def test_wheels_that_turn_about_x_are_told(tmp_path: Path) -> None:
    text = robot().replace('axis xyz="0 1 0"', 'axis xyz="1 0 0"')
    with pytest.raises(InputError, match=r"6 wheel joints \(right_middle, .*point forward \(x\).*sideways \(y\)"):
        read_rover_urdf(written(tmp_path, text))


def two_joints_to_one(depth: int) -> str:
    """Every link holds the next by two joints: as a tree this would be 2^depth joints."""
    joints = [
        f'<joint name="j{i}_{k}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/></joint>'
        for i in range(depth)
        for k in range(2)
    ]
    return f'<robot name="x">{"".join(joints)}</robot>'


ONE = '<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/><origin xyz="{3}"/></joint>'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f'<robot>{ONE.format("j", "a", "b", "0 0 0")}</robot>', "0 joints with a lateral axis hold three wheels"),
        (f'<robot>{ONE.format("j", "a", "b", "0 nonsense 0")}</robot>', "three numbers"),
        (f'<robot>{ONE.format("j", "a", "b", "0 inf 0")}</robot>', "three numbers"),
        (two_joints_to_one(40), "link 'l1' has two parent joints, 'j0_0' and 'j0_1'"),
        (f'<robot>{ONE.format("j", "a", "b", "0 0 0")}{ONE.format("k", "b", "a", "0 0 0")}</robot>', "form a loop"),
        (f'<robot>{ONE.format("j", "a", "a", "0 0 0")}</robot>', "form a loop"),
        ("<robot>" + "".join(ONE.format(i, i, i + 1, "0 0 0") for i in range(200)) + "</robot>", "chain of more"),
        ("<robot>" + "".join(ONE.format(i, "a", i, "0 0 0") for i in range(MAX_JOINTS + 1)) + "</robot>", "more than"),
        ("<robot>", "not XML"),
        ("<sdf></sdf>", "<robot>"),
        ('<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro/></robot>', "xacro macros"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><robot/>', "DOCTYPE"),
        ('<?xml version="1.0" encoding="utf-16"?><!DOCTYPE x [<!ENTITY a "b">]><robot/>'.encode("utf-16"), "DOCTYPE"),
        (b"\xff\xfe\x00", "not XML"),
        (robot().replace('mass value="10"', 'mass value="-10"'), "-10 kg"),
        (robot().replace('mass value="10"', 'mass value="ten"'), "a number"),
        (robot().replace('radius="0.1"', 'radius="0.2"', 1), "wheels differ"),
        (robot().replace('axis xyz="0 1 0"', 'axis xyz="0 0 0"', 1), "axis of no length"),
        (robot().replace('axis xyz="0 1 0"', 'axis xyz="0 1e308 0"', 1), "three numbers, at most 1e[+]30"),
    ],
)  # fmt: skip
def test_files_that_hold_no_rover_are_refused(text: str | bytes, words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=words):
        read_rover_urdf(written(tmp_path, text))


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_rover_urdf(tmp_path / "none.urdf")
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(InputError, match="is no file"):
            read_rover_urdf(path)
    with pytest.raises(InputError, match="the name of a URDF file"):
        load_rover("msl-class", {"urdf": 3})
