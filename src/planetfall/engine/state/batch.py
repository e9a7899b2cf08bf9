"""The changing data of a batch on its device: states, monitors, and the frames and events of recorded runs."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.contact.model import ContactMemory
from planetfall.engine.structure.assembly import Assembly
from planetfall.flight.commands import Commands
from planetfall.flight.readings import Sensing
from planetfall.world.terrain.model import Ground

EVENT_TOUCH = wp.constant(0)
EVENT_LIFT_OFF = wp.constant(1)
EVENT_REST = wp.constant(2)
EVENT_OVERTURN = wp.constant(3)
EVENT_OFF_MAP = wp.constant(4)
EVENT_HOLE = wp.constant(5)
EVENT_DIVERGED = wp.constant(6)
EVENT_TIME_OUT = wp.constant(7)
EVENT_STEP_REFUSED = wp.constant(8)
EVENT_SLOW = wp.constant(9)
EVENT_FAST = wp.constant(10)
EVENT_SUNK = wp.constant(11)
EVENT_LANDED = wp.constant(12)
EVENT_ESCAPE = wp.constant(13)
EVENT_CONTROLLER_ERROR = wp.constant(14)
EVENT_CRASH = wp.constant(15)
EVENT_DESCENDED = wp.constant(16)
EVENT_SKIP_OUT = wp.constant(17)
EVENT_LOOSENED = wp.constant(19)
EVENT_BEGAN_IN_GROUND = wp.constant(20)
EVENT_NAMES = (
    "touch", "lift_off", "rest", "overturn", "off_map", "hole", "diverged", "time_out", "step_refused", "slow", "fast",
    "sunk", "landed", "escape", "controller_error", "crash",
    "descended", "skip_out", "recontact", "loosened", "began_in_ground",
)  # fmt: skip


EnergyRow = wp.types.vector(length=10, dtype=wp.float64)
"""What `energy_rise` keeps of a run."""


@wp.struct
class Monitors:
    """What every run keeps, recorded or not. Arrays are [run] or [point, run]; NaN means that it has not happened.

    `memory` of the contact law; `first_touch` [s], and where [m] and how fast [m/s] the body then was, surface frame
    (`touch_position`, `touch_velocity`); `peak` normal force [N]; `touches`: count of touchdowns; `force` [N]
    on each point at the last evaluation, kept where a touchdown switch reads it; `penetration`: deepest [m] of each
    body, [body, run]; `rest_since`: start of the present stillness [s]; `rest`: when the vehicle came to rest [s];
    `overturn`: when it first tilted too far [s]; `energy` (see `solver.energy_rise`).

    Of an adaptive method: `sampled` normal force [N] of each point in contact when it was last noted; `path`: how far a
    body that coasts may go [m] (see `solver.coast`), 0 if it may not; `queried` [place, run]: points whose ground the
    next evaluation queries, `n_queried` of them; `ground` under them at the end of the step before, used by the split
    kernels alone; and the broad phase (`events.broad_phase_adaptive`): `travel` [m], `until` [m] and `has_coasted`: 1
    if no earlier gap holds.
    """

    memory: ContactMemory
    first_touch: wp.array2d(dtype=wp.float64)
    touch_position: wp.array2d(dtype=wp.vec3d)
    touch_velocity: wp.array2d(dtype=wp.vec3d)
    peak: wp.array2d(dtype=wp.float64)
    touches: wp.array2d(dtype=wp.int32)
    force: wp.array2d(dtype=wp.float64)
    penetration: wp.array2d(dtype=wp.float64)
    rest_since: wp.array(dtype=wp.float64)
    rest: wp.array(dtype=wp.float64)
    overturn: wp.array(dtype=wp.float64)
    energy: wp.array(dtype=EnergyRow)
    sampled: wp.array2d(dtype=wp.float64)
    path: wp.array(dtype=wp.float64)
    queried: wp.array2d(dtype=wp.int32)
    n_queried: wp.array(dtype=wp.int32)
    ground: wp.array2d(dtype=Ground)
    travel: wp.array(dtype=wp.float64)
    until: wp.array2d(dtype=wp.float64)
    has_coasted: wp.array(dtype=wp.int32)


SamplesAbout = wp.types.vector(length=6, dtype=wp.float64)
"""Of a number that is sampled at ends of steps: when it was sampled last [s], that sample; when it was largest [s], the
largest; the slope up to it [1/s]; by how much more its true peak is likely to be, negative until the next sample."""


@lru_cache
def record_struct(vector: Any) -> Any:
    """Frames and events of recorded runs.

    Frames lie in slots [slot, run]: each interval of the record has 1 + n_points of them, the first frame of the
    interval and the frame in which each point's normal force peaked in it; after those of all intervals comes
    the frame of each extreme of the run that a mechanism keeps. A slot that was never used has time NaN.
    """

    @wp.struct
    class RecordArrays:
        interval: wp.float64  # [s]
        tick: wp.array(dtype=wp.int32)  # [run] next interval to begin
        time: wp.array2d(dtype=wp.float64)  # [slot, run] [s]
        state: wp.array2d(dtype=vector)  # [slot, run]
        modes: wp.array3d(dtype=wp.int32)  # [slot, point, run]
        dent: wp.array3d(dtype=wp.float64)  # [slot, point, run] [m], of laws that keep dents
        anchor: wp.array3d(dtype=wp.vec3d)  # [slot, point, run] [m], of anchored laws
        normal: wp.array3d(dtype=wp.vec3d)  # [slot, point, run]
        peak: wp.array2d(dtype=wp.float64)  # [slot, run] [N]
        about_force: wp.array2d(dtype=SamplesAbout)  # [point, run] normal force [N], where peaks are not located
        about_depth: wp.array2d(dtype=SamplesAbout)  # [point, run] depth [m]
        event_count: wp.array(dtype=wp.int32)  # [run] since the last read-out
        event_time: wp.array2d(dtype=wp.float64)  # [event, run] [s]
        event_kind: wp.array2d(dtype=wp.int32)  # [event, run]
        event_point: wp.array2d(dtype=wp.int32)  # [event, run] -1: the whole vehicle
        event_value: wp.array2d(dtype=wp.float64)  # [event, run]
        event_position: wp.array2d(dtype=wp.vec3d)  # [event, run] centre of mass at that instant [m], surface frame
        is_slow: wp.array(
            dtype=wp.int32
        )  # [run] whether the vehicle was slower than `slow_speed` at the last evaluation

    return RecordArrays


@wp.struct
class GapSample:
    """The gap of a point that is apart: its `gap` [m], its `rate` [m/s], and the `trial` at whose end that was.

    The gap comes first: `solver.events.broad_phase_adaptive.keep_apart` reads it there.
    """

    gap: wp.float64
    rate: wp.float64
    trial: wp.int32


@lru_cache
def batch_struct(vector: Any) -> Any:
    """State of every run, and what an adaptive method must carry from one chunk to the next."""

    @wp.struct
    class Batch:
        state: wp.array(dtype=vector)  # [run]
        time: wp.array(dtype=wp.float64)  # [run] [s]
        steps: wp.array(dtype=wp.int32)  # [run] accepted so far
        status: wp.array(dtype=wp.int32)  # [run] Outcome
        try_step: wp.array(dtype=wp.float64)  # [run] step that the error control wants next, or last fixed one [s]
        window_start: wp.array(dtype=wp.float64)  # [run] [s] since when its progress is judged (see `solver.stall`)
        pace_start: wp.array(
            dtype=wp.float64
        )  # [run] [s] since when its pace is judged (`solver.tolerance_relaxation`)
        pace_before: wp.array(dtype=wp.float64)  # [run] [s] that of the window before the tolerance was loosened
        n_far_off: wp.array(dtype=wp.int32)  # [run] trials since then whose error was many times the tolerance
        pace_reach: wp.array(dtype=wp.float64)  # [run] times which the next trial takes the tolerance (see the same)
        looseness: wp.array(dtype=wp.float64)  # [run] times which the tolerance is taken, 1 but for runs that creep
        loosest: wp.array(dtype=wp.float64)  # [run] the largest looseness that paid
        listed: wp.array2d(dtype=wp.int32)  # [place, run] broad-phase list: points that are queried in the trial step
        n_listed: wp.array(dtype=wp.int32)  # [run] how many they are
        candidates: wp.array2d(dtype=wp.int32)  # [place, run] those of them that may have changed their mode in it
        n_candidates: wp.array(dtype=wp.int32)  # [run] how many they are
        reach: wp.array(dtype=wp.float64)  # [run] by how much gaps may shrink in the trial step [m]
        gap_samples: wp.array2d(dtype=GapSample)  # [side and point, run] at the step's start and at the trial's end
        start: wp.array(dtype=wp.int32)  # [run] first row of the side that is the start: 0 or the number of points
        trial: wp.array(dtype=wp.int32)  # [run] number of this trial, of all that were accurate enough, and of coasts
        taken: wp.array(dtype=wp.int32)  # [run] number of the one that the step begins with
        monitors: Monitors
        sensing: Sensing  # unused without sensors
        commands: Commands  # unused without a controller

    return Batch


def structs(assembly: Assembly) -> tuple[Any, Any]:
    """Batch and record structs of an assembly."""
    return batch_struct(assembly.layout.vector), record_struct(assembly.layout.vector)


@lru_cache
def evaluation_struct(vector: Any) -> Any:
    """What an evaluation between steps finds: the slope, and what `ContactSum` counts and books, over all bodies.

    `gravity` [m/s^2], surface frame, is that of the first body; `kinetic` and `stored` energy [J], that in gravity, in
    the ground and in tethers, of all bodies; `is_broken`: 1 where a crash has taken kinetic energy at once;
    `returned`: power [W] that a law gives back, as far as it says that it may.
    """

    @wp.struct
    class Evaluation:
        slope: vector
        gravity: wp.vec3d
        booked: wp.float64
        kinetic: wp.float64
        stored: wp.float64
        returned: wp.float64
        loaded: wp.int32
        moving: wp.int32
        sliding: wp.int32
        status: wp.int32
        is_broken: wp.int32

    return Evaluation
