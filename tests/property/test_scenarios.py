"""Any legal scenario survives a file: the same values come back, bit for bit."""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
import tomli_w
from hypothesis import example, given
from hypothesis import strategies as st

import planetfall
from planetfall.scenario.files.load import scenario_from_dict
from support.few import few

positive = st.floats(1e-12, 1e12)
numbers = st.one_of(st.just(0.0), positive, positive.map(lambda x: -x))
angles = st.just(0.0) | st.floats(1e-6, 89.0)
vectors = st.lists(numbers, min_size=3, max_size=3)
letters = st.characters(exclude_categories=["C", "Z"])
"""None that a terminal obeys: those are refused."""
names = st.text(letters, min_size=1, max_size=20)
words = st.text(letters, max_size=40)
titles = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=20)
"""Names that can name a folder too."""


def unit(size: int) -> st.SearchStrategy[list[float]]:
    part = st.floats(-1.0, 1.0).map(lambda x: x if abs(x) > 1e-12 else 0.0)
    parts = st.lists(part, min_size=size, max_size=size)
    return parts.filter(lambda v: np.linalg.norm(v) > 0.1).map(lambda v: (np.array(v) / np.linalg.norm(v)).tolist())


@st.composite
def inertias(draw: st.DrawFn) -> Any:
    """Of three point masses about their axes: sums of two squares always obey the triangle inequality."""
    a, b, c = (draw(st.floats(1e-3, 1e3)) for _ in range(3))
    return [b + c, a + c, a + b]


@st.composite
def contacts(draw: st.DrawFn) -> dict[str, Any]:
    low, high = sorted(draw(angles) for _ in range(2))
    speed = draw(st.floats(1e-6, 1e3))
    return {
        "law": "marker", "rest_penetration": draw(positive), "damping_ratio": draw(st.just(0.0) | st.floats(1e-6, 1e3)),
        "sliding_angle_deg": low, "breakaway_angle_deg": high, "breakaway_speed": speed,
        "sliding_speed": speed * draw(st.floats(1.001, 1e3)), "clamp": draw(st.booleans()),
        "mass_share": draw(st.sampled_from(["whole", "per-point"])),
        "loaded_points": draw(st.none() | st.integers(1, 100)), "reference_gravity": draw(st.none() | positive),
    }  # fmt: skip


forces = st.builds(
    lambda kind, direction, point, magnitudes, start: {
        "kind": kind, "direction": direction, "point": point, "magnitudes": magnitudes,
        "times": [start + i * max(1.0, abs(start)) for i in range(len(magnitudes))],
    },
    st.sampled_from(["push", "thruster"]), unit(3), vectors, st.lists(numbers, min_size=2, max_size=5),
    numbers,
)  # fmt: skip
integrators = st.one_of(
    st.fixed_dictionaries({"method": st.just("rk4"), "step": positive, "accept_step": st.booleans()}),
    st.fixed_dictionaries({"method": st.just("adaptive"), "tolerance": st.floats(1e-14, 1e-2), "max_step": positive}),
)
gravities = st.one_of(
    st.fixed_dictionaries({"model": st.just("uniform"), "acceleration": positive, "direction": unit(3)}),
    st.sampled_from([{"model": "point"}, {"model": "j2"}]),
)
scenarios = st.fixed_dictionaries(
    {
        "scenario": st.fixed_dictionaries({"name": titles, "title": words, "duration": positive}),
        "target": st.fixed_dictionaries(
            {"name": names, "gm": positive, "radius": positive, "j2": st.floats(1e-9, 1.0), "spin_rate": numbers,
             "spin_axis": unit(3), "center": st.none() | vectors}
        ),
        "gravity": gravities,
        "terrain": st.one_of(
            st.fixed_dictionaries({"model": st.just("plane"), "normal": unit(3), "point": vectors}),
            st.fixed_dictionaries(
                {"model": st.just("plane"), "slope_deg": angles, "aspect_deg": numbers,
                 "radius": st.none() | positive}
            ),
        ),
        "vehicle": st.fixed_dictionaries(
            {"name": names, "mass": positive, "inertia": inertias(), "up": unit(3), "points": st.lists(
                st.fixed_dictionaries({"name": names, "position": vectors}), max_size=4, unique_by=lambda p: p["name"]
            )}
        ),
        "contact": contacts(),
        "initial": st.fixed_dictionaries(
            {"position": vectors, "height": st.none() | positive, "velocity": vectors, "attitude": unit(4),
             "height_along": st.sampled_from(["vertical", "normal"]), "angular_velocity": vectors}
        ),
        "forces": st.lists(forces, max_size=3),
        "integrator": integrators,
        "record": st.fixed_dictionaries({"interval": positive}),
    }
)  # fmt: skip


def through_a_file(scenario: planetfall.Scenario) -> planetfall.Scenario:
    """What is written by `save` and read by `load`."""
    return scenario_from_dict(tomllib.loads(tomli_w.dumps(scenario.to_dict())))


@few(60)
@given(values=scenarios)
def test_round_trip(values: dict[str, Any]) -> None:
    scenario = scenario_from_dict(values)
    assert through_a_file(scenario).to_dict() == scenario.to_dict()


@few(40)
@given(values=scenarios, mass=positive, duration=positive)
def test_changing_a_key_and_back_changes_nothing(values: dict[str, Any], mass: float, duration: float) -> None:
    scenario = scenario_from_dict(values)
    there = scenario.with_values({"vehicle.mass": mass, "scenario.duration": duration})
    back = there.with_values({"vehicle.mass": scenario.vehicle.mass, "scenario.duration": scenario.scenario.duration})
    assert (there.vehicle.mass, there.scenario.duration) == (mass, duration)
    # both keys were changed, and are noted until a title is given
    assert back.with_values({"scenario.title": scenario.scenario.title}) == scenario


@few(200)
@given(attitude=unit(4))
@example(attitude=[0.5307856471964583, 0.5287788961673601, 0.10334767799855424, -0.6542008354859938])
def test_a_unit_quaternion_is_left_alone(attitude: list[float]) -> None:
    """Normalised once, it stays: scaling it again and again would walk through the last bits, file by file."""
    once = planetfall.load("sink-flat").with_values({"initial.attitude": attitude})
    assert through_a_file(once).initial.attitude == once.initial.attitude
