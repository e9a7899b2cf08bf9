"""What is said of a drive before it begins."""

import pytest

from planetfall.rover.drive.prepare import prepare
from planetfall.scenario.drive import load_drive


@pytest.mark.parametrize(("resolution", "is_told"), [(0.5, True), (0.2, False), (0.1, False)])
def test_pixels_larger_than_a_wheel_are_told(resolution: float, is_told: bool) -> None:
    """The wheels of LSR-1 have a diameter of 0.2 m."""
    values = {"terrain.resolution": resolution, "terrain.noise.octaves": 1, "terrain.rocks.diameter_min": 1.5,
              "terrain.rocks.diameter_max": 2.0}  # fmt: skip
    notes = prepare(load_drive("lsr1-boulders").with_values(values)).notes
    told = [note for note in notes if "pixels (0.5 m) are larger than a wheel (0.2 m)" in note]
    assert bool(told) == is_told
