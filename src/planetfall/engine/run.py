"""The loop that drives the kernel: chunks, threads, progress, read-out."""

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import warp as wp

from planetfall.compute.device import HOST
from planetfall.engine.build import Model
from planetfall.engine.kernel import load_kernel
from planetfall.engine.launch.batch_on_device import MAX_EVENTS, BatchOnDevice, end_of, make_machine, read_events
from planetfall.engine.launch.per_run_parameters import PerRunParameters
from planetfall.engine.launch.run_in_progress import RunInProgress, Watcher
from planetfall.engine.state.result import BatchResult, RecordedRun
from planetfall.flight.controller import Controller
from planetfall.outcome import Outcome

if TYPE_CHECKING:  # batches load it: a recorded run would wait for it
    from planetfall.engine.gpu.cpu_offload import HostShare

Progress = Callable[[float], None]
"""Called again and again with the simulated time of the slowest live run over its duration, 0 to 1."""

PATIENCE = 0.2
"""Seconds between two polls of what the host has still to do."""
MOST, MOST_CUDA = 200_000, 400_000_000
"""Run-steps of a launch, on a CPU of each thread: about 0.1 s where a step is cheap."""
FIRST, FIRST_CUDA = 20, 500
"""Steps of the first launch; more on a GPU, where a launch costs more."""
SECONDS = 0.5
"""What a launch should take at most."""
GROWTH = 8
"""How many times longer the next launch may be."""


def run_batch(
    model: Model,
    initial_states: np.ndarray,
    *,
    run_params: PerRunParameters | None = None,
    run_indices: np.ndarray | None = None,
    threads: int | None = None,
    chunk_steps: int | None = None,
    progress: Progress | None = None,
    controller: Controller | Sequence[Controller] | None = None,
    hand_over_at: int | None = None,
) -> BatchResult:
    """Runs many trajectories to their ends.

    Args:
        model: Built with `is_recorded=False`, or history is kept only to be thrown away.
        initial_states: [run, 13 * bodies] as in `engine.structure.state_layout`; flywheels and tethers may follow.
        run_params: Parameters of each run, where they are not all the model's.
        run_indices: [run] which run of a campaign each is: with the seed, this decides its noise; 0, 1, ... by default.
        threads: CPU threads; all cores by default. Has no effect on the result.
        chunk_steps: Steps per launch and run, in place of those that suit (`LaunchSize`); with split kernels, of
            the host's share. Has no effect on the result.
        progress: Called between launches.
        controller: Python object that flies, copied for every run, or one for each; the scenario's own by default.
        hand_over_at: From how few live runs on the host's cores go on with them (see `gpu.cpu_offload`), 0 for never;
            by default as suits a GPU. Has no effect on the result.
    """
    from planetfall.engine.gpu.cpu_offload import HOST_STEPS, HostShare, load_host_kernel, runs_for_host
    from planetfall.engine.gpu.split_method import can_be_split

    machine = make_machine(model, initial_states, run_indices, run_params, controller)
    forget = machine.record.event_count.zero_ if model.assembly.is_recorded else lambda: None
    threads = threads or os.cpu_count() or 1
    few = runs_for_host(model, machine.n_runs, threads, hand_over_at)
    if few:
        load_host_kernel(model, run_params is not None)  # now, while nothing waits for it
    is_split = model.device != HOST and can_be_split(model.assembly)
    n_cores = max(1, threads - 1) if is_split else threads  # with split kernels this thread has the GPU to see to
    with HostShare(machine, run_params, n_cores, chunk_steps or HOST_STEPS) as host:
        if is_split:
            advance_with_host(machine, few, host, progress)
        else:
            host.take(_advance(machine, threads, chunk_steps, progress, forget, until=few))
        while not host.is_done(PATIENCE):
            _report_progress(progress, machine, host)
        if len(host.runs):
            _report_progress(progress, machine, host)
        return host.joined(end_of(machine))


def advance_with_host(machine: BatchOnDevice, few: int, host: "HostShare", progress: Progress | None) -> None:
    """Split kernels to the ends of all runs but those that the host takes over, some at a time, when few are live."""
    from planetfall.engine.gpu.cpu_offload import TURNS
    from planetfall.engine.gpu.scheduler import advance_split, make_scheduler

    scheduler, turn = make_scheduler(machine), max(1, few // TURNS)

    def report_progress() -> None:
        _report_progress(progress, machine, host)

    left = advance_split(scheduler, machine.live_runs(), lambda n_live: n_live <= few, report_progress)
    while len(left):
        host.take(left[:turn])
        left = advance_split(scheduler, left[turn:], lambda n_live: n_live == 0 or host.has_time, report_progress)


def _report_progress(progress: Progress | None, machine: BatchOnDevice, host: "HostShare") -> None:
    if progress is not None:
        is_here = machine.batch.status.numpy() == Outcome.running
        is_here[host.runs] = False
        progress(min(machine.share_done(np.flatnonzero(is_here)), host.share_done()))


def run_recorded(
    model: Model,
    *,
    run_index: int = 0,
    chunk_steps: int | None = None,
    progress: Progress | None = None,
    controller: Controller | None = None,
    watcher: Watcher | None = None,
) -> RecordedRun:
    """Runs the scenario's own trajectory and keeps its history, with the noise of one run of a campaign."""
    machine = make_machine(model, model.initial_state[None, :], np.array([run_index]), controller=controller)
    run = RunInProgress(machine)
    before = None if watcher is None else lambda: watcher.before_launch(run)
    _advance(machine, 1, chunk_steps, progress, lambda: run.events.extend(read_events(machine)), before)
    return run.recorded()


def _advance(
    machine: BatchOnDevice,
    threads: int,
    chunk_steps: int | None,
    progress: Progress | None,
    read_out: Callable[[], None],
    before: Callable[[], int | None] | None = None,
    until: int = 0,
) -> np.ndarray:
    """Launches chunk after chunk of the live runs until no more than so many are, and says which [place].

    `before` each, it may be given a number of steps to launch. On a CPU each thread takes an equal share of the runs.
    """
    device = machine.model.device
    on_cpu = device == HOST
    slices = max(1, min(threads, machine.n_runs)) if on_cpu else 1
    size, live = LaunchSize(device, slices), machine.live_runs()
    block = {} if on_cpu else {"block_dim": machine.block}
    load_kernel(machine.kernel, device, machine.block)  # compiled here, once: threads would each compile for themselves
    if progress is not None:
        progress(machine.share_done(live))  # from now on it is the runs that take the time
    with ThreadPoolExecutor(slices) as pool:
        while len(live) > until:
            wanted = chunk_steps if before is None else before()
            steps, begin = wanted or size.steps(len(live)), time.perf_counter()

            def launch(part: np.ndarray, steps: int = steps) -> None:
                index = wp.array(part, dtype=wp.int32, device=device)
                inputs = [machine.batch, machine.params, machine.record, index, steps, MAX_EVENTS]
                wp.launch(machine.kernel, len(part), inputs=inputs, device=device, **block)

            n_parts = min(slices, len(live))
            if n_parts == 1:
                launch(live)
            else:
                list(pool.map(launch, np.array_split(live, n_parts)))
            wp.synchronize_device(device)
            size.note(steps, time.perf_counter() - begin)
            if machine.host_controller is not None:
                machine.host_controller.answer()
            read_out()
            live = machine.live_runs()
            if progress is not None:
                progress(machine.share_done(live))
    return live


class LaunchSize:
    """Tells the steps of each launch: enough to be worth it, few enough that a batch can be shown and interrupted.

    What a step takes differs by a factor of 10,000: a box on a plane, a polyhedron of 200,000 facets. So a batch begins
    with few, and the time of each launch tells how many the next one may have. No result depends on it.

    Args:
        device: Where they are.
        threads: That launch at the same time.
    """

    def __init__(self, device: str, threads: int) -> None:
        self._allowed, most = (FIRST, MOST) if device == HOST else (FIRST_CUDA, MOST_CUDA)
        self._run_steps = most * threads

    def steps(self, n_live: int) -> int:
        """For so many live runs."""
        return max(1, min(self._allowed, self._run_steps // n_live))

    def note(self, steps: int, seconds: float) -> None:
        """A launch of so many took some time [s]."""
        self._allowed = max(1, int(steps * min(GROWTH, SECONDS / max(seconds, 1e-9))))
