"""Runs that another device goes on with: all numbers are there, nothing is shared, and no bit of the result changes.

Handed over from CPU to CPU. That a GPU and a CPU round alike is a matter of the operations, `Assembly.rounds_alike`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import warp as wp

from planetfall import InputError
from planetfall.contact.model import MODE_APART
from planetfall.engine.build import Model, build
from planetfall.engine.gpu.cpu_offload import (
    RUNS_PER_CORE,
    HostShare,
    can_hand_over,
    joined,
    on_host,
    runs_for_host,
    taken_over,
)
from planetfall.engine.launch.batch_on_device import MAX_EVENTS, BatchOnDevice, end_of, make_machine
from planetfall.engine.launch.per_run_parameters import PerRunParameters, per_run_parameters
from planetfall.engine.run import run_batch
from planetfall.outcome import Outcome
from support.block_scene import assert_same_bits, block, block_model, spread
from support.hoppers import hopper, own_sizes, releases
from support.structs import addresses, contents

N = 8


def in_mid_course(model: Model, own: PerRunParameters | None, n_steps: int) -> BatchOnDevice:
    """A batch after so many steps of each run."""
    machine = make_machine(model, releases(model, N), None, own)
    launch(machine, np.arange(N), n_steps)
    return machine


def launch(machine: BatchOnDevice, runs: np.ndarray, n_steps: int) -> None:
    live = wp.array(runs, dtype=wp.int32, device="cpu")
    inputs = [machine.batch, machine.params, machine.record, live, n_steps, MAX_EVENTS]
    wp.launch(machine.kernel, len(runs), inputs=inputs, device="cpu")


@pytest.mark.parametrize("has_own", [False, True])
@pytest.mark.parametrize("n_steps", [3, 500])
def test_runs_go_on_elsewhere_in_the_same_bits(has_own: bool, n_steps: int) -> None:
    """In flight, or while touching; what the first machine does with them afterwards does not reach them."""
    model, left = hopper(), np.array([0, 2, 7])
    plain = run_batch(model, releases(model, N), run_params=own_sizes(model, N) if has_own else None)
    own = own_sizes(model, N) if has_own else None
    machine = in_mid_course(model, own, n_steps)
    assert np.all(machine.batch.status.numpy()[left] == Outcome.running)
    assert np.any(machine.batch.monitors.memory.modes.numpy()[:, left] != MODE_APART) == (n_steps > 3)
    n_touches = machine.batch.monitors.touches.numpy()[:, left].sum()
    host = taken_over(machine, left, own)
    launch(machine, np.arange(N), 10**6)
    machine.batch.state.fill_(np.nan)
    launch(host, np.arange(len(left)), 10**6)
    assert plain.touches[left].sum() > n_touches
    assert_same_bits(end_of(host), plain, left)


@pytest.mark.parametrize("has_own", [False, True])
def test_a_batch_that_is_handed_over_ends_as_one_that_is_not(has_own: bool) -> None:
    """By parameters of their own runs end one after the other, and the last three are taken over; else all at once."""
    model, calls = hopper(), list[float]()
    plain = run_batch(model, releases(model, N), run_params=own_sizes(model, N) if has_own else None)
    own, few = (own_sizes(model, N), 3) if has_own else (None, N)
    found = run_batch(
        model, releases(model, N), run_params=own, hand_over_at=few, chunk_steps=100, progress=calls.append
    )  # fmt: skip
    assert_same_bits(found, plain)
    assert calls == sorted(calls) and calls[-1] == 1.0


def test_planes_and_arrays_of_each_run_go_along() -> None:
    """The block: slopes are in the rows themselves, not on the model's ground; feet are arrays of one pool."""
    nominal = block("adaptive")
    model = build(nominal, is_recorded=False)
    states = spread(model.initial_state, 6, seed=2)

    def own() -> PerRunParameters:
        scenarios = [nominal.with_values(values_of(i)) for i in range(6)]
        return per_run_parameters(model, list(values_of(0)), scenarios, states)

    plain = run_batch(model, states, run_params=own())
    assert len(np.unique(plain.time)) > 3
    assert_same_bits(run_batch(model, states, run_params=own(), hand_over_at=4, chunk_steps=10), plain)


def test_progress_is_that_of_the_slowest_by_its_own_duration() -> None:
    """Of which one is three times the model's."""
    nominal, calls = block("adaptive"), list[float]()
    model = build(nominal, is_recorded=False)
    states = spread(model.initial_state, 2, seed=2)
    scenarios = [nominal.with_values({"scenario.duration": n * nominal.scenario.duration}) for n in (1, 3)]
    own = per_run_parameters(model, ["scenario.duration"], scenarios, states)
    run_batch(model, states, run_params=own, chunk_steps=20, progress=calls.append)
    assert len(calls) > 9
    assert calls == sorted(calls) and calls[-1] == 1.0 and calls[-2] < 1.0


def test_no_runs_have_no_results() -> None:
    model = block_model("adaptive")
    assert len(run_batch(model, np.empty((0, 13))).time) == 0


def test_a_negative_number_of_runs_is_refused() -> None:
    with pytest.raises(InputError, match="hand_over_at: -1"):
        run_batch(hopper(), releases(hopper()), hand_over_at=-1)


def values_of(i: int) -> dict[str, float]:
    """A slope, a foot and an end of a run of its own."""
    return {
        "terrain.slope_deg": 5.0 + i,
        "vehicle.points.0.position.2": -0.2 - 0.01 * i,
        "scenario.duration": 1.0 - 0.1 * i,
    }


def test_rows_of_the_host_hold_what_those_of_the_device_hold() -> None:
    """All but addresses, of which none is one of the device's."""
    model, left = hopper(), np.array([1, 2, 6])
    own = own_sizes(model, N)
    machine = in_mid_course(model, own, 3)
    host = taken_over(machine, left, own)
    before, after = machine.params.numpy()[left], host.params.numpy()
    assert [contents(row) for row in after] == [contents(row) for row in before]
    assert len({contents(row)[".points_B"] for row in after}) == len(left)
    assert not {a for row in after for a in addresses(row)} & {a for row in before for a in addresses(row)}
    again = taken_over(machine, left, own).params.numpy()
    assert [row["points_B"]["data"] for row in again] == [row["points_B"]["data"] for row in after]  # copied once


def test_ground_is_copied_with_what_is_behind_it() -> None:
    """A distance field is known by an array of structs, too, which have addresses in them."""
    model = hopper()
    ground, copy = model.params.terrain, on_host(model).params.terrain
    for name in ("values", "brick_at"):
        first, second = getattr(ground.grid, name), getattr(copy.grid, name)
        assert first.ptr != second.ptr and np.array_equal(first.numpy(), second.numpy())
        assert copy.grids.numpy()[name]["data"][0] == second.ptr
        assert ground.grids.numpy()[name]["data"][0] == first.ptr


def test_only_runs_whose_operations_are_rounded_alike_are_handed_over() -> None:
    model = hopper()
    assembly = model.assembly
    assert can_hand_over(model)
    others = [
        {"method": "rk4"},
        {"is_recorded": True},
        {"gravity": replace(assembly.gravity, rounds_alike=False)},
        {"terrain": replace(assembly.terrain, make_memory=lambda *_: None)},
    ]
    for values in others:
        other = replace(model, assembly=replace(assembly, **values))
        assert not can_hand_over(other), values
        with pytest.raises(InputError, match="hand_over_at: 3"):
            runs_for_host(other, 10, 2, 3)


def test_a_gpu_hands_over_what_is_left_of_many() -> None:
    model, few = hopper(), 16 * RUNS_PER_CORE
    on_gpu = replace(model, device="cuda:0")
    assert runs_for_host(on_gpu, few + 1, 16) == few
    assert runs_for_host(on_gpu, few, 16) == 0
    assert runs_for_host(on_gpu, few + 1, 16, 5) == 5
    assert runs_for_host(on_gpu, few + 1, 16, 0) == 0
    assert runs_for_host(model, few + 1, 16) == 0


def test_the_host_stops_when_it_is_left_and_says_what_went_wrong() -> None:
    """A run that takes for ever ends its launch and no more; what a run raises is raised where it is waited for."""
    model = hopper()
    machine = in_mid_course(model, None, 3)
    with HostShare(machine, None, 2, 1) as host:
        host.take(machine.live_runs())
    part = host._parts[0][0]
    assert len(part.live_runs()) > 0
    assert part.batch.steps.numpy().max() < run_batch(model, releases(model, N)).steps.max()
    with HostShare(machine, None, 2, 1) as host:
        host._finish = lambda *_: 1 / 0  # type: ignore[method-assign]
        host.take(machine.live_runs())
        with pytest.raises(ZeroDivisionError):
            host.is_done(60.0)
        with pytest.raises(ZeroDivisionError):
            _ = host.has_time


def test_joined_results_have_the_rows_of_both() -> None:
    model = hopper()
    machine = in_mid_course(model, None, 3)
    whole, part = end_of(machine), end_of(taken_over(machine, np.array([5, 2])))
    assert joined(whole, []) is whole
    again = joined(whole, [(replace(part, time=np.array([7.0, 8.0])), np.array([5, 2]))])
    assert again.time[[5, 2]].tolist() == [7.0, 8.0]
    assert_same_bits(replace(again, time=whole.time), whole)
