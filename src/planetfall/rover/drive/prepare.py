"""From the tables of a drive to a rover on the ground."""

from dataclasses import dataclass

from planetfall.compute.device import check_device
from planetfall.errors import InputError
from planetfall.rover.drive.drive import Stretch
from planetfall.rover.drive.path import DrivePath, sample_path
from planetfall.rover.model import RoverModel, rover_model
from planetfall.rover.statics.statics import Soil, soil_of
from planetfall.scenario.drive import DriveScenario
from planetfall.world.terrain.ground import surface_of
from planetfall.world.terrain.surface import Surface


@dataclass(frozen=True)
class PreparedDrive:
    """A drive made ready.

    Attributes:
        surface: The terrain on its device.
        path: The sampled path.
        stretches: What drives on what, by distance.
        gravity: [m/s^2].
    """

    surface: Surface
    path: DrivePath
    stretches: tuple[Stretch, ...]
    gravity: float

    @property
    def notes(self) -> list[str]:
        """What was made of the files of terrain and rover, in sentences."""
        said = [*self.surface.facts.get("notes", ()), *self._coarse_map()]
        source = self.rover.table.source
        return [*said, f"rover: {source}"] if source.startswith("URDF ") else said

    def _coarse_map(self) -> list[str]:
        """A map that does not show what a wheel meets."""
        if self.surface.model.name != "dem":
            return []
        pixel = max(float(self.surface.params.spacing_x), float(self.surface.params.spacing_y))
        wheel = 2.0 * self.rover.table.wheels.radius
        if pixel <= wheel * (1.0 + 1e-9):
            return []
        return [
            f"the map's pixels ({pixel:.3g} m) are larger than a wheel ({wheel:.3g} m): rocks and steps smaller than a "
            "pixel are not in the map, and none of the results knows of them"
        ]

    @property
    def rover(self) -> RoverModel:
        """The rover at the start."""
        return self.stretches[0].rover

    @property
    def soil(self) -> Soil:
        """The soil at the start."""
        return self.stretches[0].soil

    def stretch_at(self, distance: float) -> Stretch:
        """What drives on what at a distance along the path [m]."""
        return [stretch for stretch in self.stretches if stretch.start <= distance][-1]


def prepare(scenario: DriveScenario, device: str = "cpu") -> PreparedDrive:
    """Checks a drive and makes it ready.

    Raises:
        InputError: Something in the tables has to be changed; the message says what.
    """
    check_device(device)
    stretches = []
    for start, rover_table, soil_table in scenario.stretches():
        rover = rover_model(rover_table)
        stretches.append(Stretch(start, rover, soil_of(soil_table, rover, device)))
    path = sample_path(scenario.path.waypoints, scenario.path.step, scenario.path.corner_radius)
    if stretches[-1].start >= path.distance[-1]:
        problem = f"the last one starts after {stretches[-1].start:g} m"
        raise InputError("changes", problem, f"before the end of the path, {path.distance[-1]:g} m")
    if getattr(scenario.terrain, "fillet", None):
        raise InputError("terrain.fillet", "a drive is statics: its wheels touch each part as it is", "0 in a drive")
    surface = surface_of(scenario.terrain, scenario.rover.wheels.radius, device)
    return PreparedDrive(surface, path, tuple(stretches), scenario.gravity.acceleration)
