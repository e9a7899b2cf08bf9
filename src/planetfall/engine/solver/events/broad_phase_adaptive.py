"""Broad phase of a trial step: which contact points can touch the ground; the others are left out of the search.

A terrain that bounds its steepness gives the criterion: in a step in which no point goes a longer path than w, no gap
shrinks by more than the step's `reach`, w times steepness. Over the steps that a run has taken, the reaches add up to
`travel`: by how much any gap may have shrunk. A point that is found at a gap g stays apart `until` travel has grown by
g: nothing is done for it before.

A point that comes to the ground within a trial loses its gap on the way there, and gains that of the end on the way
back: where the two together are more than the reach, it has not touched. Only the other points are candidates, and are
queried inside the step.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.contact.broad_phase import EVERYWHERE, counted_gap
from planetfall.engine.solver.dopri5 import trial_struct
from planetfall.engine.state.batch import GapSample, Monitors, structs
from planetfall.engine.structure.assembly import Assembly

STRAY = wp.constant(wp.float64(1.05))
"""Times farther a point may go than the bound: the cubic through two attitudes is not quite a rotation (assumed)."""
THIRD = wp.constant(wp.float64(1.0 / 3.0))
N_BITS = wp.constant(32)


@lru_cache
def longest_path(assembly: Assembly) -> Any:
    """`@wp.func (h, y, k1, trial, params) -> length [m] of the path of any point in a trial step, at most`.

    Along the cubic between the step's ends. Its speed is a parabola between three vectors (its Bezier points), and in
    the mean no faster than they are in theirs. A point at p in body axes is at x + q p q*: while q goes dq, it goes no
    more than 2 |p| |dq|.
    """
    params, vector = assembly.params, assembly.layout.vector
    trial_type = trial_struct(vector)

    @wp.func
    def place(v: wp.ref[vector]) -> wp.vec3d:
        return wp.vec3d(v[0], v[1], v[2])

    @wp.func
    def turned(v: wp.ref[vector]) -> wp.vec4d:
        return wp.vec4d(v[6], v[7], v[8], v[9])

    @wp.func
    def path(
        h: wp.float64, y: wp.ref[vector], k1: wp.ref[vector], trial: wp.ref[trial_type], p: wp.ref[params]
    ) -> wp.float64:
        first = place(k1) * (h * THIRD)
        last = place(trial.slope) * (h * THIRD)
        chords = wp.length(first) + wp.length(place(trial.y) - place(y) - first - last) + wp.length(last)
        begun = turned(k1) * (h * THIRD)
        ended = turned(trial.slope) * (h * THIRD)
        turn = wp.length(begun) + wp.length(turned(trial.y) - turned(y) - begun - ended) + wp.length(ended)
        return STRAY * (chords + wp.float64(2.0) * p.extents[0] * turn)

    return path


@wp.func_native(
    """
    const char* rows = (const char*)until.data + (size_t)run * until.strides[1];
    int n = until.shape[0] - first < 32 ? until.shape[0] - first : 32;
    unsigned bits = 0;
    #pragma unroll 8
    for (int k = 0; k < n; k++)
        bits |= (unsigned)(*(const double*)(rows + (size_t)(first + k) * until.strides[0]) <= travel) << k;
    return bits;
    """
)
def listed_points(until: wp.array2d(dtype=wp.float64), first: int, run: int, travel: wp.float64) -> wp.uint32:  # pyright: ignore
    """Bits of N_BITS points from the first one on: 1 of those that may touch when gaps have shrunk by `travel`.

    Nothing is written in between, so that a GPU need not wait for one number before it reads the next.
    """
    ...


@wp.func_native(
    """
    #if defined(__CUDA_ARCH__)
    return __ffs((int)bits) - 1;
    #else
    return __builtin_ctz(bits);
    #endif
    """
)
def lowest(bits: wp.uint32) -> int:  # pyright: ignore[reportReturnType]
    """Place of the lowest bit that is 1, of which there must be one."""
    ...


@wp.func
def with_listed_points(
    listed: wp.array2d(dtype=wp.int32), n_listed: int, until: wp.array2d(dtype=wp.float64), travel: wp.float64, run: int
) -> wp.int32:
    """Adds the points that may touch when gaps have shrunk by `travel` to a list [place, run]: how many it has then."""
    n = int(n_listed)
    first = int(0)
    while first < until.shape[0]:
        bits = listed_points(until, first, run, travel)
        while bits != wp.uint32(0):
            listed[n, run] = first + lowest(bits)
            n += 1
            bits = bits & (bits - wp.uint32(1))
        first += N_BITS
    return n


@lru_cache
def broad_phase_lister(assembly: Assembly) -> Any:
    """`@wp.func (h, y, k1, trial, params, batch, run)`: lists the points that may touch, after those that do already.

    By list, not by number: so a GPU queries the next point of all runs at the same time.
    """
    params, vector, culls, n_points = assembly.params, assembly.layout.vector, assembly.plan.culls, assembly.n_points
    batch_type, trial_type = structs(assembly)[0], trial_struct(vector)
    path_of, steepness = longest_path(assembly), assembly.terrain.steepness

    @wp.func
    def begin_anew(m: wp.ref[Monitors], run: int):
        """After a coast any point may touch at once."""
        travel = m.travel[run]
        j = int(0)
        while j < wp.static(n_points):
            m.until[j, run] = travel
            j += 1
        m.has_coasted[run] = 0

    @wp.func
    def list_broad_phase(
        h: wp.float64, y: wp.ref[vector], k1: wp.ref[vector], trial: wp.ref[trial_type], p: wp.ref[params],
        batch: wp.ref[batch_type], run: int,
    ):  # fmt: skip
        if wp.static(culls):
            m = batch.monitors
            steep = steepness(p.terrain)
            path = path_of(h, y, k1, trial, p)
            reach = wp.where(path < steep[1], path * steep[0], EVERYWHERE)
            batch.reach[run] = reach
            batch.trial[run] = batch.trial[run] + 1
            travel = m.travel[run] + reach
            if m.has_coasted[run] == 1:
                begin_anew(m, run)
            n_listed = wp.int32(m.memory.n_listed[0, run])
            for place in range(n_listed):
                batch.listed[place, run] = m.memory.listed[place, run]
            if wp.static(n_points > 0):  # arrays have a row, even so
                n_listed = with_listed_points(batch.listed, n_listed, m.until, travel, run)
            batch.n_listed[run] = n_listed

    return list_broad_phase


@wp.func_native(
    """
    #define AT(type, a, row) (*(type*)((char*)a.data + (size_t)(row) * a.strides[0] + (size_t)run * a.strides[1]))
    enum { AT_ONCE = 8 };
    int n_queried = n_touching;
    for (int first = n_touching; first < n_listed; first += AT_ONCE) {
        int point[AT_ONCE];
        double gap[AT_ONCE];
        const int n = n_listed - first < AT_ONCE ? n_listed - first : AT_ONCE;
        #pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            point[k] = k < n ? AT(int, listed, first + k) : 0;
        #pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            gap[k] = k < n ? AT(double, gap_samples, end + point[k]) : 0.0;
        #pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (k >= n) continue;
            AT(double, until, point[k]) = travel + (gap[k] < most ? gap[k] : most);
            if (gap[k] <= 0.0) AT(int, queried, n_queried++) = point[k];
        }
    }
    #undef AT
    return n_queried;
    """
)
def keep_apart(
    listed: wp.array2d(dtype=wp.int32), n_touching: int, n_listed: int, gap_samples: wp.array2d(dtype=GapSample),
    end: int, until: wp.array2d(dtype=wp.float64), queried: wp.array2d(dtype=wp.int32), run: int, travel: wp.float64,
    most: wp.float64,
) -> int:  # fmt: skip  # pyright: ignore[reportReturnType]
    """How long points stay apart that were found so at a trial's end, in the rows from `end` on.

    Those in the ground are added to the list of the `queried`: how many it has then. Several points at once, and
    nothing is written before all has been read, so that a GPU need not wait for each.
    """
    ...


@lru_cache
def step_taker(assembly: Assembly) -> Any:
    """`@wp.func (params, batch, run)`: the trial is taken; the gaps at its end are known when the next step begins."""
    params, culls = assembly.params, assembly.plan.culls
    batch_type, counted = structs(assembly)[0], counted_gap(assembly)
    n_points = max(assembly.n_points, 1)

    @wp.func
    def take(p: wp.ref[params], batch: wp.ref[batch_type], run: int):
        if wp.static(culls):
            m = batch.monitors
            reach = batch.reach[run]
            travel = m.travel[run]
            if reach < EVERYWHERE:  # else every point was queried, and begins anew
                travel += reach
            end = wp.static(n_points) - batch.start[run]
            n_touching = wp.min(m.memory.n_listed[0, run], batch.n_listed[run])
            for place in range(n_touching):
                m.queried[place, run] = batch.listed[place, run]
            m.n_queried[run] = keep_apart(
                batch.listed, n_touching, batch.n_listed[run], batch.gap_samples, end, m.until, m.queried, run, travel,
                counted(p, EVERYWHERE),
            )  # fmt: skip
            m.travel[run] = travel
            batch.start[run] = end
            batch.taken[run] = batch.trial[run]

    return take


@lru_cache
def coast_taker(assembly: Assembly) -> Any:
    """`@wp.func (batch, run)`: a coast is taken; no gap that was found before holds any more."""
    batch_type = structs(assembly)[0]

    @wp.func
    def take(batch: wp.ref[batch_type], run: int):
        batch.monitors.n_queried[run] = 0
        batch.monitors.has_coasted[run] = 1
        batch.trial[run] = batch.trial[run] + 1
        batch.taken[run] = batch.trial[run]

    return take
