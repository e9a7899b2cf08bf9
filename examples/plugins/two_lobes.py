"""A gravity field of one's own: two point masses at rest in the surface frame, as of a body with two lobes.

    g = -sum GM_i (x - c_i)/|x - c_i|^3        U = -sum GM_i/|x - c_i|

Named in a scenario by `plugins = ["two_lobes.py"]`, it is selected by `[gravity] model = "two-lobes"`.
"""

from typing import Any, Literal

import warp as wp

from planetfall.plugins import GravityModel, GravityPart, Scenario, Table, Vec3, choice, quantity, register


class TwoLobesKeys(Table):
    """What a scenario gives under `[gravity]`."""

    model: Literal["two-lobes"] = choice("name of the field")
    first_gm: float = quantity("m^3/s^2", "of the first lobe", gt=0)
    second_gm: float = quantity("m^3/s^2", "of the second lobe", gt=0)
    first_center: Vec3 = quantity("m", "of the first lobe, surface frame")
    second_center: Vec3 = quantity("m", "of the second lobe, surface frame")


@wp.struct
class TwoLobesParams:
    """GM [m^3/s^2] and centres [m], surface frame."""

    first_gm: wp.float64
    second_gm: wp.float64
    first_center: wp.vec3d
    second_center: wp.vec3d


@wp.func
def pull(gm: wp.float64, r: wp.vec3d) -> wp.vec3d:
    """Of one point mass [m/s^2]."""
    distance = wp.length(r)
    return r * (-gm / (distance * distance * distance))


@wp.func
def acceleration(p: TwoLobesParams, position: wp.vec3d) -> wp.vec3d:
    """g [m/s^2], surface frame."""
    return pull(p.first_gm, position - p.first_center) + pull(p.second_gm, position - p.second_center)


@wp.func
def potential(p: TwoLobesParams, position: wp.vec3d) -> wp.float64:
    """U [m^2/s^2], of which g is minus the slope: the energy account is made with it."""
    return -p.first_gm / wp.length(position - p.first_center) - p.second_gm / wp.length(position - p.second_center)


def fill(scenario: Scenario) -> dict[str, Any]:
    """The numbers by member of the struct."""
    keys: Any = scenario.gravity
    return {name: getattr(keys, name) for name in ("first_gm", "second_gm", "first_center", "second_center")}


register(GravityPart(TwoLobesKeys, GravityModel("two-lobes", TwoLobesParams, acceleration, potential), fill))
