"""A point that is pressed into the corner of ground and rock: with a fillet both push, and it comes to rest there.

A point mass on level ground is pushed against a wall by F_x, its weight being F_z. Where both push, at the gap g of
their union, K g h = -F_z and K g (1 - h) = -F_x, so that it rests with g = -(F_x + F_z)/K, whatever the fillet, and its
depths in ground and wall differ by (2 h - 1) w.
"""

from __future__ import annotations

from functools import lru_cache

import pytest

import planetfall
from planetfall.world.terrain.ground import make_surface

MASS, GRAVITY, DEPTH, PUSH = 2.0, 1.6, 0.01, 2.0
STIFFNESS = MASS * GRAVITY / DEPTH
FILLET = 0.01 * DEPTH
"""Of a scenario that gives none."""


@lru_cache
def pushed(method: str) -> planetfall.Trajectory:
    return planetfall.run(corner(method))


def corner(method: str) -> planetfall.Scenario:
    """From a centimetre before the wall, at 0.1 m/s; to 6 s."""
    methods = {"rk4": {"method": "rk4", "step": 1e-4}, "adaptive": {"method": "adaptive", "tolerance": 1e-9}}
    return planetfall.Scenario.from_dict(
        {
            "scenario": {"name": "corner", "duration": 6.0},
            "gravity": {"model": "uniform", "acceleration": GRAVITY},
            "terrain": {
                "model": "plane",
                "added": [{"model": "plane", "normal": [-1.0, 0.0, 0.0], "point": [0.5, 0.0, 0.0]}],
            },
            "vehicle": {
                "name": "mass", "mass": MASS, "inertia": [1.0, 1.0, 1.0],
                "points": [{"name": "point", "position": [0.0, 0.0, 0.0]}],
            },
            "contact": {
                "law": "marker", "rest_penetration": DEPTH, "damping_ratio": 0.3, "breakaway_angle_deg": 20.0,
                "sliding_angle_deg": 15.0, "breakaway_speed": 0.02, "sliding_speed": 0.05,
            },
            "forces": [
                {"kind": "push", "direction": [1.0, 0.0, 0.0], "times": [0.0, 100.0], "magnitudes": [PUSH] * 2}
            ],
            "initial": {"position": [0.49, 0.0, -0.005], "velocity": [0.1, 0.0, -0.05]},
            "integrator": methods[method],
            "record": {"interval": 0.05},
            "outcome": {"stop_at_rest": False},
        }
    )  # fmt: skip


@pytest.mark.parametrize("method", ["adaptive", "rk4"])
def test_a_point_rests_in_the_corner_with_both_pushing(method: str) -> None:
    """After 6 s, ten times the slowest decay of creeping friction, to a thousandth of the load and of the depth."""
    run = pushed(method)
    force, weight = run.data.contact_force.values[-1, 0], MASS * GRAVITY
    assert force == pytest.approx([-PUSH, 0.0, weight], abs=1e-3 * weight)
    x, _, z = run.data.position.values[-1, 0]
    share = weight / (weight + PUSH)
    in_ground, in_wall = -z, x - 0.5
    assert in_ground - in_wall == pytest.approx((2.0 * share - 1.0) * FILLET, abs=1e-3 * FILLET)
    gap = -(share * in_ground + (1.0 - share) * in_wall) - FILLET * share * (1.0 - share)
    assert gap == pytest.approx(-(PUSH + weight) / STIFFNESS, rel=1e-3)


def test_error_control_takes_long_steps_there() -> None:
    """The corner's own frequency is sqrt((F_x + F_z)/(m w)), 160/s: some ten steps to a period while it rings."""
    run = pushed("adaptive")
    assert run.summary["outcome"] in ("settled", "timed_out")
    assert run.summary["steps"] < 10_000
    assert run.summary["energy_rise_J"] <= run.summary["energy_rise_bound_J"]
    assert run.summary["energy_closure_J"] < 1e-5


def test_it_is_a_hundredth_of_the_sink_unless_given_and_none_by_the_anchor_law() -> None:
    """That law feels one plane at a time."""
    scenario = corner("adaptive")
    anchored = {"law": "anchor", "rest_penetration": DEPTH, "damping_ratio": 0.3, "friction_static": 0.5}
    by_anchor = planetfall.Scenario.from_dict(
        {**scenario.model_dump(exclude_none=True), "contact": {**anchored, "friction_kinetic": 0.4}}
    )
    sharp = scenario.with_values({"terrain.fillet": 0.0})
    widths = [make_surface(each, "cpu").params.fillet for each in (scenario, sharp, by_anchor)]
    assert widths == [pytest.approx(FILLET), 0.0, 0.0]


def test_a_fillet_wider_than_meshes_are_measured_is_refused() -> None:
    with pytest.raises(planetfall.InputError, match=r"terrain\.fillet: 50 m is too wide: .*at most .* m"):
        planetfall.run(planetfall.load("msl-skycrane-rocks").with_values({"terrain.fillet": 50.0}))
