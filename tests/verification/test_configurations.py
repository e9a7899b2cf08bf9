"""Aerodynamics and contact points that count while something is attached, or once it is released.

One capsule for all: it falls through air of one density, drops its heat shield, then its ballast, and each time has
coefficients and contact points of its own.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall import InputError, Scenario, Trajectory
from planetfall.analysis.run.validity import validity_notes
from planetfall.campaign.replay import replay

GRAVITY, DENSITY = 3.71, 0.5
MASS, SHIELD, BALLAST = 300.0, 80.0, 20.0
ADAPTIVE = {"method": "adaptive", "tolerance": 1e-10, "max_step": 1.0}
RK4 = {"method": "rk4", "step": 1.0 / 256.0, "accept_step": True}
ANCHOR = {
    "law": "anchor", "rest_penetration": 0.02, "damping_ratio": 0.3, "friction_static": 0.8, "friction_kinetic": 0.3,
    "anchor_rule": "leash",
}  # fmt: skip
GLOBE = {"terrain": {"model": "sdf", "shape": "ellipsoid", "half_sizes": [60.0, 60.0, 60.0], "resolution": 2.0}}
HALF_ANGLE, BLUNTNESS, PRESSURE = np.radians(60.0), 0.5, 1.6
CONE = PRESSURE * (
    (1.0 - BLUNTNESS**2 * np.cos(HALF_ANGLE) ** 2) * np.sin(HALF_ANGLE) ** 2
    + BLUNTNESS**2 * (1.0 - np.sin(HALF_ANGLE) ** 4) / 2.0
)
"""Axial coefficient of a sphere-cone at no angle of attack, by Newton's law of pressure."""
DRAG_AREAS = np.pi / 4.0 * np.array([1.6 * 3.0**2, 1.0 * 2.6**2, CONE * 2.0**2])
"""C S [m^2] with everything on, without the shield, and without the ballast too."""
CORNERS = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]
SHIELD_POINTS = {f"shield {i}": (x, y, -1.2) for i, (x, y) in enumerate(CORNERS)}
LEGS = {f"leg {i}": (x, y, -1.21) for i, (x, y) in enumerate(CORNERS)}
"""At their places on the capsule [m]; 1 cm lower than those of the shield."""


def drag(coefficient: float, diameter: float) -> dict[str, Any]:
    return {"model": "drag", "drag_coefficient": coefficient, "diameter": diameter}


def part(name: str, mass: float, place: float, release: float) -> dict[str, Any]:
    """Something on the capsule's axis that falls faster than it, with a point that stays above the ground."""
    points = [{"name": "middle", "position": [0.0, 0.0, 0.0]}]
    vehicle = {"name": name, "mass": mass, "inertia": [mass, mass, mass], "points": points}
    fixed = {"to": "capsule", "position": [0.0, 0.0, place], "release": {"after": release}}
    return {"vehicle": {**vehicle, "aerodynamics": drag(0.5, 0.6)}, "initial": {"attached": fixed}}


def capsule(**values: Any) -> Scenario:
    """The shield leaves after 10 s, the ballast after 20 s."""
    points = [{"name": name, "position": place, "while_attached": "shield"} for name, place in SHIELD_POINTS.items()]
    points += [{"name": name, "position": place, "after_release": ["shield"]} for name, place in LEGS.items()]
    cone = {
        "model": "newtonian", "diameter": 2.0, "half_angle_deg": 60.0, "nose_radius": BLUNTNESS, "mach": [0.0],
        "pressure_coefficient": [PRESSURE], "nose": [0.0, 0.0, -1.0], "heating_constant": 1.9e-4,
    }  # fmt: skip
    tables = {
        "scenario": {"name": "capsule", "duration": 30.0},
        "gravity": {"model": "uniform", "acceleration": GRAVITY},
        "terrain": {"model": "plane"},
        "atmosphere": {
            "model": "exponential", "density": DENSITY, "scale_height": 1e15, "temperature": 210.0,
            "gas_constant": 191.4, "heat_ratio": 1.33,
        },
        "vehicle": {
            "name": "capsule", "mass": MASS, "inertia": [90.0, 100.0, 110.0], "points": points,
            "aerodynamics": drag(1.6, 3.0),
            "configurations": [
                {"after_release": "shield", "while_attached": "ballast", "aerodynamics": drag(1.0, 2.6)},
                {"after_release": ["shield", "ballast"], "aerodynamics": cone},
            ],
        },
        "initial": {"position": [0.0, 0.0, 3000.0], "velocity": [0.0, 0.0, -40.0]},
        "companions": [part("shield", SHIELD, -0.3, 10.0), part("ballast", BALLAST, 0.3, 20.0)],
        "contact": {
            "law": "marker", "rest_penetration": 0.01, "damping_ratio": 0.3, "breakaway_angle_deg": 32.0,
            "sliding_angle_deg": 27.0, "breakaway_speed": 0.05, "sliding_speed": 0.1,
        },
        "integrator": ADAPTIVE, "record": {"interval": 0.25},
    }  # fmt: skip
    return Scenario.from_dict(tables).with_values(values)


def low(height: float, release: float, **values: Any) -> Scenario:
    """Let go so high [m] over the ground, for a few seconds; the shield is released, and the ballast is not."""
    return capsule(**{
        "initial.position": [0.0, 0.0, height], "initial.velocity": [0.0, 0.0, 0.0],
        "companions.0.initial.attached.release.after": release, "scenario.duration": 4.0,
        "companions.1.initial.attached.release.after": 50.0, **values,
    })  # fmt: skip


def fall(speed: float, mass: float, area: float, time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Way [m] and speed [m/s] of a fall with drag by the square of the speed, in closed form."""
    terminal = np.sqrt(2.0 * mass * GRAVITY / (DENSITY * area))
    s = GRAVITY * time / terminal
    share = speed / terminal
    way = terminal**2 / GRAVITY * (np.log(np.cosh(s)) + np.log1p(share * np.tanh(s)))
    return way, terminal * (share + np.tanh(s)) / (1.0 + share * np.tanh(s))


def touched(run: Trajectory) -> set[str]:
    """Names of the points that have touched the ground."""
    names = run.data.point.values
    return {str(names[event.point]) for event in run.events if event.kind == "touch"}


def test_the_fall_in_each_configuration_is_that_of_theory() -> None:
    """Three falls, one after the other, each from where the one before ended, with its mass and its coefficients.

    The tolerance of 1e-10 a step, over some hundred steps; the instant of a release is located to 1e-11 s or so. At the
    end of each fall the speed is near its terminal one.
    """
    data = planetfall.run(capsule()).data
    time, height, speed = data.time.values, data.position.values[:, 0, 2], -data.velocity.values[:, 0, 2]
    start, down = 40.0, 3000.0
    masses = MASS + SHIELD + BALLAST, MASS + BALLAST, MASS
    for (begin, end), mass, area in zip(pairwise([0.0, 10.0, 20.0, 30.0]), masses, DRAG_AREAS, strict=True):
        now = (time >= begin) & (time <= end)
        way, found = fall(start, mass, area, time[now] - begin)
        np.testing.assert_allclose(speed[now], found, rtol=1e-8)
        np.testing.assert_allclose(height[now], down - way, atol=1e-6)
        start, down = float(found[-1]), down - float(way[-1])
        terminal = np.sqrt(2.0 * mass * GRAVITY / (DENSITY * area))
        assert abs(start / terminal - 1.0) < 2.0 * np.exp(-2.0 * GRAVITY * 10.0 / terminal)
    assert np.isnan(data.heating.values[time < 19.0, 0]).all()  # without a nose radius
    assert (data.heating.values[time > 20.5, 0] > 0.0).all()
    assert np.isnan(data.contact_gap.sel(point="leg 0").values[time < 9.9]).all()
    assert np.isnan(data.contact_gap.sel(point="shield 0").values[time > 10.1]).all()


def test_no_peak_is_beyond_the_jump_at_a_release() -> None:
    """Without its shield the capsule brakes at once, then ever less: the largest load is that of the first sample.

    It is at most the load just after the release, and no less than that 0.1 s later, which is more than a step; a
    parabola through the samples on both sides has its top 4 % above.
    """
    braking = {"vehicle.configurations.0.aerodynamics.drag_coefficient": [4.0], "initial.velocity": [0.0, 0.0, -20.0]}
    summary = planetfall.run(capsule(**braking)).summary
    area, mass = 4.0 * np.pi / 4.0 * 2.6**2, MASS + BALLAST
    speed = fall(20.0, mass + SHIELD, DRAG_AREAS[0], np.array([10.0]))[1][0]
    later = fall(speed, mass, area, np.array([0.1]))[1][0]
    least, most = (0.5 * DENSITY * v**2 * area / mass / 9.80665 for v in (later, speed))
    assert least < summary["peak_g"] < most
    assert 10.0 < summary["peak_g_s"] < 10.1


def test_nothing_jumps_at_a_release_but_the_force_of_the_air() -> None:
    """The frame at the release of one run is that of another which keeps its shield, but for the force.

    The forces are the coefficients times the same pressure: their ratio is that of C S to rounding.
    """
    one, other = (
        planetfall.run(capsule(**{
            "integrator": RK4, **GLOBE, "scenario.duration": 2.0, "companions.0.initial.attached.release.after": release
        })).data.sel(time=1.5)
        for release in (1.5, 1.75)
    )  # fmt: skip
    assert [float(data.attached.values[1]) for data in (one, other)] == [0.0, 1.0]
    for name in ("position", "velocity", "quaternion", "angular_velocity"):
        np.testing.assert_array_equal(one[name].values, other[name].values)
    after, before = (data.aero_force.values[0, 2] for data in (one, other))
    assert after / before == pytest.approx(DRAG_AREAS[1] / DRAG_AREAS[0], rel=1e-15)


def test_the_shield_lands_while_it_is_on_and_the_legs_once_it_is_gone() -> None:
    """Only the points that count carry the capsule, which comes to rest so high that the others would be elsewhere."""
    on, off = (planetfall.run(low(1.6, release)) for release in (50.0, 0.0))
    assert touched(on) == set(SHIELD_POINTS)
    assert touched(off) - {"shield.middle", "ballast.middle"} == set(LEGS)
    for run, points, depth in ((on, SHIELD_POINTS, 1.2), (off, LEGS, 1.21)):
        force = run.data.contact_normal_force
        carried = float(force.sel(point=list(points)).sum("point")[-1])
        assert carried == pytest.approx(force.values[-1, :8].sum())
        assert carried > 0.5 * MASS * GRAVITY
        assert depth - 0.02 < run.data.position.values[-1, 0, 2] < depth


@pytest.mark.parametrize(
    ("values", "closeness"),
    [
        ({"integrator": ADAPTIVE}, 1e-9),
        ({"integrator": RK4, "contact": ANCHOR}, 1e-9),
        # legs and shield are along the axis, not the normals, whose cosine is 1 - 2.8e-4, in a field of 2 m cells
        ({"integrator": RK4, **GLOBE, "initial.position": [0.0, 0.0, 61.3]}, 1e-3),
    ],
    ids=["adaptive", "anchored", "distance field"],
)
def test_points_that_change_over_in_the_ground_book_their_energy(values: dict[str, Any], closeness: float) -> None:
    """A capsule that stands on its shield loses it, with the legs 1 cm deeper in the ground than the shield was.

    Work of the separation, or of anchors, is the energy of the springs that begin less that of those that cease, K
    delta^2/2 each; the account is as closed after it as before, to the rounding of 2 kJ. Each leg is told. The instant
    is located to a tenth of a step at most, as little moves.
    """
    run = planetfall.run(low(1.3, 3.0, **values))
    data = run.data
    first = int(np.argmax(data.attached.values[:, 1] == 0.0))
    force, gap = (data[name].values[first, :8] for name in ("contact_normal_force", "contact_gap"))
    assert data.time.values[first] == pytest.approx(3.0, abs=1e-3)
    assert (force[:4] == 0.0).all() and (force[4:] > 0.0).all()
    stored = 0.5 * run.summary["stiffness_N_m"] * (gap[4:] ** 2 - (gap[4:] + 0.01) ** 2)  # all are at the same corners
    names = [name for name in map(str, data.data_vars) if name.startswith("work_")]
    work = {name: float(np.diff(data[name].values[first - 1 : first + 1])[0]) for name in names}
    assert work["work_separation"] + work.get("work_anchor", 0.0) == pytest.approx(stored.sum(), rel=closeness)
    gained = float(np.diff(data.energy_total.values[first - 1 : first + 1])[0])
    assert abs(gained - sum(work.values())) < 1e-9
    assert [found["depth_m"] for found in run.summary["began_in_ground"]] == pytest.approx(-gap[4:])
    assert "leg 3 was" in " ".join(validity_notes(run.scenario, data, run.summary))


def test_coefficients_of_each_configuration_are_dispersed(tmp_path: Any) -> None:
    """Runs end where their replays do, to the last bit, and each factor changes the end by itself."""
    keys = ["vehicle.aerodynamics.axial_factor", "vehicle.configurations.0.aerodynamics.axial_factor"]
    ends = []
    for i, chosen in enumerate((keys[:1], keys[1:], keys)):
        scenario = capsule(**{
            "dispersions": {key: {"distribution": "uniform", "low": 0.8, "high": 1.2} for key in chosen},
            "scenario.duration": 15.0,
        })  # fmt: skip
        folder = tmp_path / str(i)
        heights = planetfall.montecarlo(scenario, n=2, seed=1, out=folder).data["z_m"].values
        assert len(set(heights)) == 2
        assert [float(replay(folder, k).data.position[-1, 0, 2]) for k in (0, 1)] == list(heights)
        ends.append(tuple(heights))
    assert len(set(ends)) == 3


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            {"vehicle.points.0.while_attached": "mast"},
            "vehicle.points.0.while_attached: nothing called 'mast' is attached to capsule; there is shield, ballast",
        ),
        (
            {"companions.0.vehicle.points.0.after_release": "capsule"},
            "nothing called 'capsule' is attached to shield; nothing is",
        ),
        (
            {"vehicle.points.0.after_release": "shield"},
            "shield cannot be attached and released, so that it would never count",
        ),
        ({"companions.0.initial.attached": {"to": "capsule", "position": [0, 0, 0]}}, "nothing releases shield"),
        (
            {"vehicle.configurations.1": {"after_release": "ballast", "aerodynamics": drag(1.0, 1.0)},
             "vehicle.configurations.0.while_attached": None},
            "configurations.1: it may count at once with configurations.0",
        ),
        ({"vehicle.configurations.0.aerodynamics.attitude": "trim"}, "must be the same in all configurations"),
        ({"vehicle.aerodynamics": None}, "vehicle.aerodynamics: missing; it holds where none of its configurations"),
        ({"vehicle.configurations.0": {"aerodynamics": drag(1.0, 1.0)}}, "while_attached: missing"),
    ],
)  # fmt: skip
def test_conditions_that_cannot_be_are_refused_in_words(values: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        capsule(**values)
