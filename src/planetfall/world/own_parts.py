"""Gravity, ground and air of the user's own: records that name a model, its table and how its struct is filled in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from planetfall.compute.draft import draft_of
from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.table import Table
from planetfall.scenario.tables.world.atmosphere import Described
from planetfall.world.atmosphere import from_scenario as air
from planetfall.world.atmosphere.model import AtmosphereModel
from planetfall.world.gravity import field as gravity
from planetfall.world.gravity.model import GravityModel
from planetfall.world.terrain.ground import OWN_TERRAINS
from planetfall.world.terrain.model import TerrainModel
from planetfall.world.terrain.surface import Surface


class TerrainTable(Table):
    """What the table of a terrain of the user's own is derived from: `model: Literal["..."]` first."""

    @property
    def added(self) -> tuple[()]:
        """Nothing can be added to it."""
        return ()


@dataclass(frozen=True)
class GravityPart:
    """A gravity field of the user's own, selected by `gravity.model`.

    Attributes:
        table: Its keys, `model: Literal["..."]` first.
        model: Struct, `acceleration` and `potential`, of which the one is minus the slope of the other; its name.
        fill: `(scenario) -> values` by member of the struct; `scenario.gravity` is the table.
    """

    table: type[Table]
    model: GravityModel
    fill: Callable[[Scenario], Mapping[str, Any]]

    @property
    def name(self) -> str:
        """The name in scenario files."""
        return self.model.name


@dataclass(frozen=True)
class TerrainPart:
    """A ground of the user's own, selected by `terrain.model`.

    Attributes:
        table: Its keys, a `TerrainTable`.
        model: Struct, `gap` and `ray`, and what is known of them; its name.
        fill: `(table) -> values` by member of the struct.
        box: `(table) -> [2, 3]` lowest and highest corner [m] of what is bounded in it, or None.
    """

    table: type[TerrainTable]
    model: TerrainModel
    fill: Callable[[Any], Mapping[str, Any]]
    box: Callable[[Any], np.ndarray | None] = lambda table: None

    @property
    def name(self) -> str:
        """The name in scenario files."""
        return self.model.name


@dataclass(frozen=True)
class AtmospherePart:
    """Air of the user's own, selected by `atmosphere.model`; wind and perturbations are laid over it.

    Attributes:
        table: Its keys, derived from `AirTable`.
        model: Struct and `air`, from an altitude to the air there; its kind.
        fill: `(table) -> values` by member of the struct.
    """

    table: type[Described]
    model: AtmosphereModel
    fill: Callable[[Any], Mapping[str, Any]]

    @property
    def name(self) -> str:
        """The name in scenario files."""
        return self.model.kind


def register_gravity(part: GravityPart) -> None:
    """Enters a field among those that are built in."""
    _check(part, "gravity field", ("acceleration", "potential"))
    gravity.MODELS[part.name], gravity.OWN_FILLS[part.name] = part.model, part.fill


def register_terrain(part: TerrainPart) -> None:
    """Enters a ground among those that are built in."""
    _check(part, "terrain", ("gap", "ray"))
    if not issubclass(part.table, TerrainTable):
        raise InputError(f"terrain {part.name!r}", f"its table {part.table.__name__} is no TerrainTable")

    def surface(table: Any, device: str) -> Surface:
        params = draft_of(part.model.params, part.fill(table), f"terrain {part.name!r}")
        return Surface(part.model, params.on_device(device), device, box=part.box(table))

    OWN_TERRAINS[part.table] = surface


def register_atmosphere(part: AtmospherePart) -> None:
    """Enters a model of air among those that are built in."""
    _check(part, "atmosphere", ("air",))
    if not issubclass(part.table, Described):
        raise InputError(f"atmosphere {part.name!r}", f"its table {part.table.__name__} is not derived from AirTable")
    air.MODELS[part.name], air.OWN_FILLS[part.name] = part.model, part.fill


def _check(part: Any, what: str, functions: tuple[str, ...]) -> None:
    """Refuses a part that misses something."""
    missing = [name for name in functions if not hasattr(getattr(part.model, name), "input_types")]
    if missing:
        raise InputError(
            f"{what} {part.name!r}", f"its {missing[0]} is not a @wp.func", advice="see the docstring of its model"
        )
    if not callable(part.fill) or not hasattr(part.model.params, "vars"):
        raise InputError(f"{what} {part.name!r}", "lacks params, a @wp.struct, or the function fill")
