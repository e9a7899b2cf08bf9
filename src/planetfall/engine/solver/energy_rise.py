"""Whether energy rises along a run, judged after every step: the same for a recorded run and for one of a batch.

What a run holds is its kinetic and stored energy less the work that was put in by forces, motors, engines and reels and
by what a law's anchors book. Dampers and friction only take, so what is held can only fall. The `rise` is the most by
which it ever was above its lowest value so far; the `bound` is the rise that integration errors explain.

Fixed step. Energy goes over between what moves and what is stored by a power, whose integral RK4 takes by the weights
1/6, 2/3, 1/6 of Simpson's rule. Where the power jumps by J inside a step of length h, these err by at most J h/3, for a
kink by J' h^2/24, and where it is smooth in the order of h^5. Of its integrals from step to step the second differences
add up to at least J h about a jump and to J' h^2 about a kink, so that a third of the sum of their sizes bounds all of
these errors. The power is seen in the increments of kinetic energy and in those of what is stored less what was put in;
the smaller of the two differences counts. For a force that opposes motion takes energy in a stable step, if not to the
last joule what it should: that is in the first alone. And a store that jumps without a force is no error of the
integration: that is in the second alone. A body that turns freely stores nothing; its kinetic energy errs by at most
the rest of a series of order 4, (omega h)^5/120 of it; (omega h)^4/120 is taken, which needs no root and is more while
a step turns it by less than a radian.

Adaptive. A step is accepted if its errors are below tolerance times the size of each part of the state (`dopri5`);
their product with the gradient of the energy bounds the error of energy, and the bounds of the steps are added up. The
work that was put in is integrated beside them and has no say in the steps; its error is taken as the tolerance of its
size in every step (assumed).

Stick of the small-body law is blended with slip, so that it gives a little energy back. That is no error of the
integration, but the law says how much it is at most; what it gave, up to that, is in the bound, twice over as it is
only seen between steps.

Both have the rounding of a sum of energies in them, `ROUNDINGS` of their size for each step.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.engine.body.mass_properties import body_inertia
from planetfall.engine.mechanisms.chain import all_mechanisms
from planetfall.engine.state.batch import EnergyRow, evaluation_struct
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.engine.structure.work_accounts import WorkAccount

LOW, RISE, BOUND, LAST, RETURNED = 0, 1, 2, 3, 9
"""Places in the rows of `Monitors.energy` [J]; `LAST`: the time [s] with an adaptive method.

`RETURNED`: the power [W] that the law gave back at the last evaluation. With a fixed step, from `LAST` on: kinetic
energy at the last evaluation, and its gains in the two steps before; the same of what is stored less what was put in.
"""
ROUNDINGS = wp.constant(wp.float64(8 * np.finfo(float).eps))
"""Of the sizes of kinetic and stored energy: each is rounded when it is summed and when the state is."""
RK4_TURNING = wp.constant(wp.float64(1.0 / 120.0))
"""Of RK4's local error of a rotation: that of its fifth order."""


def _at(i: int) -> str:
    """A number of the row of a run, in an array without gaps, as in `in_place`."""
    return f"rows.data[(unsigned)run].c[{i}]"


@wp.func_native(
    f"""
    double& low = {_at(LOW)};
    if (!(held >= low)) low = held;  // the first as well: before it there is no lowest
    double& rise = {_at(RISE)};
    if (held - low > rise) rise = held - low;
    {_at(BOUND)} += error;
    """
)
def note_energy_held(rows: wp.array(dtype=EnergyRow), run: int, held: wp.float64, error: wp.float64):
    """Brings lowest value, rise and bound up to date with what is held, and the error of the last step [J]."""
    ...


@wp.func_native(
    f"""
    double least = 1.0e300;
    for (int i = 0; i < 2; ++i) {{
        double* kept = &{_at(LAST)} + 3 * i;
        const double now = i == 0 ? kinetic : stored;
        const double gain = now - kept[0];
        const double size = fabs((gain - kept[1]) - (kept[1] - kept[2]));
        kept[2] = kept[1];
        kept[1] = gain;
        kept[0] = now;
        least = size < least ? size : least;
    }}
    return least < 1.0e300 ? least * (1.0 / 3.0) : 0.0;  // there is none before the third step
    """
)
def third_difference(  # pyright: ignore
    rows: wp.array(dtype=EnergyRow), run: int, kinetic: wp.float64, stored: wp.float64
) -> wp.float64:
    """A third of the second difference of the gains of kinetic energy or of what is stored, whichever is smaller."""
    ...


@wp.func_native(f"for (int i = 0; i < 6; ++i) (&{_at(LAST)})[i] = NAN;")
def forget(rows: wp.array(dtype=EnergyRow), run: int):
    """Begins differences anew: energy was taken at once, by no power."""
    ...


@wp.func_native(f"double& last = {_at(LAST)}; const double step = t - last; last = t; return step;")
def time_since(rows: wp.array(dtype=EnergyRow), run: int, t: wp.float64) -> wp.float64:  # pyright: ignore
    """Time since the last evaluation [s], whose time is kept."""
    ...


@wp.func_native(f"double& before = {_at(RETURNED)}; const double sum = before + power; before = power; return sum * h;")
def returned_in(  # pyright: ignore
    rows: wp.array(dtype=EnergyRow), run: int, power: wp.float64, h: wp.float64
) -> wp.float64:
    """Twice what a law gave back [J] in a step of length h, by the powers at its ends."""
    ...


def rows_at_first(assembly: Assembly, n_runs: int) -> np.ndarray:
    """What the rows [run, place] hold before the first evaluation: no energies and gains, or the time of the start."""
    kept = [0.0] * 6 if assembly.is_mode_locked else [np.nan] * 6
    return np.tile([np.nan, 0.0, 0.0, *kept, 0.0], (n_runs, 1))


def add_to_lowest(rows: Any, change: float) -> None:
    """Energy [J] was put in by changing parameters between two launches, which is no rise."""
    values = rows.numpy().copy()
    values[:, LOW] += change
    rows.assign(values)


@lru_cache
def energy_monitor(assembly: Assembly) -> Any:
    """`@wp.func (t, y, params, rows of Monitors.energy, run, evaluation, looseness)`: updates rise and bound of a run.

    `looseness`: times which an adaptive method takes its tolerance.
    """
    params, vector, evaluation_type = assembly.params, assembly.layout.vector, evaluation_struct(assembly.layout.vector)
    without_work = _without_work_put_in(assembly, tuple(account for account in assembly.works if account.puts_in))
    without_links = all_mechanisms(assembly, "put_in")
    error_now = _error_by_tolerance(assembly) if assembly.is_mode_locked else _error_by_differences(assembly)

    @wp.func
    def note(
        t: wp.float64, y: wp.ref[vector], p: wp.ref[params], rows: wp.array(dtype=EnergyRow), run: int,
        evaluation: wp.ref[evaluation_type], looseness: wp.float64,
    ):  # fmt: skip
        stored = without_work(y, evaluation.stored)
        stored = without_links(y, p.mechanisms, stored)
        error = error_now(t, y, p, rows, run, evaluation, stored, looseness)
        note_energy_held(rows, run, evaluation.kinetic + stored, error)

    return note


@lru_cache
def _without_work_put_in(assembly: Assembly, accounts: tuple[WorkAccount, ...]) -> Any:
    """`@wp.func (y, energy [J]) -> energy` less the work of some accounts, each after the other."""
    vector, n = assembly.layout.vector, len(accounts)
    first = assembly.layout.work_index(accounts[0]) if n else -1
    rest: Any = _without_work_put_in(assembly, accounts[1:]) if n else None

    @wp.func
    def less(y: wp.ref[vector], energy: wp.float64) -> wp.float64:
        if wp.static(n > 0):
            return rest(y, energy - y[first])
        else:
            return energy

    return less


def _error_by_differences(assembly: Assembly) -> Any:
    """`@wp.func (t, y, params, rows, run, evaluation, stored, looseness) -> error [J]` of the last step, if fixed."""
    params, vector, evaluation_type = assembly.params, assembly.layout.vector, evaluation_struct(assembly.layout.vector)
    may_crash, n_bodies, returns = assembly.may_crash, assembly.n_bodies, assembly.law.returned is not None

    @wp.func
    def error(
        t: wp.float64, y: wp.ref[vector], p: wp.ref[params], rows: wp.array(dtype=EnergyRow), run: int,
        evaluation: wp.ref[evaluation_type], stored: wp.float64, looseness: wp.float64,
    ) -> wp.float64:  # fmt: skip
        out = third_difference(rows, run, evaluation.kinetic, stored)
        if wp.static(returns):
            out += returned_in(rows, run, evaluation.returned, p.step.step)
        out += ROUNDINGS * (evaluation.kinetic + wp.abs(evaluation.stored))
        for b in range(wp.static(n_bodies)):
            w = wp.vec3d(y[b * BODY_SIZE + 10], y[b * BODY_SIZE + 11], y[b * BODY_SIZE + 12])
            square = wp.length_sq(w) * p.step.step * p.step.step
            out += evaluation.kinetic * square * square * RK4_TURNING
        if wp.static(may_crash):
            if evaluation.is_broken == 1:
                forget(rows, run)
                return wp.float64(0.0)
        return out

    return error


def _error_by_tolerance(assembly: Assembly) -> Any:
    """`@wp.func (t, y, params, rows, run, evaluation, stored, looseness) -> error [J]` of the last adaptive step."""
    params, vector, evaluation_type = assembly.params, assembly.layout.vector, evaluation_struct(assembly.layout.vector)
    n_bodies, inertia_apply = assembly.n_bodies, body_inertia(assembly)[0]
    returns = assembly.law.returned is not None

    @wp.func
    def error(
        t: wp.float64, y: wp.ref[vector], p: wp.ref[params], rows: wp.array(dtype=EnergyRow), run: int,
        evaluation: wp.ref[evaluation_type], stored: wp.float64, looseness: wp.float64,
    ) -> wp.float64:  # fmt: skip
        h = time_since(rows, run, t)
        if h == wp.float64(0.0):  # a run that goes on elsewhere is evaluated again
            return wp.float64(0.0)
        mass = wp.float64(0.0)
        push = wp.float64(0.0)
        for b in range(wp.static(n_bodies)):
            o = b * BODY_SIZE
            mass += p.mass[b]
            speed = wp.length(wp.vec3d(y[o + 3], y[o + 4], y[o + 5]))
            acceleration = wp.length(
                wp.vec3d(evaluation.slope[o + 3], evaluation.slope[o + 4], evaluation.slope[o + 5])
            )
            turn = wp.vec3d(evaluation.slope[o + 10], evaluation.slope[o + 11], evaluation.slope[o + 12])
            push += p.mass[b] * acceleration * (p.step.length + speed * h) + wp.length(inertia_apply(p, b, turn))
        kinetic = wp.float64(2.0) * evaluation.kinetic
        kinetic += wp.float64(2.0) * wp.sqrt(evaluation.kinetic * mass) * p.step.speed
        put_in = wp.abs(evaluation.stored - stored)
        size = evaluation.kinetic + wp.abs(evaluation.stored) + put_in
        out = looseness * p.step.tolerance * (kinetic + push + put_in) + ROUNDINGS * size
        if wp.static(returns):
            out += returned_in(rows, run, evaluation.returned, h)
        return out

    return error
