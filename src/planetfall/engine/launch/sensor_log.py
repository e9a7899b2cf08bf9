"""Arrays for the readings of a batch, and what is read out of them."""

from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.struct_arrays import allocate
from planetfall.engine.build import Model
from planetfall.engine.state.result import Samples
from planetfall.errors import InputError
from planetfall.flight.readings import Sensing
from planetfall.flight.sensors.mount import places
from planetfall.flight.sensors.noise import noise_key

MAX_SAMPLE_BYTES = 4 * 2**30


def make_sensing(model: Model, n_runs: int, run_indices: np.ndarray | None) -> Any:
    """Arrays for the readings of a batch, before the first sample; `run_indices` [run] key the noise."""
    sensing, device = Sensing(), model.device
    if not model.assembly.sensors:
        return sensing
    n_sensors, n_channels = len(model.assembly.sensors), sum(sensor.n_channels for sensor in model.assembly.sensors)
    sensing.key = noise_key(model.scenario.scenario.seed)
    sensing.run_index = wp.array(_checked_indices(run_indices, n_runs), dtype=wp.uint32, device=device)
    allocate(sensing, n_runs, device, due=0, waits=0)
    allocate(sensing, (n_sensors, n_runs), device, tick=0)
    allocate(sensing.readings, (n_sensors, n_runs), device, time=np.nan)
    allocate(sensing.readings, (n_channels, n_runs), device, value=np.nan)
    allocate(sensing.readings, n_runs, device, armed=1)
    n_carried = max(1, sum(sensor.n_memory for sensor in model.assembly.sensors))
    allocate(sensing, (n_carried, n_runs), device, carried=np.nan)
    never = dict.fromkeys(("since", "landed", "called", "effort", "usual"), np.nan)
    allocate(sensing.memory, n_runs, device, **never)
    if model.assembly.is_recorded:
        _make_memory(model, sensing, n_runs)
    return sensing


def _checked_indices(run_indices: np.ndarray | None, n_runs: int) -> np.ndarray:
    if run_indices is None:
        return np.arange(n_runs, dtype=np.uint32)
    given = np.asarray(run_indices)
    if given.shape != (n_runs,) or given.dtype.kind not in "iu" or np.any(given < 0) or np.any(given >= 2**32):
        raise InputError("run_indices", "are not one number for each run", f"{n_runs} whole numbers from 0 to 2^32 - 1")
    return given.astype(np.uint32)


def _make_memory(model: Model, sensing: Any, n_runs: int) -> None:
    where = places(model.scenario)
    n_samples, n_rows = sum(p.n_samples for p in where), sum(p.n_samples * p.n_channels for p in where)
    need = 8 * (n_samples + n_rows) * n_runs
    if need > MAX_SAMPLE_BYTES:
        fastest = int(np.argmax([place.n_samples * place.n_channels for place in where]))
        raise InputError(
            f"sensors.{fastest}.rate",
            f"{model.scenario.sensors[fastest].rate:g} Hz: all samples of the run need {need / 2**30:.1f} GiB",
            f"at most {MAX_SAMPLE_BYTES / 2**30:.0f} GiB",
            "lower the rates, or shorten scenario.duration",
        )
    allocate(sensing, (n_samples, n_runs), model.device, sample_time=np.nan)
    allocate(sensing, (n_rows, n_runs), model.device, sample_value=0)


def detected(model: Model, sensing: Any, n_runs: int) -> np.ndarray:
    """When each run's detector declared a landing [s]; NaN if it did not, or if there is none."""
    if not model.assembly.sensors:
        return np.full(n_runs, np.nan)
    return sensing.memory.landed.numpy()


def samples_of(model: Model, sensing: Any, run: int = 0) -> dict[str, Samples]:
    """Every sample that a recorded run took, by name of the sensor."""
    if not model.assembly.sensors:
        return {}
    times, values = sensing.sample_time.numpy()[:, run], sensing.sample_value.numpy()[:, run]
    taken, out = sensing.tick.numpy()[:, run], {}
    for sensor, place in zip(model.scenario.sensors, places(model.scenario), strict=True):
        n, width = int(taken[place.index]), place.n_channels
        rows = values[place.row : place.row + n * width].reshape(n, width)
        own = times[place.sample : place.sample + n]
        taken_at = ~np.isnan(own)  # in a phase with calls at a lower rate there are instants without a sample
        out[sensor.name] = Samples(own[taken_at], rows[taken_at])
    return out
