"""The adaptive method in split kernels: every run has the bits that it has where one thread takes it to its end.

On a CPU they go one run after the other, so that kernels, queues and queries are those of a GPU, but not its chance.
"""

import numpy as np
import pytest
import warp as wp

import planetfall
from planetfall import InputError
from planetfall.engine.build import Model, build
from planetfall.engine.gpu.batched_queries import make_queries
from planetfall.engine.gpu.cpu_offload import HostShare, taken_over
from planetfall.engine.gpu.scheduler import Scheduler, advance_split, make_scheduler
from planetfall.engine.gpu.split_method import LOCATE, NARROW
from planetfall.engine.gpu.work_queues import N_BUCKETS, SPREAD, WARP, Queues, line_up, make_queues, spread_run_of
from planetfall.engine.launch.batch_on_device import MAX_EVENTS, end_of, make_machine
from planetfall.engine.launch.per_run_parameters import PerRunParameters, per_run_parameters
from planetfall.engine.run import advance_with_host, run_batch
from planetfall.engine.solver.events.point_scan import NO_EVENT, NO_PLACE, Scan
from planetfall.engine.solver.events.search_tasks import (
    CHECKS_BEFORE,
    CHECKS_DIP,
    IS_OVER,
    PROBES,
    EventSearch,
    checked,
    probed,
    seek,
)
from planetfall.outcome import Outcome
from planetfall.scenario.scenario import Scenario
from support.block_scene import assert_same_bits, block_model, spread
from support.hoppers import hopper, own_sizes, releases
from support.pushed_block import force


def assert_waves_have_the_same_bits(model: Model, states: np.ndarray) -> None:
    """As the one kernel."""
    machine = make_machine(model, states, None)
    assert len(advance_split(make_scheduler(machine), machine.live_runs())) == 0
    expected = run_batch(model, states, threads=1)
    assert np.all(expected.touches.sum(axis=1) > 0)  # or there would be no switches to look for
    assert_same_bits(end_of(machine), expected)


def test_a_block_has_the_same_bits_in_split_kernels() -> None:
    """All its points are asked, touchdowns and slips are located."""
    model = block_model("adaptive")
    assert not model.assembly.plan.culls
    assert_waves_have_the_same_bits(model, spread(model.initial_state, 40, 5))


def test_a_hopper_has_the_same_bits_in_split_kernels() -> None:
    """Its points are sorted out by how far the ground is, and it coasts."""
    model = hopper()
    assert model.assembly.plan.culls
    assert model.assembly.plan.coasts
    assert_waves_have_the_same_bits(model, releases(model))


def thrown() -> Scenario:
    """A block that slides and tumbles."""
    start = {"position": [0.0, 0.0, 1.2], "velocity": [0.4, 0.1, -0.5], "angular_velocity": [0.3, 0.5, -0.2]}
    values = {"scenario.duration": 1.5, "initial": start, "integrator.tolerance": 1e-7}
    return planetfall.load("sink-flat").with_values(values)


def thrown_with(what: str) -> Scenario:
    """And a companion, or forces that set in and end."""
    alone = thrown()
    other = {**alone.to_dict()["vehicle"], "name": "other", "mass": 3.0 * alone.vehicle.mass}
    beside = {"position": [8.0, 0.0, 1.0], "velocity": [0.0, 0.3, 0.0]}
    push = force("push", ((0.1, 0.2, 0.7), (50.0, 200.0, 10.0)), (1.0, 0.0, 0.0))
    thrust = force("thruster", ((0.3, 0.9), (10.0, 300.0)), (0.0, 1.0, 0.0), (0.3, 0.0, 0.0))
    values = {
        "a companion": {"companions": [{"vehicle": other, "initial": beside}]},
        "forces": {"forces": [push, thrust]},
    }
    return alone.with_values(values[what])


@pytest.mark.long
@pytest.mark.parametrize("what", ["a companion", "forces"])
def test_whatever_a_block_has_it_has_the_same_bits_in_split_kernels(what: str) -> None:
    model = build(thrown_with(what), is_recorded=False)
    states = np.tile(model.initial_state, (7, 1))
    states[:, 2] += 0.05 * np.arange(7)
    states[:, 10] += 0.1 * np.arange(7)
    assert_waves_have_the_same_bits(model, states)


def test_runs_that_diverge_at_once_end_so_in_split_kernels() -> None:
    """One of four."""
    model = hopper()
    states = releases(model)
    states[1, 3:6] = 1e155
    machine = make_machine(model, states, None)
    advance_split(make_scheduler(machine), machine.live_runs())
    expected = run_batch(model, states, threads=1)
    assert Outcome(expected.status[1]) == Outcome.diverged
    assert_same_bits(end_of(machine), expected)


def test_parameters_of_their_own_are_those_of_each_run() -> None:
    """Of its size, with points of its own, and of its duration."""
    model = hopper()
    machine = make_machine(model, releases(model, 4), None, own_sizes(model, 4))
    advance_split(make_scheduler(machine), machine.live_runs())
    assert_same_bits(end_of(machine), run_batch(model, releases(model, 4), run_params=own_sizes(model, 4)))


def test_physics_is_read_from_one_row_where_only_the_speed_of_errors_differs() -> None:
    """The speeds are those of each run, or all would take the same steps as the first."""
    model, states = hopper(), releases(hopper(), 4)

    def own() -> PerRunParameters:
        rows = per_run_parameters(model, [], [model.scenario] * 4, states)
        rows.fields()["step"]["speed"] *= [1.0, 1.5, 0.5, 2.0]
        return rows

    assert own().differ_in_speed_alone()
    machine = make_machine(model, states, None, own())
    scheduler = make_scheduler(machine)
    assert scheduler.stride == 0
    advance_split(scheduler, machine.live_runs())
    assert_same_bits(end_of(machine), run_batch(model, states, run_params=own()))
    assert np.all(end_of(machine).steps[1:] != run_batch(model, states).steps[1:])


def test_few_enough_runs_stay_as_they_are() -> None:
    """Also none at all."""
    model = hopper()
    machine = make_machine(model, releases(model), None)
    for runs in (machine.live_runs(), np.empty(0, dtype=np.int32)):
        assert advance_split(make_scheduler(machine), runs, lambda n_live: n_live <= machine.n_runs) is runs
    assert np.all(machine.batch.steps.numpy() == 0)


def test_more_runs_than_questions_can_be_counted_are_refused() -> None:
    """Before any memory is taken."""
    with pytest.raises(InputError, match="26843545 of 40 points"):
        make_queries(hopper().assembly, 26843546, "cpu")


def stopped_in_mid_step(model: Model, queue: int) -> Scheduler:
    """A batch in split kernels, at the first round in which a run waits in a queue."""
    machine = make_machine(model, releases(model), None)
    scheduler, parity = make_scheduler(machine), 0
    scheduler.begin(machine.live_runs())
    while not n_waiting(scheduler, queue + parity):
        scheduler.launch(parity, machine.n_runs)
        parity = 1 - parity
    assert len(machine.live_runs()) == machine.n_runs
    return scheduler


def n_waiting(scheduler: Scheduler, queue: int) -> int:
    """Runs in a queue."""
    return int(scheduler.split.queues.count.numpy().reshape(-1, int(N_BUCKETS))[queue].sum())


@pytest.mark.parametrize("queue", [NARROW, LOCATE])
def test_runs_that_leave_the_waves_in_mid_step_begin_it_again_in_the_same_bits(queue: int) -> None:
    """Handed over to the one kernel, all of them, as one looks for the instant of a touch or for a peak in a step."""
    model = hopper()
    machine = stopped_in_mid_step(model, int(queue)).machine
    host = taken_over(machine, machine.live_runs())
    live = wp.array(host.live_runs(), dtype=wp.int32, device="cpu")
    inputs = [host.batch, host.params, host.record, live, 10**6, MAX_EVENTS]
    wp.launch(host.kernel, len(live), inputs=inputs, device="cpu")
    assert_same_bits(end_of(host), run_batch(model, releases(model), threads=1))


def test_some_runs_go_on_in_other_waves_in_the_same_bits() -> None:
    """Two of them first, to their ends, then the others, each from the middle of a step."""
    model = hopper()
    scheduler = stopped_in_mid_step(model, int(NARROW))
    for some in (np.array([1, 2]), np.array([0, 3])):
        assert len(advance_split(scheduler, some)) == 0
    assert_same_bits(end_of(scheduler.machine), run_batch(model, releases(model), threads=1))


@pytest.mark.parametrize(("n_runs", "few"), [(4, 4), (12, 3), (12, 11)])
def test_waves_and_the_host_share_what_is_left_in_the_same_bits(n_runs: int, few: int) -> None:
    """The host takes one run at a time, and the next when it has begun that; the last run ends here or there."""
    model, calls = hopper(), list[float]()
    machine = make_machine(model, releases(model, n_runs), None, own_sizes(model, n_runs))
    with HostShare(machine, own_sizes(model, n_runs), 1, 100) as host:
        advance_with_host(machine, few, host, calls.append)
        while not host.is_done(60.0):
            pass
        found = host.joined(end_of(machine))
    assert len(host.runs) > 0
    assert calls == sorted(calls)
    assert_same_bits(found, run_batch(model, releases(model, n_runs), run_params=own_sizes(model, n_runs)))


@wp.kernel(enable_backward=False)
def join(queues: Queues, work: wp.array(dtype=wp.int32)):
    line_up(queues, 1, wp.tid(), work[wp.tid()])


@wp.kernel(enable_backward=False)
def take(queues: Queues, n_threads: int, runs_out: wp.array(dtype=wp.int32)):
    runs_out[wp.tid()] = spread_run_of(queues, 1, wp.tid(), n_threads)


@pytest.mark.parametrize(("n_threads", "apart"), [(1000, 1), (5000, 1), (8000, int(SPREAD)), (20_000, int(SPREAD))])
def test_every_run_of_a_queue_is_taken_once_however_widely_they_are_spread(n_threads: int, apart: int) -> None:
    """By every thread, or every eighth if there are threads enough; those with most work first."""
    work = np.random.default_rng(1).integers(0, 60, 500, dtype=np.int32)
    queues = make_queues(2, np.arange(len(work)), "cpu")
    wp.launch(join, len(work), inputs=[queues, wp.array(work, device="cpu")], device="cpu")
    taken = wp.zeros(n_threads, dtype=wp.int32, device="cpu")
    wp.launch(take, n_threads, inputs=[queues, n_threads, taken], device="cpu")
    threads = np.flatnonzero(taken.numpy() >= 0)
    assert sorted(taken.numpy()[threads]) == list(range(len(work)))
    assert 500 <= 5000 / int(SPREAD) < 500 + int(N_BUCKETS) * (int(WARP) - 1) <= 8000 / int(SPREAD)
    assert np.diff(threads).min() == apart
    assert work[taken.numpy()[threads[0]]] >= 36  # all of the last bucket


@wp.kernel(enable_backward=False)
def follow(scans: wp.array(dtype=Scan), off: wp.array2d(dtype=wp.int32), tasks_out: wp.array2d(dtype=wp.int32),
           high_out: wp.array(dtype=wp.float64)):  # fmt: skip
    """Goes through a search: the k-th check finds the point at off[k]; a probe ends a tenth of a step before."""
    i = wp.tid()
    search = EventSearch()
    scan = scans[i]
    seek(search, scan, 1)
    k = int(0)
    n = int(0)
    while search.task != IS_OVER:
        tasks_out[i, n] = search.task
        n += 1
        if search.task == PROBES:
            end = search.high - wp.float64(0.1)
            probed(search, wp.max(end - wp.float64(0.01), search.low), end)
        else:
            checked(search, scan, off[i, k], 1)
            k += 1
    high_out[i] = search.high


CASES = {
    "nothing": ((2.0, 2.0, -1, -1), [], [], float(NO_EVENT)),
    "a dip without a touch": ((0.4, 2.0, -1, -1), [-1], [CHECKS_DIP], float(NO_EVENT)),
    "a dip in each half, the second with a touch": (
        (0.4, 0.6, -1, -1), [-1, 3, -1], [CHECKS_DIP, CHECKS_DIP, PROBES, CHECKS_BEFORE], 0.7,
    ),
    "in the ground at the end": ((2.0, 2.0, -1, 2), [-1], [PROBES, CHECKS_BEFORE], 0.9),
    "another one was in it before": (
        (2.0, 2.0, 5, 2), [1, -1], [PROBES, CHECKS_BEFORE, PROBES, CHECKS_BEFORE], 0.29,
    ),
    "from the half's start on": ((2.0, 0.2, -1, -1), [4], [CHECKS_DIP, PROBES], 0.5),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_search_does_its_tasks_in_order(case: str) -> None:
    """Worked out by hand: dips before ends, the first half before the second, and back while others switch before."""
    (dip_1, dip_2, entered_1, entered_2), found, tasks, high = CASES[case]
    scan = Scan()
    scan.dip_1, scan.dip_2, scan.entered_1, scan.entered_2 = dip_1, dip_2, entered_1, entered_2
    off = np.array([[*found, *(8 - len(found)) * [int(NO_PLACE)]]], dtype=np.int32)
    done, end = wp.zeros((1, 16), dtype=wp.int32, device="cpu"), wp.zeros(1, dtype=wp.float64, device="cpu")
    scans = wp.array([scan], dtype=Scan, device="cpu")
    wp.launch(follow, 1, inputs=[scans, wp.array(off, device="cpu"), done, end], device="cpu")
    assert [task for task in done.numpy()[0] if task] == [int(task) for task in tasks]
    assert end.numpy()[0] == pytest.approx(high, abs=1e-14)
