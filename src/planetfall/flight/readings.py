"""What a batch keeps of its sensors: the latest readings, which detectors and controllers may see, and the rest."""

import warp as wp


@wp.struct
class Readings:
    """The latest reading of every sensor, and the vehicle's own throttles: all that detectors and controllers see.

    `time` [sensor, run] [s]: when it was taken, NaN before the first; `value` [channel, run]: in the sensor's unit, its
    channels one after the other; NaN where a beam had no return, and before the first. `throttle` [engine, run]: the
    throttles that were commanded last, share of the largest thrust; `armed` [run]: 0 while a controller does not let
    the landing detector declare.
    """

    time: wp.array2d(dtype=wp.float64)
    value: wp.array2d(dtype=wp.float64)
    throttle: wp.array2d(dtype=wp.float64)
    armed: wp.array(dtype=wp.int32)


@wp.struct
class DetectorMemory:
    """What a landing detector remembers, [run]; NaN means that it has not happened.

    `since` [s]: start of the present stillness; `landed` [s]: when it declared a landing; `called` [s]: when it
    was called last; `effort` and `usual` [N]: what the throttle trigger keeps.
    """

    since: wp.array(dtype=wp.float64)
    landed: wp.array(dtype=wp.float64)
    called: wp.array(dtype=wp.float64)
    effort: wp.array(dtype=wp.float64)
    usual: wp.array(dtype=wp.float64)


@wp.struct
class Sensing:
    """All that a batch keeps of its sensors; survives from chunk to chunk.

    `key`: of the noise; `run_index` [run]: which run of a campaign this is, for its noise; `due` [run] [s]: when the
    next sensor samples; `tick` [sensor, run]: its number of samples so far. Recorded runs keep every sample:
    `sample_time` [sample, run] [s], NaN where none was taken, and `sample_value` [row, run], sensor after sensor, in
    each sensor sample after sample, and in each sample channel after channel. `force` [point, run] [N]: normal forces
    for switches; `carried` [slot, run]: what sensors keep from sample to sample. `waits` [run]: 1 while sensors are
    sampled at the calls of the controller alone.
    """

    readings: Readings
    memory: DetectorMemory
    key: wp.vec2ui
    run_index: wp.array(dtype=wp.uint32)
    due: wp.array(dtype=wp.float64)
    waits: wp.array(dtype=wp.int32)
    tick: wp.array2d(dtype=wp.int32)
    force: wp.array2d(dtype=wp.float64)
    carried: wp.array2d(dtype=wp.float64)
    sample_time: wp.array2d(dtype=wp.float64)
    sample_value: wp.array2d(dtype=wp.float64)
