"""A controller of one's own: holds a height over the ground by one engine, from an altimeter alone.

    throttle = (m g + m (gain (height - h) - damping h'))/thrust_max

Named in a scenario by `plugins = ["hover.py"]`, it is selected by `[flight] controller = "hover"`. It is called in
Python at every tick of `rate`; every run of a campaign has its own, made from that run's scenario.
"""

from typing import Literal

import numpy as np

from planetfall.plugins import Command, ControllerKind, ControllerTable, Scenario, Seen, choice, quantity, register


class HoverKeys(ControllerTable):
    """What a scenario gives under `[flight]`: the first key selects the controller, `rate` is that of its calls."""

    controller: Literal["hover"] = choice("name of the controller")
    rate: float = quantity("Hz", "calls a second", 64.0, gt=0)
    altimeter: str = choice("name of the altimeter that it reads")
    height: float = quantity("m", "to hold, as the altimeter sees it", gt=0)
    gain: float = quantity("1/s^2", "acceleration per error of height", 1.0, gt=0)
    damping: float = quantity("1/s", "acceleration per climb rate", 2.0, ge=0)
    weight: float = quantity("N", "of the vehicle, as the controller knows it", gt=0)


class Hover:
    """Flies one run; what it keeps between calls is its own."""

    def __init__(self, scenario: Scenario) -> None:
        """Reads its numbers from the scenario of its run."""
        engine = scenario.vehicle.engines[0]
        self.keys, self.most, self.least = scenario.flight, engine.thrust_max, engine.thrust_min / engine.thrust_max
        self.mass, self.last = scenario.vehicle.mass, None

    def command(self, seen: Seen) -> Command:
        """What to do until the next call."""
        height = float(seen.sensors[self.keys.altimeter][0])
        climb = 0.0 if self.last is None else (height - self.last) * self.keys.rate
        self.last = height
        push = self.keys.weight + self.mass * (
            self.keys.gain * (self.keys.height - height) - self.keys.damping * climb
        )  # fmt: skip
        return Command(throttles=[float(np.clip(push / self.most, self.least, 1.0))], phase="hover")


register(ControllerKind("hover", HoverKeys, Hover))
