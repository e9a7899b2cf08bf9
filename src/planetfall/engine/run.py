"""The loop that drives the kernel: chunks, threads, progress, read-out."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import warp as wp

from planetfall.engine.build import Model
from planetfall.engine.handover import HOST, HOST_STEPS, joined, load_host_kernel, runs_for_host, taken_over
from planetfall.engine.kernel import load_kernel
from planetfall.engine.machine import MAX_EVENTS, Machine, end_of, make_machine, read_events
from planetfall.engine.own_params import OwnParams
from planetfall.engine.result import BatchResult, RecordedRun
from planetfall.engine.rounds import advance_in_waves
from planetfall.engine.underway import Underway, Watcher
from planetfall.engine.waves import can_go_in_waves
from planetfall.flight.controller import Controller

Progress = Callable[[float], None]
"""Called after every chunk with the simulated time of the slowest live run over the duration, 0 to 1."""

CHUNK_STEPS = 200_000
"""Run-steps per launch and thread on a CPU: about 0.1 s, so that a run can be shown and interrupted."""
CHUNK_STEPS_CUDA = 400_000_000


def run_batch(
    model: Model,
    initial_states: np.ndarray,
    *,
    own: OwnParams | None = None,
    run_indices: np.ndarray | None = None,
    threads: int | None = None,
    chunk_steps: int | None = None,
    progress: Progress | None = None,
    controller: Controller | None = None,
    hand_over_at: int | None = None,
) -> BatchResult:
    """Runs many trajectories to their ends.

    Args:
        model: Built with `is_recorded=False`, or history is kept only to be thrown away.
        initial_states: [run, 13 * bodies] as in `engine.layout`; flywheels and tethers may follow.
        own: Parameters of each run, where they are not all the model's.
        run_indices: [run] which run of a campaign each is: with the seed, this decides its noise; 0, 1, ... by default.
        threads: CPU threads; all cores by default. Has no effect on the result.
        chunk_steps: Steps per launch and run, except in waves. Has no effect on the result.
        progress: Called after every chunk.
        controller: Python object that flies, copied for every run; the scenario's own by default.
        hand_over_at: From how few live runs on the host's cores go on with them (see `handover`), 0 for never; by
            default as suits a GPU. Has no effect on the result.
    """
    machine = make_machine(model, initial_states, run_indices, own, controller)
    forget = machine.record.event_count.zero_ if model.assembly.is_recorded else lambda: None
    threads = threads or os.cpu_count() or 1
    few = runs_for_host(model, machine.n_runs, threads, hand_over_at)
    if few:
        load_host_kernel(model, own is not None)  # now, while nothing waits for it
    if model.device != HOST and can_go_in_waves(model.assembly):
        tell = None if progress is None else lambda: progress(_progress(machine, machine.live_runs()))
        left = advance_in_waves(machine, machine.live_runs(), few, tell)
    else:
        left = _advance(machine, threads, chunk_steps, progress, forget, until=few)
    if not len(left):
        return end_of(machine)
    host = taken_over(machine, left, own)
    _advance(host, threads, chunk_steps or HOST_STEPS, progress, forget, parts=len(left))
    return joined(end_of(machine), end_of(host), left)


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
    run = Underway(machine)
    before = None if watcher is None else lambda: watcher.before_launch(run)
    _advance(machine, 1, chunk_steps, progress, lambda: run.events.extend(read_events(machine)), before)
    return run.recorded()


def _advance(
    machine: Machine,
    threads: int,
    chunk_steps: int | None,
    progress: Progress | None,
    read_out: Callable[[], None],
    before: Callable[[], int | None] | None = None,
    until: int = 0,
    parts: int | None = None,
) -> np.ndarray:
    """Launches chunk after chunk of the live runs until no more than so many are, and says which [place].

    `before` each, it may be told how many steps to launch. On a CPU the runs of a chunk are so many `parts`, of which
    each thread takes the next when it is free; one for each thread by default.
    """
    device = machine.model.device
    on_cpu = device == HOST
    slices = min(threads, machine.n_runs) if on_cpu else 1
    live = machine.live_runs()
    block = {} if on_cpu else {"block_dim": machine.block}
    load_kernel(machine.kernel, device, machine.block)  # compiled here, once: threads would each compile for themselves
    with ThreadPoolExecutor(slices) as pool:
        while len(live) > until:
            wanted = chunk_steps if before is None else before()
            steps = wanted or max(1, (CHUNK_STEPS * slices if on_cpu else CHUNK_STEPS_CUDA) // len(live))

            def launch(part: np.ndarray, steps: int = steps) -> None:
                index = wp.array(part, dtype=wp.int32, device=device)
                inputs = [machine.batch, machine.params, machine.record, index, steps, MAX_EVENTS]
                wp.launch(machine.kernel, len(part), inputs=inputs, device=device, **block)

            n_parts = min(parts or slices, len(live))
            if n_parts == 1:
                launch(live)
            else:
                list(pool.map(launch, np.array_split(live, n_parts)))
            if machine.pilot is not None:
                machine.pilot.answer()
            read_out()
            live = machine.live_runs()
            if progress is not None:
                progress(_progress(machine, live))
    return live


def _progress(machine: Machine, live: np.ndarray) -> float:
    if not len(live):
        return 1.0
    return float(machine.batch.time.numpy()[live].min() / machine.model.scenario.scenario.duration)
