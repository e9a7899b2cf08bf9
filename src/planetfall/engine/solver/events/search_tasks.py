"""The search for the first mode change of a trial step as a chain of tasks, each of which a GPU does for many runs.

A search goes through the step's halves. Where a gap is lowest inside a half, and at its end, all points are *checked*:
is one off its mode? The first that is gets *probed*: when, from there back to the half's start, does its mode change?
Then all are checked just before, and so on, until none has changed earlier.
"""

import warp as wp

from planetfall.engine.solver.events.point_scan import MIDDLE, NO_EVENT, NO_PLACE, Scan

IS_OVER, PROBES, CHECKS_DIP, CHECKS_TOUCHING, CHECKS_BEFORE = (wp.constant(i) for i in range(5))
"""Tasks; where a gap is lowest and before a mode change all points are checked, at a half's end those that touch."""
N_STAGES = 4


@wp.struct
class EventSearch:
    """How far a search is, in fractions of the step.

    `task`: what to do next, at the `instant` or from there back to `low`; `place` of the point to be probed; `high`:
    just past the first mode change found so far, or NO_EVENT; `stage`: the next one, of two to a half of the step:
    where a gap is lowest, and the end.
    """

    task: wp.int32
    stage: wp.int32
    place: wp.int32
    low: wp.float64
    high: wp.float64
    instant: wp.float64


@wp.func
def probe_back(search: wp.ref[EventSearch], place: wp.int32):
    """The point at a place is off its mode at the instant: since when?"""
    search.task = PROBES
    search.place = place
    search.high = search.instant


@wp.func
def seek(search: wp.ref[EventSearch], scan: wp.ref[Scan], has_queried: int):
    """Goes on to the next stage with anything to do, or the search is over.

    With `has_queried` = 1, points that touch were queried at the ends of both halves, and are in the scan.
    """
    search.task = IS_OVER
    search.high = NO_EVENT
    while search.stage < wp.static(N_STAGES) and search.task == IS_OVER:
        is_first = search.stage < 2
        search.low = wp.where(is_first, wp.float64(0.0), MIDDLE)
        if search.stage % 2 == 0:
            dip = wp.where(is_first, scan.dip_1, scan.dip_2)
            search.instant = search.low + dip * MIDDLE
            if dip < wp.float64(1.0):
                search.task = CHECKS_DIP
        else:
            entered = wp.where(is_first, scan.entered_1, scan.entered_2)
            search.instant = search.low + MIDDLE
            if entered != NO_PLACE:
                probe_back(search, entered)
            elif has_queried == 0:
                search.task = CHECKS_TOUCHING
        search.stage += 1


@wp.func
def checked(search: wp.ref[EventSearch], scan: wp.ref[Scan], off: wp.int32, has_queried: int):
    """Goes on after a check: `off` is the first place of a point that is off its mode there, or NO_PLACE."""
    if off != NO_PLACE:
        probe_back(search, off)
    elif search.task == CHECKS_BEFORE:
        search.task = IS_OVER
    else:
        seek(search, scan, has_queried)


@wp.func
def probed(search: wp.ref[EventSearch], before: wp.float64, after: wp.float64):
    """Goes on after a probe: the point is in its mode at the one fraction of the step, and off it at the other."""
    search.high = after
    search.instant = before
    search.task = wp.where(before > search.low, CHECKS_BEFORE, IS_OVER)
