"""How a trajectory can end: one enumeration for every kind of run, each with a sentence for people."""

from enum import IntEnum


class Outcome(IntEnum):
    """Final state of a trajectory. The integers are the engine's status codes; files hold the names."""

    running = 0
    settled = 1
    sliding = 2
    overturned = 3
    crashed = 4
    escaped = 5
    orbiting = 6
    off_map = 7
    hole = 8
    timed_out = 9
    diverged = 10
    step_refused = 11
    controller_error = 12
    sunk = 13
    bad_input = 14
    descended = 15
    arrived = 20
    slipping = 21
    stalled = 22
    lifted = 23
    tipped = 24
    blocked = 25

    @property
    def sentence(self) -> str:
        """What happened and, where something can be done about it, what to do."""
        return _SENTENCES[self]

    @property
    def is_failure(self) -> bool:
        """Whether the vehicle was lost, or the run has no usable end; not where only the time ran out."""
        return self in _FAILURES


_SENTENCES = {
    Outcome.running: "The trajectory has not ended yet.",
    Outcome.settled: "The vehicle came to rest (or to the creep that a regularised friction law leaves), and is not "
    "overturned.",
    Outcome.sliding: "The time ran out while the vehicle was still sliding; use a longer scenario.duration, "
    "unless the slope is steeper than friction holds.",
    Outcome.overturned: "At the end the vehicle was tilted by more than outcome.overturn_angle_deg.",
    Outcome.crashed: "The vehicle hit the ground faster than outcome.crash_speed.",
    Outcome.escaped: "The vehicle left the target on an escape trajectory, or skipped out of its air.",
    Outcome.orbiting: "The vehicle is still in orbit about the target.",
    Outcome.off_map: "A contact point left the terrain that the scenario describes; enlarge the terrain.",
    Outcome.hole: "A contact point came over a hole in the terrain data.",
    Outcome.timed_out: "The time ran out before the vehicle came to rest.",
    Outcome.diverged: "The state became infinite or not a number; shorten integrator.step (rk4), or lower "
    "integrator.tolerance (adaptive). If the air is a table, it must cover the flight (atmosphere.above and below).",
    Outcome.step_refused: "No step met the tolerance, or steps became so short that the run made no progress. If "
    "contact is stiff, soften it (a lower stiffness, a larger breakaway_speed, slip_speed or roll_rate); if "
    "integrator.tolerance is tight, raise it; if a point is caught in a corner of ground and rock, set terrain.fillet; "
    "or use integrator.method = 'rk4', which says what step it needs.",
    Outcome.sunk: "A contact point is in the ground, and none of its lines of sight finds the ground, since they start "
    "below it or look away from it: a limit of the published method; use a longer contact.ray_offset, more lines of "
    "sight, or contact.detection = 'gap'.",
    Outcome.bad_input: "The inputs drawn for this run of a campaign contradict each other, so it was not simulated; "
    "narrow its dispersions.",
    Outcome.descended: "The vehicle came down to outcome.stop_altitude, where the run ends.",
    Outcome.arrived: "The rover drove all of its path.",
    Outcome.slipping: "The rover slides: a wheel needs more grip than the ground gives.",
    Outcome.stalled: "The rover stalls: a motor would need more than its largest torque.",
    Outcome.lifted: "A wheel lifts off the ground: the rover stands on fewer than six wheels.",
    Outcome.tipped: "The rover tips over: its load passes outside its support polygon.",
    Outcome.blocked: "The rover's mechanism cannot follow the ground: no pose with all six wheels on it was found.",
    Outcome.controller_error: "The controller raised an error or returned an unusable command.",
}
_FAILURES = frozenset(Outcome) - {
    Outcome.running, Outcome.settled, Outcome.sliding, Outcome.orbiting, Outcome.timed_out, Outcome.descended,
    Outcome.arrived,
}  # fmt: skip
