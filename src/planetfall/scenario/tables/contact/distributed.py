"""`[contact] law = "distributed"`: the small-body law."""

from functools import lru_cache
from typing import Literal, Self

import numpy as np
from pydantic import model_validator

from planetfall.scenario.tables.table import Table, choice, quantity

SPRING_KEYS = ("stiffness", "damping", "restitution", "impact_speed", "impact_depth")
WAYS_TO_GIVE_THE_SPRING = (
    {"stiffness", "damping"},
    {"stiffness", "restitution"},
    {"restitution", "impact_speed", "impact_depth"},
)


class ContactDistributed(Table):
    """The small-body law (VanWal2017): springs at all vertices, friction and rolling resistance at one effective point.

    Normal forces follow from stiffness and damping, from stiffness and restitution, or from restitution and the depth
    of an impact.
    """

    law: Literal["distributed"] = choice("name of the contact law")
    stiffness: float | None = quantity("N/m", "stiffness k of each vertex", None, gt=0)
    damping: float | None = quantity("N s/m", "damping c of each vertex, in compression only", None, ge=0)
    restitution: float | None = quantity(
        "-",
        "speed after over before a central impact on one vertex, in place of damping",
        None,
        gt=0,
        le=1,
    )
    impact_speed: float | None = quantity(
        "m/s", "speed of the impact that goes `impact_depth` deep, with restitution in place of stiffness", None, gt=0
    )
    impact_depth: float | None = quantity("m", "how deep that impact goes", None, gt=0)
    friction: float = quantity("-", "coefficient mu of a sliding application point", ge=0)
    friction_static: float | None = quantity("-", "coefficient mu_s up to which it sticks; mu if not given", None, ge=0)
    rolling_resistance: float = quantity("m", "C_RR: resisting torque over normal force", 0.0, ge=0)
    slip_speed: float = quantity("m/s", "v*: friction blends from stick to slip below it (assumed)", 3e-4, gt=0)
    roll_rate: float = quantity("rad/s", "omega*: rolling resistance blends likewise below it (assumed)", 3e-3, gt=0)
    stop_speed: float = quantity("m/s", "a slide is over when the vehicle is slower for good (assumed)", 1e-4, gt=0)

    @model_validator(mode="after")
    def _one_way_to_give_the_spring(self) -> Self:
        given = {name for name in SPRING_KEYS if getattr(self, name) is not None}
        if given not in WAYS_TO_GIVE_THE_SPRING:
            ways = "; ".join(", ".join(key for key in SPRING_KEYS if key in way) for way in WAYS_TO_GIVE_THE_SPRING)
            raise ValueError(f"stiffness: the spring takes one of these sets of keys: {ways}")
        return self

    @model_validator(mode="after")
    def _stick_holds_no_less(self) -> Self:
        if self.friction_static is not None and self.friction_static < self.friction:
            raise ValueError(
                f"friction_static: {self.friction_static} is less than friction = {self.friction}; a sticking point "
                "would hold less than a sliding one"
            )
        return self

    @property
    def sink(self) -> float:
        """How deep points go, by order of magnitude [m]."""
        return 0.005 if self.impact_depth is None else self.impact_depth

    @property
    def needs_gravity(self) -> bool:
        """Whether the stiffness follows from the scenario's own gravity."""
        return False

    def spring_damper(self, mass: float) -> tuple[float, float]:
        """K [N/m] and c [N s/m] of each vertex, for a vehicle of a mass [kg]."""
        stiffness = self.stiffness
        if self.damping is not None:
            assert stiffness is not None
            return stiffness, self.damping
        assert self.restitution is not None
        if stiffness is None:
            assert self.impact_speed is not None and self.impact_depth is not None
            stiffness = mass * (self.restitution * self.impact_speed / self.impact_depth) ** 2
        return stiffness, 2.0 * damping_ratio(self.restitution) * float(np.sqrt(stiffness * mass))


@lru_cache(maxsize=1024)  # asked for every run of a campaign
def damping_ratio(restitution: float) -> float:
    """Damping ratio of a spring damped in compression only, from its coefficient of restitution."""
    low, high = 0.0, 1.0
    while restitution_of(high) > restitution:
        high *= 2.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if restitution_of(middle) > restitution else (low, middle)
    return 0.5 * (low + high)


def restitution_of(ratio: float) -> float:
    """Restitution of a spring damped in compression only: exp(-z acos(z)/sqrt(1 - z^2)), continued beyond z = 1."""
    if abs(ratio - 1.0) < 1e-12:
        return float(np.exp(-1.0))
    root = np.sqrt(abs(1.0 - ratio**2))
    return float(np.exp(-ratio * (np.arccos(ratio) if ratio < 1.0 else np.arccosh(ratio)) / root))
