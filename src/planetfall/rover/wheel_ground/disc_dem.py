"""A disc on an elevation map: every facet under its rim is visited, so that the contact is exact.

Three families of parallel lines bound the facets: columns, rows and diagonals, where the coordinates u, v and v - u of
the map, in cells, are whole numbers. Along the rim each coordinate is C + E sin theta - Q cos theta, which turns at
most once between theta = -90 and 90 degrees; the crossings of the three families are merged in the order of the angle.
"""

import warp as wp

from planetfall.rover.wheel_ground.disc import (
    Disc,
    Rest,
    Wave,
    facet_wave,
    no_rest,
    offer,
    offer_crease,
    wave_height,
)
from planetfall.world.terrain.dem.dem import DemParams, dem_facet
from planetfall.world.terrain.model import GROUND_HOLE, GROUND_OFF_MAP

NEVER = wp.constant(wp.float64(2.0))
"""An instant beyond the rim, which ends at t = 1."""


@wp.struct
class RimLine:
    """One coordinate along the rim, and the next of its whole numbers that the rim meets.

    `middle`, `east`, `back`: C, E and Q [cells]; `inverse`: 1/(E^2 + Q^2), 0 where the coordinate does not change;
    `cell`: whole part of the coordinate; `way`: +1 or -1; `turn`: t at which it turns, NEVER if it does not; `at`: t of
    the next crossing or turn.
    """

    middle: wp.float64
    east: wp.float64
    back: wp.float64
    inverse: wp.float64
    cell: wp.int32
    way: wp.int32
    turn: wp.float64
    at: wp.float64


@wp.func
def next_event(line: RimLine, here: wp.float64) -> wp.float64:
    """The next crossing (its t), or of the turn if that comes first; NEVER where there is neither."""
    if line.inverse == wp.float64(0.0):
        return NEVER
    beyond = line.cell
    if line.way > 0:
        beyond += 1
    distance = line.middle - wp.float64(beyond)
    squared = line.east * line.east + line.back * line.back - distance * distance
    crossing = NEVER
    if squared >= wp.float64(0.0):
        rate = wp.sqrt(squared) * wp.float64(line.way)
        sine = (rate * line.back - distance * line.east) * line.inverse
        cosine = (distance * line.back + rate * line.east) * line.inverse
        if cosine > wp.float64(-1.0e-9):  # a crossing at the very start of the rim survives its rounding
            crossing = wp.max(sine / (wp.float64(1.0) + cosine), here)
    return wp.min(crossing, line.turn)


@wp.func
def rim_line(middle: wp.float64, east: wp.float64, back: wp.float64) -> RimLine:
    """The line of a coordinate at the start of the rim, t = -1."""
    line = RimLine()
    line.middle = middle
    line.east = east
    line.back = back
    squared = east * east + back * back
    line.cell = wp.int32(wp.floor(middle - east))
    line.turn = NEVER
    line.way = wp.int32(1)
    if squared > wp.float64(0.0):
        line.inverse = wp.float64(1.0) / squared
        if east < wp.float64(0.0):
            line.way = wp.int32(-1)
        if back != wp.float64(0.0):
            # (sin, cos) of the turn, cos > 0; a positive Q makes it a lowest point
            root = wp.sqrt(squared)
            line.way = wp.int32(-1)
            line.turn = -east / (root + back)
            if back < wp.float64(0.0):
                line.way = wp.int32(1)
                line.turn = east / (root - back)
    line.at = next_event(line, wp.float64(-1.0))
    return line


@wp.func
def passed(line: RimLine) -> RimLine:
    """The line after its event: one cell further, or turned round."""
    out = line
    if line.at == line.turn:
        out.way = -line.way
        out.turn = NEVER
    else:
        out.cell = line.cell + line.way
    out.at = next_event(out, line.at)
    return out


@wp.func
def map_wave(dem: DemParams, disc: Disc, u: wp.float64, v: wp.float64, i: int, j: int, is_upper: int) -> Wave:
    """The wave of one facet."""
    facet = dem_facet(dem, i, j, u - wp.float64(i), v - wp.float64(j), is_upper)
    return facet_wave(disc, facet.z, wp.vec2d(facet.slope_x, facet.slope_y))


@wp.func
def failed(status: wp.int32) -> Rest:
    """No ground somewhere under the rim."""
    rest = no_rest()
    rest.status = status
    return rest


@wp.func
def disc_on_dem(dem: DemParams, disc: Disc) -> Rest:
    """Where a disc rests on a map; every facet below its rim must be known."""
    u = (disc.x - dem.origin[0]) / dem.spacing_x
    v = (disc.y - dem.origin[1]) / dem.spacing_y
    n_x = dem.heights.shape[1]
    n_y = dem.heights.shape[0]
    # written so that a place that is not a number is off the map
    if not (u > wp.float64(-1.0e9) and u < wp.float64(1.0e9) and v > wp.float64(-1.0e9) and v < wp.float64(1.0e9)):
        return failed(GROUND_OFF_MAP)
    ahead = disc.heading * disc.radius
    aside = disc.left * (disc.radius * disc.lean)
    columns = rim_line(u, ahead[0] / dem.spacing_x, aside[0] / dem.spacing_x)
    rows = rim_line(v, ahead[1] / dem.spacing_y, aside[1] / dem.spacing_y)
    diagonals = rim_line(v - u, rows.east - columns.east, rows.back - columns.back)
    rest = no_rest()
    before = Wave()
    is_first = int(1)
    is_rising = int(0)
    here = wp.float64(-1.0)
    while here < wp.float64(1.0):
        there = wp.min(wp.min(columns.at, rows.at), wp.min(diagonals.at, wp.float64(1.0)))
        if there - here > wp.float64(1.0e-14):
            i = columns.cell
            j = rows.cell
            if i < 0 or j < 0 or i > n_x - 2 or j > n_y - 2:
                return failed(GROUND_OFF_MAP)
            is_upper = int(0)
            if diagonals.cell >= j - i:
                is_upper = int(1)
            wave = map_wave(dem, disc, u, v, i, j, is_upper)
            if wp.isnan(wave.base):
                return failed(GROUND_HOLE)
            if wave.top >= here and wave.top <= there:
                rest = offer(rest, wave_height(wave, wave.top), wave.top, wave.slope)
            elif wave.top < here:
                if is_first == 1:
                    rest = offer(rest, wave_height(wave, here), here, wave.slope)
                elif is_rising == 1:
                    rest = offer_crease(rest, before, wave, here)
            elif there == wp.float64(1.0):
                rest = offer(rest, wave_height(wave, there), there, wave.slope)
            before = wave
            is_first = int(0)
            # kept for the crease: facets too thin to be looked at may lie before the next one
            is_rising = int(0)
            if wave.top > there:
                is_rising = int(1)
        if columns.at <= there:
            columns = passed(columns)
        if rows.at <= there:
            rows = passed(rows)
        if diagonals.at <= there:
            diagonals = passed(diagonals)
        here = there
    return rest
