"""The whole scenario: all tables together, and what they must agree on."""

import re
from collections.abc import Mapping
from typing import Any, Self

from pydantic import field_validator, model_validator

from planetfall.scenario.contact import Contact
from planetfall.scenario.forces import Force
from planetfall.scenario.gravity import Gravity
from planetfall.scenario.initial import Initial
from planetfall.scenario.integrator import Integrator
from planetfall.scenario.record import OutcomeRules, Record
from planetfall.scenario.table import Table, choice, quantity
from planetfall.scenario.target import Target
from planetfall.scenario.terrain import Terrain
from planetfall.scenario.vehicle import Vehicle


class Heading(Table):
    """`[scenario]`: what this is called and how long it lasts."""

    name: str = choice("short name; also that of the run's folder")
    title: str = choice("one line for people", "")
    duration: float = quantity("s", "simulated time", gt=0)

    @field_validator("name")
    @classmethod
    def _names_a_folder(cls, name: str) -> str:
        if not re.fullmatch(r"[^/\\\s.\x00-\x1f][^/\\\x00-\x1f]*", name):
            raise ValueError("should begin with neither a dot nor a space and hold no slash, backslash or line break")
        return name


class Scenario(Table):
    """Everything that defines a run; frozen. Make one with `planetfall.load`, change one with `with_values`."""

    scenario: Heading
    target: Target = Target()
    gravity: Gravity
    terrain: Terrain
    vehicle: Vehicle
    contact: Contact
    initial: Initial = Initial()
    forces: tuple[Force, ...] = ()
    integrator: Integrator
    record: Record = Record()
    outcome: OutcomeRules = OutcomeRules()

    @model_validator(mode="after")
    def _field_has_its_numbers(self) -> Self:
        needs = {"point": ("gm",), "j2": ("gm", "radius", "j2")}.get(self.gravity.model, ())
        for key in needs:
            if getattr(self.target, key) == 0.0:
                raise ValueError(
                    f"target.{key}: gravity.model = {self.gravity.model!r} needs it; give target.name or the number"
                )
        return self

    @model_validator(mode="after")
    def _facets_are_crossed_by_fixed_steps(self) -> Self:
        if self.terrain.model != "plane" and self.integrator.method == "adaptive":
            raise ValueError(
                f"integrator.method: 'adaptive' does not locate the edges between the facets of a {self.terrain.model} "
                "and can stall on one; use method = 'rk4'"
            )
        return self

    @model_validator(mode="after")
    def _ground_has_a_weight(self) -> Self:
        if self.gravity.model == "none" and self.vehicle.points and self.contact.reference_gravity is None:
            raise ValueError(
                "contact.reference_gravity: without gravity the stiffness m g/h_eq needs it; give it in m/s^2"
            )
        return self

    @property
    def name(self) -> str:
        """Short name."""
        return self.scenario.name

    def with_values(self, values: Mapping[str, Any], source: str | None = None) -> "Scenario":
        """A copy with some keys changed, given by dotted path, for example `{"contact.rest_penetration": 0.02}`.

        Changing the key that selects a table's model (`name`, `model`, `law`, `method`) drops that table's other
        keys, unless they are set in the same call. `source` says in messages where the values stand.
        """
        from planetfall.scenario.load import scenario_from_dict
        from planetfall.scenario.overrides import apply_values

        changed = apply_values(self.to_dict(), values)
        return scenario_from_dict(changed, source or f"the values given over {self.name}")

    def to_dict(self) -> dict[str, Any]:
        """The complete scenario as plain values, lists for tuples; keys that are None are left out."""
        return self.model_dump(mode="json", exclude_none=True)
