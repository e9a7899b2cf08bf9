"""The last runs of a batch on a GPU, handed over to the cores of its host.

With an adaptive method some runs take many times the steps of the others. A GPU takes as long for a step of a few runs
as for one of thousands; the cores of the host take each run's step in a fraction of that. So when few runs are left,
the host goes on with them from where they are, with copies of the very numbers that the GPU has: with split
kernels it takes some of them, and more when none of those waits for a core, while the GPU goes on with the others; else
it takes all.

That changes no bit where every operation is rounded alike everywhere, and only such batches are handed over: with an
adaptive method, unrecorded, without sensors, controllers and arms, in a gravity field and over ground that have no
logarithms or angles in them (`Assembly.rounds_alike`), and whose points keep nothing in the terrain's own memory. The
others stay where they are.
"""

from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import warp as wp

from planetfall.compute.device import HOST
from planetfall.compute.struct_copy import copied, with_arrays
from planetfall.engine.build import Model
from planetfall.engine.kernel import LARGE_BLOCK, block_of, kernel_of, load_kernel, shared_params
from planetfall.engine.launch.batch_on_device import MAX_EVENTS, BatchOnDevice, end_of
from planetfall.engine.launch.per_run_parameters import PerRunParameters
from planetfall.engine.state.batch import structs
from planetfall.engine.state.result import BatchResult
from planetfall.errors import InputError
from planetfall.outcome import Outcome

RUNS_PER_CORE = 40
"""From so many live runs on, for each core, some are handed over.

It matters little when that begins: for 100,000 `minerva-67p` on an H200 and 16 cores, a simulation of who does what,
from the steps that each run took, gives the last thousand the same time to within 2 % for 24 to 62.
"""
TURNS = 20
"""Such a part of these is handed over at a time."""
HOST_STEPS = 20_000
"""Steps per launch and run on the host: some tenths of a second, after which a batch can be interrupted."""


def can_hand_over(model: Model) -> bool:
    """Whether another device goes on with runs of a model in the same bits."""
    assembly = model.assembly
    is_movable = assembly.is_mode_locked and not assembly.is_recorded and assembly.terrain.make_memory is None
    return is_movable and assembly.rounds_alike and not assembly.law.keeps_dent


def runs_for_host(model: Model, n_runs: int, threads: int, wanted: int | None = None) -> int:
    """From how few live runs on the host takes a batch of so many over; 0 for never.

    Args:
        model: Of the batch.
        n_runs: With which it begins.
        threads: Of the host.
        wanted: That number, in place of the one that suits a GPU.

    Raises:
        InputError: It is negative, or wanted of runs that cannot be handed over.
    """
    if wanted is None:
        few = RUNS_PER_CORE * threads
        return few if model.device != HOST and can_hand_over(model) and n_runs > few else 0
    if wanted < 0:
        raise InputError("hand_over_at", f"{wanted} is not a number of runs", "0 for never, or more")
    if wanted > 0 and not can_hand_over(model):
        raise InputError(
            "hand_over_at", f"{wanted}: these runs cannot go on elsewhere in the same bits",
            "an adaptive method, unrecorded, without sensors, controllers and arms, and operations rounded alike",
            "leave it out",
        )  # fmt: skip
    return wanted


def load_host_kernel(model: Model, has_per_run_parameters: bool) -> None:
    """Compiles what the host will need, unless that was done before."""
    load_kernel(kernel_of(model.assembly, has_per_run_parameters, LARGE_BLOCK), HOST, LARGE_BLOCK)


class HostShare:
    """Runs that the cores of the host go on with, each core with one at a time, while others do as they like.

    Args:
        machine: Whose runs they are.
        run_params: The parameters of all runs, if it was made with some.
        n_cores: How many.
        chunk_steps: Steps per launch.
    """

    def __init__(
        self, machine: BatchOnDevice, run_params: PerRunParameters | None, n_cores: int, chunk_steps: int
    ) -> None:
        self._machine, self._run_params, self._chunk_steps = machine, run_params, chunk_steps
        self._pool = ThreadPoolExecutor(n_cores)
        self._parts: list[tuple[BatchOnDevice, np.ndarray]] = []
        self._tasks: list[Future[None]] = []
        self._is_stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._is_stopped = True
        self._pool.shutdown(cancel_futures=True)

    @cached_property
    def _model(self) -> Model:
        return on_host(self._machine.model)

    def take(self, runs: np.ndarray) -> None:
        """Goes on with some runs [place] of the machine, between two launches of that."""
        if not len(runs):
            return
        part = taken_over(self._machine, runs, self._run_params, self._model)
        load_kernel(part.kernel, HOST, part.block)
        self._parts.append((part, runs))
        self._tasks += [self._pool.submit(self._finish, part, place) for place in range(len(runs))]

    def _finish(self, part: BatchOnDevice, place: int) -> None:
        index = wp.array([place], dtype=wp.int32, device=HOST)
        inputs = [part.batch, part.params, part.record, index, self._chunk_steps, MAX_EVENTS]
        status = part.batch.status.numpy()
        while status[place] == Outcome.running and not self._is_stopped:
            wp.launch(part.kernel, 1, inputs=inputs, device=HOST)

    @property
    def has_time(self) -> bool:
        """Whether no run waits for a core.

        Raises:
            Exception: Whatever a run has raised.
        """
        self._raise_errors()
        return all(task.running() or task.done() for task in self._tasks)

    def is_done(self, seconds: float) -> bool:
        """Whether all have ended, or do so within some seconds.

        Raises:
            Exception: Whatever a run has raised.
        """
        left = wait(self._tasks, seconds, FIRST_EXCEPTION).not_done
        self._raise_errors()
        return not left

    def _raise_errors(self) -> None:
        for task in self._tasks:
            if task.done():
                task.result()

    def share_done(self) -> float:
        """How much of its duration the slowest live run has behind it [-]; 1 without any."""
        return min((part.share_done(part.live_runs()) for part, _ in self._parts), default=1.0)

    @property
    def runs(self) -> np.ndarray:
        """Places, in the machine, of all that were taken."""
        return np.concatenate([np.empty(0, dtype=np.int32), *(runs for _, runs in self._parts)])

    def joined(self, whole: BatchResult) -> BatchResult:
        """The results of a batch with those of the runs that ended here."""
        return joined(whole, [(end_of(part), runs) for part, runs in self._parts])


def taken_over(
    machine: BatchOnDevice, runs: np.ndarray, run_params: PerRunParameters | None = None, model: Model | None = None
) -> BatchOnDevice:  # fmt: skip
    """A machine of the host that goes on with some runs [place] of another, between two launches of that.

    Args:
        machine: The other one.
        runs: Which.
        run_params: The parameters of all runs, if the first machine was made with some.
        model: Its model `on_host`, if there is one already.
    """
    model, batch_type = model or on_host(machine.model), structs(machine.model.assembly)[0]
    batch = with_arrays(batch_type, machine.batch, lambda array: _of_runs(array, runs, machine.n_runs))
    chosen = None if run_params is None else run_params.of_runs(runs, model.params)
    params = shared_params(model) if chosen is None else chosen.on_device(model.params.terrain, HOST)
    block = block_of(model, len(runs))
    kernel, record = kernel_of(model.assembly, run_params is not None, block), structs(model.assembly)[1]()
    return BatchOnDevice(model, kernel, params, batch, record, len(runs), block, run_params=chosen)


def on_host(model: Model) -> Model:
    """A model whose parameters are copies on the host; not made anew, for fields baked there need not be the same."""
    return replace(model, params=copied(model.assembly.params, model.params, HOST), device=HOST)


def _of_runs(array: Any, runs: np.ndarray, n_runs: int) -> Any:
    """Some runs of an array [.., run] of a batch, on the host."""
    assert array.shape[-1] == n_runs
    places = wp.array(runs, dtype=wp.int32, device=array.device)
    some = wp.indexedarray(array, [None] * (array.ndim - 1) + [places]).contiguous()
    return wp.array(some.numpy(), dtype=array.dtype, device=HOST)


def joined(whole: BatchResult, parts: Sequence[tuple[BatchResult, np.ndarray]]) -> BatchResult:
    """The results of a batch, of which some runs [place] ended elsewhere, in several parts."""
    if not parts:
        return whole
    ends = {field.name: getattr(whole, field.name).copy() for field in fields(BatchResult)}
    for part, runs in parts:
        for name, values in ends.items():
            values[runs] = getattr(part, name)
    return BatchResult(**ends)
