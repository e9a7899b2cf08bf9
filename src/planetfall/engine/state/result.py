"""What the engine gives back: plain arrays, no device, no Warp."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Transition:
    """A controller's change of phase: when [s], into which, and why.

    `flight`: of the vehicle that is flown at that instant, by the names of `flight.commands.FLIGHT_NUMBERS`.
    """

    time: float
    phase: str
    cause: str
    flight: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class BatchResult:
    """The end of every run of a batch. First axis: run.

    Attributes:
        time: End of the run [s].
        state: [run, 13 * bodies] final states of all bodies (see `engine.structure.state_layout`).
        status: Outcome codes.
        steps: Accepted steps.
        first_touch: [run, point] [s], NaN if it never touched.
        touch_position: [run, point, 3] where the body then was [m], surface frame.
        touch_velocity: [run, point, 3] how fast the body then was [m/s], surface frame.
        peak: [run, point] largest normal force [N].
        touches: [run, point] number of touchdowns.
        penetration: [run, body] deepest penetration of any of its points [m].
        crash: [run, body] when it hit the ground faster than `outcome.crash_speed` [s], NaN if it did not.
        rest: When the vehicle came to rest [s], NaN if it did not.
        overturn: When it first tilted beyond the limit [s], NaN if it did not.
        energy_rise: Largest rise of energy beyond what was put in, over all evaluations [J] (see `energy_rise`).
        energy_rise_bound: The rise that integration errors explain [J].
        looseness: Largest tolerance taken over that asked for (`solver.tolerance_relaxation`); 1 with fixed steps.
        detected: When the landing detector declared a landing [s], NaN if it did not, or if there is none.
        transitions: Of type object, each a tuple of the controller's changes of phase, the first at the first call.
        faults: Of type object, what was wrong with the command that ended the run, or None.
        shortfall: The most that the engines could not give of a force or a moment [N]; NaN where nothing is flown.
        beyond_peak: [run, point] by how much the normal force is likely to have been more between two steps [N]; empty
            where peaks are located, and without a record.
        beyond_depth: [run, point] the same of its depth [m].
        mechanisms: [run, number] what the mechanisms have in the state, one after the other.
    """

    time: np.ndarray
    state: np.ndarray
    status: np.ndarray
    steps: np.ndarray
    first_touch: np.ndarray
    peak: np.ndarray
    touches: np.ndarray
    penetration: np.ndarray
    crash: np.ndarray
    rest: np.ndarray
    overturn: np.ndarray
    energy_rise: np.ndarray
    energy_rise_bound: np.ndarray
    detected: np.ndarray
    transitions: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=object))
    faults: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=object))
    shortfall: np.ndarray = field(default_factory=lambda: np.empty(0))
    touch_position: np.ndarray = field(default_factory=lambda: np.empty((0, 0, 3)))
    touch_velocity: np.ndarray = field(default_factory=lambda: np.empty((0, 0, 3)))
    mechanisms: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    looseness: np.ndarray = field(default_factory=lambda: np.empty(0))
    beyond_peak: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    beyond_depth: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))


@dataclass(frozen=True)
class RunEvent:
    """Something that happened at an instant.

    Attributes:
        time: [s].
        kind: See `engine.state.batch.EVENT_NAMES`; or `changed KEY`, whose value is the new one.
        point: Index of the contact point, -1 for the whole vehicle.
        value: Normal speed at touches and lift-offs [m/s]; speed when it grows slow or fast [m/s]; held time at rest
            [s]; the tolerance from where it is loosened; else the time [s].
        position: Centre of mass at that instant [m], surface frame.
    """

    time: float
    kind: str
    point: int
    value: float
    position: tuple[float, float, float]


@dataclass(frozen=True)
class ParameterChange:
    """A parameter that was changed while a run was under way.

    Attributes:
        time: When [s].
        step: After how many accepted steps.
        key: Of the scenario.
        before: Its value until then.
        after: Its value from then on.
        energy: By how much the change moved stored energy [J].
    """

    time: float
    step: int
    key: str
    before: float
    after: float
    energy: float


@dataclass(frozen=True)
class Frames:
    """States along one recorded run, in order of time. First axis: frame.

    Attributes:
        time: [s].
        state: State vectors with work integrals.
        modes: [frame, point] modes of the contact law.
        anchor: [frame, point, 3] saved places of an anchored law [m], surface frame; None for the others.
        normal: [frame, point, 3] outward normals of the ground there.
        dent: [frame, point] how deep the ground has been pressed [m]; None for laws that keep none.
    """

    time: np.ndarray
    state: np.ndarray
    modes: np.ndarray
    anchor: np.ndarray | None = None
    normal: np.ndarray | None = None
    dent: np.ndarray | None = None


@dataclass(frozen=True)
class BodyFrictions:
    """What a resultant law adds to each body, [frame, body, 3], surface frame.

    Attributes:
        application_point: Where friction acts [m]; NaN out of contact.
        force: Friction there [N].
        rolling_torque: [N m].
        rolling_force: At the centre of mass [N].
    """

    application_point: np.ndarray
    force: np.ndarray
    rolling_torque: np.ndarray
    rolling_force: np.ndarray


@dataclass(frozen=True)
class Observed:
    """What the models say of each frame. First axis: frame; then point where there is one.

    Attributes:
        gap: [m].
        force: [frame, point, 3] on the vehicle, surface frame [N].
        normal_force: [N].
        friction_force: [N].
        mode: 0 none, 1 static, 2 kinetic.
        energy: [frame, 3] kinetic, gravitational (with the centrifugal part in a rotating frame), elastic [J].
        body_energy: [frame, body, 3] the same of each body, without that of tethers [J].
        mechanisms: [frame, column] variables of the mechanisms, of one after the other, body by body.
        friction: What a resultant law adds to each body; None for the others.
    """

    gap: np.ndarray
    force: np.ndarray
    normal_force: np.ndarray
    friction_force: np.ndarray
    mode: np.ndarray
    energy: np.ndarray
    body_energy: np.ndarray
    mechanisms: np.ndarray
    friction: BodyFrictions | None = None


@dataclass(frozen=True)
class Samples:
    """What one sensor read along a recorded run. First axis: sample.

    Attributes:
        time: When it was taken [s].
        value: [sample, channel] in the sensor's units; NaN where a beam had no return.
    """

    time: np.ndarray
    value: np.ndarray


@dataclass(frozen=True)
class RecordedRun:
    """One run with its history; `samples` by name of the sensor, `changes` of parameters on the way."""

    end: BatchResult
    frames: Frames
    observed: Observed
    events: list[RunEvent] = field(default_factory=list)
    samples: dict[str, Samples] = field(default_factory=dict)
    changes: tuple[ParameterChange, ...] = ()
