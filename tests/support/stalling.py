"""Blocks that are about to be given up: they have taken many steps already, and have a long way before them."""

from __future__ import annotations

import numpy as np
import warp as wp

from planetfall.compute.device import HOST
from planetfall.engine.build import build
from planetfall.engine.gpu.scheduler import advance_split, make_scheduler
from planetfall.engine.launch.batch_on_device import MAX_EVENTS, BatchOnDevice, end_of, make_machine
from planetfall.engine.solver.stall import WINDOW
from planetfall.engine.state.result import BatchResult
from support.block_scene import block, spread

DURATION = 1e9
"""[s]: a window of steps has to lead 1000 s ahead, and blocks that come to rest in a second do not get so far."""


def stalling_blocks(device: str) -> BatchOnDevice:
    """Five of them, 40 steps before the end of a window."""
    scenario = block("adaptive", scenario__duration=DURATION, outcome__stop_at_rest=False)
    model = build(scenario, device, is_recorded=False)
    machine = make_machine(model, spread(model.initial_state, 5, 3), None)
    machine.batch.steps.fill_(WINDOW - 40)
    return machine


def ended_in_chunks(machine: BatchOnDevice, steps: int) -> BatchResult:
    """A thread for each run, some steps at a time."""
    device = machine.model.device
    size = {} if device == HOST else {"block_dim": machine.block}
    while len(live := machine.live_runs()):
        index = wp.array(live, dtype=wp.int32, device=device)
        inputs = [machine.batch, machine.params, machine.record, index, steps, MAX_EVENTS]
        wp.launch(machine.kernel, len(live), inputs=inputs, device=device, **size)
    return end_of(machine)


def ended_in_waves(machine: BatchOnDevice) -> BatchResult:
    """All together, what each has to do next."""
    live = advance_split(make_scheduler(machine), np.arange(machine.n_runs, dtype=np.int32))
    assert len(live) == 0
    return end_of(machine)
