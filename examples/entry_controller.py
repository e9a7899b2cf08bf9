"""Entry guidance as a Python object: the law of `guidance = { law = "entry" }`, written out, to be changed.

    scenario = planetfall.load("my-capsule.toml")        # with flight.controller = "own"
    law = GuidanceEntry(law="entry", range_after=6000.0)
    planetfall.run(scenario, controller=EntryController.of(scenario, law))

The scenario has a sensor of kind `navigator` called navigation and one of kind `imu` called imu, on the same body, and
an entering vehicle in trim without a bank plan. The reference is the one that the compiled law flies by.
"""

from dataclasses import dataclass, field
from typing import Self

import numpy as np

from planetfall.flight.controller import Command, Seen
from planetfall.flight.entry.planar import planar_entry, range_to_site
from planetfall.flight.entry.reference import EntryReference, reference_of
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.flight.guidance import GuidanceEntry

SLACK = 1.0 - 1e-9
"""Of an instant: neither calls nor cycles are at exact times."""


@dataclass
class EntryController:
    """Flies the bank angle of an entry to a site.

    Attributes:
        law: Its numbers.
        reference: About which range is controlled.
        center: Of the planet, surface frame [m].
        radius: On which range is counted [m].
        n_engines: Engines of the scenario, which stay off.
    """

    law: GuidanceEntry
    reference: EntryReference
    center: np.ndarray
    radius: float
    n_engines: int = 0
    stage: str = "prebank"
    reversals: list[float] = field(default_factory=list)
    _bank: float = np.nan
    _due: float = -np.inf

    @classmethod
    def of(cls, scenario: Scenario, law: GuidanceEntry) -> Self:
        """For a scenario, whose planet, air, aerodynamics, masses and start make the reference."""
        reference = reference_of(planar_entry(scenario), law, "law")
        n_engines = sum(len(vehicle.engines) for vehicle in scenario.vehicles)
        return cls(law, reference, scenario.target.center_S, scenario.target.radius, n_engines)

    def command(self, seen: Seen) -> Command:
        """One call: a new bank angle if a cycle is due, else that of the last one."""
        if seen.time >= self._due * SLACK:
            self._due = seen.time + 1.0 / self.law.rate
            self._bank = self._cycle(seen)
        return Command(throttles=np.zeros(self.n_engines), bank=self._bank, phase=self.stage)

    def _cycle(self, seen: Seen) -> float:
        """The bank angle [rad] from what is navigated and sensed."""
        law, known = self.law, seen.sensors["navigation"]
        r, v = known[:3] - self.center, known[3:6]
        sensed = turned(known[6:10], seen.sensors["imu"][:3])
        speed = float(np.linalg.norm(v))
        drag = -float(sensed @ v) / speed
        lift = float(np.linalg.norm(sensed + v / speed * drag))
        along, across, turn = range_to_site(r, v, -self.center)
        side = -1.0 if self._bank < 0.0 or (np.isnan(self._bank) and across < 0.0) else 1.0
        if self.stage == "prebank" and drag > law.start_drag:
            self.stage = "range control"
        if self.stage == "range control" and speed < law.heading_speed:
            self.stage = "heading alignment"
        if self.stage == "prebank":
            return side * self.reference.bank
        if self.stage == "heading alignment":
            most = np.radians(law.heading_bank_max_deg)
            return float(np.clip(law.heading_gain * turn, -most, most))
        cross = self.radius * across
        if abs(cross) > law.cross_range + law.cross_range_fast * (speed / law.cross_range_speed) ** 2:
            if side != np.sign(cross):
                self.reversals.append(seen.time)
            side = float(np.sign(cross))
        climb = float(v @ r) / float(np.linalg.norm(r))
        return side * self._size(speed, climb, drag, lift, self.radius * along - law.range_after)

    def _size(self, speed: float, climb: float, drag: float, lift: float, to_go: float) -> float:
        """Of the bank angle [rad] that takes out the error of the range."""
        ref, law = self.reference, self.law

        def at(column: np.ndarray) -> float:
            return float(np.interp(speed, ref.speed, column))

        predicted = at(ref.range_to_go)
        predicted += at(ref.of_drag) * (drag - at(ref.drag)) + at(ref.of_height_rate) * (climb - at(ref.height_rate))
        u = at(ref.lift_ratio) + law.gain * (to_go - predicted) / at(ref.of_lift)
        bank = np.arccos(np.clip(u * drag / lift, -1.0, 1.0))
        return float(np.clip(bank, np.radians(law.bank_min_deg), np.radians(law.bank_max_deg)))


def turned(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """A vector in body components taken to the surface frame by a quaternion x y z w."""
    axis, w = q[:3], q[3]
    aside = 2.0 * np.cross(axis, v)
    return v + w * aside + np.cross(axis, aside)
