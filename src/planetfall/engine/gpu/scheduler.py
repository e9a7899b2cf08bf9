"""The scheduler of a batch on a GPU: rounds of split kernels until no run is live (see `split_method`)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.device import HOST
from planetfall.engine.gpu.batched_queries import BOUNDS as QUERY_BOUNDS
from planetfall.engine.gpu.batched_queries import CHECKS, ENDS, EVALUATIONS, MIDDLES, WHERE, evaluation_kernel, list_of
from planetfall.engine.gpu.split_kernels import BOUNDS, kernels_of
from planetfall.engine.gpu.split_method import N_QUEUES, make_split_state
from planetfall.engine.gpu.work_queues import N_BUCKETS, WARP, empty, make_queues
from planetfall.engine.launch.batch_on_device import BatchOnDevice
from planetfall.world.terrain.model import Ground

ROUNDS = 64
"""Between two counts of the runs that are live; an even number, so that each begins with the same queues."""
SHRINKING = 0.6
"""A graph is made anew, for fewer threads, when fewer than this share of its runs are live (assumed)."""
BLOCK = BOUNDS[0]


@dataclass(frozen=True)
class Scheduler:
    """Launches the split kernels of a batch, round after round.

    Coasts and steps with peaks, with the evaluation at their ends, and the bracketing of mode changes go on beside the
    rest: they are for other runs. `narrows` and `coasts` are the streams for them, none on a CPU. `stride` of the rows
    of parameters from which runs take their physics: 0 where one is as good as another. `ground` [point, run]: answers
    for evaluations, where there are.
    """

    machine: BatchOnDevice
    split: Any
    stride: int
    ground: Any
    main: Any
    narrows: Any
    coasts: Any

    def begin(self, runs: np.ndarray) -> None:
        """Queues some runs [place], each of which is between two steps, or begins its step again.

        The queries of their first evaluation are answered now; those of every other one are, where the step before
        ends.
        """
        monitors, queries, device = self.machine.batch.monitors, self.split.queries, self.machine.model.device
        self.split.queues = make_queues(N_QUEUES, runs, device)
        queries.count.zero_()
        if self.ground is None:
            return
        monitors.ground = self.ground
        inputs = [wp.array(runs.astype(np.int32), device=device), monitors.n_queried, queries.count, queries.entries]
        wp.launch(evaluation_kernel(self.machine.model.assembly), len(runs), inputs=inputs, device=device)
        self.answer_queries(kernels_of(self.machine.model.assembly).query, EVALUATIONS)

    def launch(self, parity: int, n_live: int) -> None:
        """Takes the runs that wait in queues of a parity through it."""
        kernels, main = kernels_of(self.machine.model.assembly), self.main
        self._wait(self.narrows, main)
        self.launch_queue(kernels.narrow, parity, n_live, self.narrows)
        self.answer_queries(kernels.query, CHECKS + parity, self.narrows)
        self.launch_queue(kernels.judge, parity, n_live, self.narrows)
        self._wait(self.coasts, main)
        if kernels.coast is not None:
            self.launch_queue(kernels.coast, parity, n_live, self.coasts)
        self.launch_queue(kernels.locate, parity, n_live, self.coasts)
        self.launch_queue(kernels.evaluate, parity, n_live, self.coasts)
        self.launch_queue(kernels.attempt, parity, n_live)
        self.answer_queries(kernels.query, ENDS + parity)
        self.launch_queue(kernels.sift, parity, n_live)
        self.answer_queries(kernels.query, MIDDLES + parity)
        self.launch_queue(kernels.find_mode_change, parity, n_live)
        self._wait(main, self.narrows)
        self.launch_queue(kernels.take, parity, n_live)
        self._wait(main, self.coasts)
        self.empty(parity)

    @property
    def at_once(self) -> int:
        """Threads that are at work at once on a GPU."""
        return BOUNDS[0] * BOUNDS[1] * self.narrows.device.sm_count

    def launch_queue(self, kernel: Any, parity: int, n_live: int, stream: Any = None) -> None:
        """Launches one of the kernels that take runs from a queue; every bucket may leave part of a warp idle."""
        n_threads = n_live + N_BUCKETS * (WARP - 1)
        at_once = n_threads if self.narrows is None else self.at_once
        inputs = [self.machine.batch, self.machine.params, self.stride, self.machine.record, self.split, parity]
        self._launch(kernel, n_threads, [*inputs, min(n_threads, at_once)], stream)

    def answer_queries(self, kernel: Any, row: int, stream: Any = None) -> None:
        """Answers a list of queries, with as many threads as are at work at once."""
        n_threads = QUERY_BOUNDS[0] * QUERY_BOUNDS[1] * (1 if self.narrows is None else self.narrows.device.sm_count)
        queries = self.split.queries
        inputs = [
            self.machine.batch,
            self.machine.params,
            self.stride,
            queries,
            list_of(queries, int(row)),
            row,
        ]
        self._launch(kernel, n_threads, [*inputs, WHERE[row // 2], n_threads], stream)

    def empty(self, parity: int) -> None:
        """Empties the queues for the round after the next."""
        inputs = [self.split.queues, parity, self.split.queries.count]
        options = {} if self.main is None else {"stream": self.main}
        wp.launch(empty, N_QUEUES // 2 * N_BUCKETS, inputs=inputs, device=self.machine.model.device, **options)

    def _launch(self, kernel: Any, n_threads: int, inputs: list[Any], stream: Any = None) -> None:
        device = self.machine.model.device
        if self.narrows is None:
            wp.launch(kernel, n_threads, inputs=inputs, device=device)
        else:
            wp.launch(kernel, n_threads, inputs=inputs, device=device, stream=stream or self.main, block_dim=BLOCK)

    def _wait(self, stream: Any, other: Any) -> None:
        """Lets one stream wait for what the other has to do so far."""
        if stream is not None:
            stream.wait_stream(other)


def make_scheduler(machine: BatchOnDevice) -> Scheduler:
    """The scheduler of a batch, in which no run takes part yet (see `Scheduler.begin`)."""
    device = wp.get_device(machine.model.device)
    split = make_split_state(machine.model.assembly, machine.n_runs, machine.model.device)
    # bracketing takes the longest of all that goes on at once, and begins first
    streams = [device.stream, wp.Stream(device, priority=-1), wp.Stream(device)] if device.is_cuda else [None] * 3
    is_common = machine.run_params is None or machine.run_params.differ_in_speed_alone()
    ground = None
    if machine.model.assembly.plan.culls:
        shape = (machine.n_runs, max(machine.model.assembly.n_points, 1))
        ground = wp.empty(shape, dtype=Ground, device=device).transpose((1, 0))
    return Scheduler(machine, split, 0 if is_common else 1, ground, *streams)


def advance_split(
    scheduler: Scheduler,
    runs: np.ndarray,
    is_over: Callable[[int], bool] = lambda n_live: n_live == 0,
    after_rounds: Callable[[], None] | None = None,
) -> np.ndarray:
    """Launches rounds of some runs [place] until their live number will do, and says which are live.

    Those are somewhere in a step, and begin it again if they go on in another way: that ends with the same bits.
    """
    if is_over(len(runs)):
        return runs
    machine, device = scheduler.machine, scheduler.machine.model.device
    options = {} if device == HOST else {"block_dim": BLOCK}
    wp.force_load(device, [kernel.module for kernel in kernels_of(machine.model.assembly).all], **options)
    scheduler.begin(runs)
    scheduler.empty(1)  # now: kernels are loaded before they are captured

    def rounds(n_live: int) -> None:
        for i in range(ROUNDS):
            scheduler.launch(i % 2, n_live)

    live, graph, capacity = len(runs), None, 0
    while not is_over(live):
        if device == HOST:
            rounds(live)
        else:
            if graph is None or live < SHRINKING * capacity:
                capacity = live
                with wp.ScopedCapture(device=device, force_module_load=False) as capture:
                    rounds(live)
                graph = capture.graph
            wp.capture_launch(graph)
        live = int(scheduler.split.queues.count.numpy().sum())
        if after_rounds is not None:
            after_rounds()
    machine.batch.monitors.ground = None  # of no use to whoever goes on
    return np.intersect1d(runs, machine.live_runs(), assume_unique=True)
