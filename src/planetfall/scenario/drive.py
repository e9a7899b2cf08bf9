"""A rover's drive: all tables together, and what they must agree on."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import ValidationError, field_validator, model_validator

from planetfall.arguments import described, keyed_values, path_of
from planetfall.errors import InputError
from planetfall.scenario.card import Carded
from planetfall.scenario.files.built_in import filled_in, library_names
from planetfall.scenario.files.load import changed, read_values
from planetfall.scenario.files.messages import input_error
from planetfall.scenario.files.overrides import MAP_ENDINGS, apply_values
from planetfall.scenario.files.paths import placed_changes, whole_path
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.rover import Rover, Soil
from planetfall.scenario.tables.run.heading import Title
from planetfall.scenario.tables.table import Table, Whole, choice, quantity
from planetfall.scenario.tables.world.gravity import GravityUniform
from planetfall.scenario.tables.world.terrain import Terrain

Vec2 = tuple[float, float]
CHANGEABLE = ("rover", "soil")
"""Tables whose keys may change on the way."""


class Waypoints(Table):
    """`[path]`: where the rover's middle goes, halfway between its middle wheels."""

    waypoints: tuple[Vec2, ...] = quantity(
        "m", "places (x, y) in the order of the drive, at least two; east and north, unless the map is turned"
    )
    step: float = quantity("m", "distance between the poses that are computed", 0.02, gt=0)
    corner_radius: float = quantity("m", "radius of the arcs at waypoints; 0 turns on the spot", 0.0, ge=0)


class DriveRules(Table):
    """`[drive]`: how torques are chosen, and when the drive is over."""

    goal: Literal["least slip", "least effort", "equal", "fuzzy"] = choice(
        "torques: least worst slip ratio, least sum of squares, equal on each side, or the fuzzy controller",
        "least slip",
    )
    stop: bool = choice(
        "true: the drive ends where the rover does not stand; false: the poses beyond are examined too", True
    )


class Change(Table):
    """`[[changes]]`: keys of rover and soil that are others from somewhere on."""

    start: float = quantity("m", "distance along the path from which on they hold", gt=0)
    values: dict[str, Any] = choice("dotted keys with their new values, of rover and soil")

    @field_validator("values")
    @classmethod
    def _of_rover_and_soil(cls, values: dict[str, Any]) -> dict[str, Any]:
        for key in values:
            if key.partition(".")[0] not in CHANGEABLE:
                raise ValueError(f"{key} cannot change on the way; rover.* and soil.* can")
        return placed_changes(values, DriveScenario, whole_path)


class DriveScenario(Carded, Table, metaclass=Whole):
    """Everything that defines a rover's drive; frozen. Make one with `planetfall.load_drive`."""

    scenario: Title
    gravity: GravityUniform
    terrain: Terrain
    rover: Rover
    soil: Soil
    path: Waypoints
    drive: DriveRules = DriveRules()
    changes: tuple[Change, ...] = ()

    @model_validator(mode="after")
    def _weight_is_vertical(self) -> Self:
        if self.gravity.direction != (0.0, 0.0, -1.0):
            raise ValueError("gravity.direction: a rover's weight is vertical; tilt the terrain (terrain.slope_deg)")
        return self

    @model_validator(mode="after")
    def _changes_follow_each_other(self) -> Self:
        starts = [change.start for change in self.changes]
        if any(later <= earlier for earlier, later in pairwise(starts)):
            raise ValueError(f"changes: they start at {starts} m; each must start after the one before")
        return self

    @property
    def name(self) -> str:
        """Short name."""
        return self.scenario.name

    def stretches(self) -> list[tuple[float, Rover, Soil]]:
        """What drives on what, and from which distance [m] on: the changes, each on top of those before."""
        out, values = [(0.0, self.rover, self.soil)], self.to_dict()
        for i, change in enumerate(self.changes):
            values = apply_values(values, change.values)
            changed = drive_from_dict({**values, "changes": []}, f"changes.{i} of {self.name}")
            out.append((change.start, changed.rover, changed.soil))
        return out

    def with_values(self, values: Mapping[str, Any], source: str | None = None) -> "DriveScenario":
        """A copy with some keys changed.

        Args:
            values: New values by dotted key, in the units of the scenario file.
            source: Says in messages where the values stand.

        Examples:
            >>> drive = planetfall.load_drive("lsr1-step").with_values({"soil.friction": 0.4})
            >>> drive.soil.friction
            0.4
        """
        changed = apply_values(self.to_dict(), keyed_values("with_values", values))
        return drive_from_dict(changed, source or f"the values given over {self.name}")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "DriveScenario":
        """A checked drive from plain values, as `to_dict` gives them or a TOML file holds them."""
        return drive_from_dict(keyed_values("from_dict", values))

    def to_dict(self) -> dict[str, Any]:
        """The complete drive as plain values, lists for tuples; keys that are None are left out."""
        return self.model_dump(mode="json", exclude_none=True)


def load_drive(
    name_or_path: str | Path, values: Mapping[str, Any] | None = None, source: str | None = None
) -> DriveScenario:
    """The drive of a built-in name, or of a TOML file.

    Args:
        name_or_path: A name of `library_names("drives")`, or a path that ends in .toml.
        values: Keys that are others, as `planetfall.load` takes them.
        source: Says in messages where the values stand.

    Returns:
        The checked drive.

    Raises:
        InputError: There is no such drive, or something in it has to be changed; the message says what.

    Examples:
        >>> planetfall.load_drive("lsr1-step").rover.mass  # [kg]
        7.0
    """
    name_or_path = path_of("name_or_path", name_or_path)
    if str(name_or_path).lower().endswith(MAP_ENDINGS):
        raise InputError(
            str(name_or_path), "is an elevation map, not a drive", f"one of {', '.join(library_names('drives'))}",
            f"name a drive, and the map as its terrain: --set terrain.file={name_or_path}",
        )  # fmt: skip
    found, name = read_values(name_or_path)
    if "based_on" in found:
        raise InputError(
            f"{name}: based_on", "is for landings", "a whole drive",
            "run the other drive with --set KEY=VALUE, or copy it: planetfall rover drive writes scenario.toml",
        )  # fmt: skip
    if "rover" not in found:
        raise InputError(
            name, "is not the drive of a rover: it has no [rover]", f"one of {', '.join(library_names('drives'))}",
            f"use planetfall run {name_or_path}, or planetfall.load in Python",
        )  # fmt: skip
    if not values:
        return drive_from_dict(found, name)
    return changed(drive_from_dict, found, name, keyed_values("values", values), source)


def check_loaded_drive(given: object) -> None:
    """Refuses what is no drive, as the name of one.

    Raises:
        InputError: It is none; the message says what to do with what was given.
    """
    if isinstance(given, DriveScenario):
        return
    if isinstance(given, str | Path):
        advice = f"use planetfall.load_drive({str(given)!r})"
    elif isinstance(given, Scenario):
        advice = "planetfall.run runs a scenario with a vehicle"
    else:
        advice = "load one: planetfall.load_drive('lsr1-flat')"
    raise InputError("scenario", f"expected a DriveScenario, got {described(given)}", advice=advice)


def loaded_drive(given: DriveScenario | str | Path) -> DriveScenario:
    """A drive as it is, or the one that a name or a file says."""
    if isinstance(given, str | Path):
        return load_drive(given)
    check_loaded_drive(given)
    return given


def drive_from_dict(values: Mapping[str, Any], source: str = "the given values") -> DriveScenario:
    """A checked drive from plain values; built-in rovers and terrains are filled in."""
    complete = filled_in(values, source)
    try:
        return DriveScenario.model_validate(complete)
    except ValidationError as error:
        raise input_error(error, DriveScenario, source) from None
