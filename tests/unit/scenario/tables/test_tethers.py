"""What tethers and companions refuse, and in which words."""

from __future__ import annotations

from typing import Any

import pytest

from planetfall.errors import InputError
from planetfall.scenario.files.load import scenario_from_dict
from support.tethered import body, line, tethered

START = ({"position": [0.0, 0.0, 0.0]}, {"position": [0.0, 0.0, 2.0]})
PLAIN: dict[str, Any] = {"length": 1.0, "stiffness": 10.0}


def scene(*tethers: dict[str, Any], **tables: Any) -> Any:
    return tethered((body("low", 1.0), START[0]), (body("high", 1.0), START[1]), list(tethers), **tables)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"stiffness": 10.0}, r"tethers\.0\.length: give either length, or times and lengths"),
        ({**PLAIN, "times": [0.0, 1.0], "lengths": [1.0, 2.0]}, r"tethers\.0\.length: give either"),
        ({"stiffness": 1.0, "times": [0.0, 1.0], "lengths": [1.0]}, r"tethers\.0\.lengths: 1 lengths for 2 times"),
        ({"stiffness": 1.0, "times": [1.0, 1.0], "lengths": [1.0, 2.0]}, r"tethers\.0\.times: instants must rise"),
        ({"stiffness": 1.0, "times": [0.0, 1.0], "lengths": [1.0, 0.0]}, r"tethers\.0\.lengths: must be positive"),
        ({**PLAIN, "brake_drag": 5.0}, r"tethers\.0\.full_length: a brake needs"),
        ({**PLAIN, "brake_force": 5.0}, r"tethers\.0\.brake_force: a brake needs"),
        (
            {**PLAIN, "brake_drag": 5.0, "full_length": 0.5, "taper_length": 0.1},
            r"tethers\.0\.full_length: 0\.5 m is shorter than length, 1\.0 m",
        ),
        (
            {**PLAIN, "brake_drag": 5.0, "full_length": 2.0, "taper_length": 0.0},
            r"tethers\.0\.taper_length: must be positive",
        ),
        ({**PLAIN, "bodies": ["low", "low"]}, r"tethers\.0\.bodies: a tether joins two vehicles"),
        ({**PLAIN, "bodies": ["low", "hihg"]}, r"tethers\.0\.bodies: no vehicle is called 'hihg'; there are low, high"),
        ({**PLAIN, "cut_time": -1.0}, r"tethers\.0\.cut_time: must not be negative"),
        ({**PLAIN, "stiffness": 0.0}, r"tethers\.0\.stiffness: is .*; it must be greater than 0"),
    ],
)
def test_bad_tethers_are_named(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        scene(line(**keys))


def test_names_must_differ_and_methods_fit() -> None:
    with pytest.raises(InputError, match=r"tethers\.1\.name: line is taken"):
        scene(line(**PLAIN), line(**PLAIN))
    assert scene(line(**PLAIN), integrator={"method": "adaptive"}).runs_adaptively
    with pytest.raises(InputError, match=r"companions\.0\.vehicle\.name: low is taken"):
        tethered((body("low", 1.0), START[0]), (body("low", 1.0), START[1]), [])
    with pytest.raises(InputError, match=r"forces\.0\.body: no vehicle is called 'x'; there are low, high"):
        scene(
            forces=[{"kind": "push", "body": "x", "direction": [0.0, 0.0, 1.0], "times": [0, 1], "magnitudes": [1, 1]}]
        )


def test_a_companion_may_be_built_in() -> None:
    """By name, with some numbers changed; an unknown one is named with its place."""
    whole = scene(line(**PLAIN)).to_dict()
    whole["companions"][0]["vehicle"] = {"name": "msl-rover", "mass": 900.0}
    whole["tethers"][0]["bodies"] = ["low", "msl-rover"]
    whole["contact"] = {**whole["contact"]}
    companion = scenario_from_dict(whole).companions[0].vehicle
    assert companion.mass == 900.0 and len(companion.points) >= 4
    whole["companions"][0]["vehicle"] = {"name": "msl-rovr"}
    with pytest.raises(InputError, match=r"companions\.0\.vehicle\.name: no built-in vehicle 'msl-rovr'; did you mean"):
        scenario_from_dict(whole)


def test_first_length_of_a_table() -> None:
    """Held before the first row and after the last, linear in between."""

    def first(times: list[float]) -> float:
        return scene(line(stiffness=1.0, times=times, lengths=[1.0, 3.0])).tethers[0].first_length

    assert (first([1.0, 2.0]), first([-2.0, -1.0]), first([-1.0, 1.0])) == (1.0, 3.0, 2.0)
