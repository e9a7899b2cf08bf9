"""The last runs of a batch on a GPU, handed over to the cores of its host.

With an adaptive method some runs take many times the steps of the others. A GPU takes as long for a step of a few runs
as for one of thousands; the cores of the host take each run's step in a fraction of that. So when few runs are left,
the host goes on with them from where they are, with copies of the very numbers that the GPU has.

That changes no bit where every operation is rounded alike everywhere, and only such batches are handed over: with an
adaptive method, unrecorded, without sensors, controllers and arms, in a gravity field and over ground that have no
logarithms or angles in them (`Assembly.rounds_alike`), and whose points keep nothing in the terrain's own memory. The
others stay where they are.
"""

from dataclasses import fields, replace
from typing import Any

import numpy as np
import warp as wp

from planetfall.engine.batch import structs
from planetfall.engine.build import Model
from planetfall.engine.kernel import LARGE_BLOCK, block_of, kernel_of, load_kernel, shared_params
from planetfall.engine.machine import Machine
from planetfall.engine.own_params import OwnParams
from planetfall.engine.result import BatchResult
from planetfall.engine.struct_copy import copied, with_arrays
from planetfall.errors import InputError

HOST = "cpu"
RUNS_PER_CORE = 24
"""So many runs at most are handed over, for each core: where both take as long for a step of all runs.

For `minerva-67p`, 0.5 ms on an H200 whatever their number, and 28 microseconds a run on each of 16 busy cores of its
host, 13 on a core of another machine: 18 to 38 runs. Before, a GPU gains by each of its steps, after it the host,
whatever steps are left to each run.
"""
MANY = 4
"""A batch that is handed over begins with so many times the runs that are."""
HOST_STEPS = 20_000
"""Steps per launch and run on the host, each run by itself: some tenths of a second, then the live are counted."""


def can_hand_over(model: Model) -> bool:
    """Whether another device goes on with runs of a model in the same bits."""
    assembly = model.assembly
    is_movable = assembly.is_frozen and not assembly.is_recorded and assembly.terrain.make_room is None
    return is_movable and assembly.rounds_alike


def runs_for_host(model: Model, n_runs: int, threads: int, wanted: int | None = None) -> int:
    """From how few live runs on the host takes a batch of so many over; 0 for never.

    Args:
        model: Of the batch.
        n_runs: With which it begins.
        threads: Of the host.
        wanted: That number, in place of the one that suits a GPU.

    Raises:
        InputError: It is wanted of runs that cannot be handed over.
    """
    if wanted is None:
        few = RUNS_PER_CORE * threads
        return few if model.device != HOST and can_hand_over(model) and n_runs >= MANY * few else 0
    if wanted > 0 and not can_hand_over(model):
        raise InputError(
            "hand_over_at", f"{wanted}: these runs cannot go on elsewhere in the same bits",
            "an adaptive method, unrecorded, without sensors, controllers and arms, and operations rounded alike",
            "leave it out",
        )  # fmt: skip
    return wanted


def load_host_kernel(model: Model, has_own_params: bool) -> None:
    """Compiles what the host will need, unless that was done before."""
    load_kernel(kernel_of(model.assembly, has_own_params, LARGE_BLOCK), HOST, LARGE_BLOCK)


def taken_over(machine: Machine, runs: np.ndarray, own: OwnParams | None = None) -> Machine:
    """A machine of the host that goes on with some runs [place] of another, between two launches of that.

    `own`: the parameters of all runs, if the first machine was made with some.
    """
    model, batch_type = on_host(machine.model), structs(machine.model.assembly)[0]
    batch = with_arrays(batch_type, machine.batch, lambda array: _of_runs(array, runs, machine.n_runs))
    chosen = None if own is None else own.of_runs(runs, model.params)
    params = shared_params(model) if chosen is None else chosen.on_device(model.params.terrain, HOST)
    block = block_of(model, len(runs))
    kernel, record = kernel_of(model.assembly, own is not None, block), structs(model.assembly)[1]()
    return Machine(model, kernel, params, batch, record, len(runs), block, own=chosen)


def on_host(model: Model) -> Model:
    """A model whose parameters are copies on the host; not made anew, for fields baked there need not be the same."""
    return replace(model, params=copied(model.assembly.params, model.params, HOST), device=HOST)


def _of_runs(array: Any, runs: np.ndarray, n_runs: int) -> Any:
    """Some runs of an array [.., run] of a batch, on the host."""
    assert array.shape[-1] == n_runs
    return wp.array(np.take(array.numpy(), runs, axis=array.ndim - 1), dtype=array.dtype, device=HOST)


def joined(whole: BatchResult, part: BatchResult, runs: np.ndarray) -> BatchResult:
    """The results of a batch, of which some runs [place] ended elsewhere."""
    ends = {field.name: getattr(whole, field.name).copy() for field in fields(BatchResult)}
    for name, values in ends.items():
        values[runs] = getattr(part, name)
    return BatchResult(**ends)
