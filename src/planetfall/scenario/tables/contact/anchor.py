"""`[contact] law = "anchor"`: the Morpheus law."""

from typing import Literal, Self

from pydantic import model_validator

from planetfall.scenario.tables.contact.springs import RestsOnSprings
from planetfall.scenario.tables.table import Table, choice, quantity


class ContactAnchor(RestsOnSprings, Table):
    """The Morpheus law (Cordova2014): spring and damper to where a point met the ground, with Coulomb limits."""

    law: Literal["anchor"] = choice("name of the contact law")
    rest_penetration: float = quantity("m", "h: how deep a loaded point stands in the ground at rest (Eq. 4)", gt=0)
    damping_ratio: float = quantity("-", "d: damping ratio, 1 is critical (Eq. 5)", ge=0)
    friction_static: float = quantity("-", "mu_s: lateral force over normal force at which a point breaks loose", ge=0)
    friction_kinetic: float = quantity("-", "mu_k: lateral force over normal force of a sliding point", ge=0)
    loaded_points: int | None = choice(
        "how many points carry the weight at rest, each with its share of the mass (Eqs. 4 and 5); all if not given",
        None,
    )
    reference_gravity: float | None = quantity("m/s^2", "g in k = m g/h; gravity at the start if not given", None, gt=0)
    anchor_rule: Literal["hold", "leash", "drag", "velocity"] = choice(
        "what a sliding point does with the saved place: hold it, follow on a leash, drag it, or forget it and oppose "
        "the velocity (assumed: the paper does not say)", "leash"
    )  # fmt: skip
    leash_ratio: float = quantity(
        "-", "leash: the spring is at most this many times mu_s N long over k (assumed)", 2.0, ge=1
    )
    slip_speed: float = quantity(
        "m/s", "velocity: friction falls linearly below it, and a slower point sticks again (assumed)", 5e-4, gt=0
    )
    detection: Literal["gap", "line-of-sight"] = choice(
        "how contact is found: from the gap to the surface, or along each point's line of sight as the paper does",
        "gap",
    )
    ray_offset: float = quantity(
        "m", "line-of-sight: how far before a point its ray starts; deeper points are lost", 0.8, gt=0
    )
    stop_speed: float = quantity("m/s", "a slide is over when the vehicle is slower for good (assumed)", 0.01, gt=0)

    @model_validator(mode="after")
    def _kinetic_is_weaker(self) -> Self:
        if self.friction_kinetic > self.friction_static:
            raise ValueError(
                f"friction_kinetic: {self.friction_kinetic} exceeds friction_static = {self.friction_static}; a "
                "sliding point would hold more than a resting one"
            )
        self.check_loaded_points()
        return self
