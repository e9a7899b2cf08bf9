"""Where rocks lie: uniform over the field, none on another."""

import numpy as np
from scipy.spatial import KDTree

from planetfall.errors import InputError
from planetfall.world.terrain.procedural.draw import Stream, uniforms

ROUNDS = 100
"""How often a rock of one size class is thrown again before the field counts as full."""


def find_places(by_hand: np.ndarray, radius: np.ndarray, half: np.ndarray, seed: int) -> np.ndarray:
    """Centres [rock, 2] [m] of discs that do not overlap, by rejection, in classes of falling size.

    Args:
        by_hand: Centres of the first rocks [m], which are given.
        radius: Radii of all [m], those to be placed in falling order.
        half: Half the sides of the field [m].
        seed: Of the scenario.

    Raises:
        InputError: Two given rocks overlap, or some find no room.
    """
    places = np.concatenate([by_hand, np.full((len(radius) - len(by_hand), 2), np.nan)])
    given = np.arange(len(by_hand))
    if np.any(_conflicts(places, radius, given, given, is_same=True)):
        raise InputError("terrain.rocks.placed", "two of them overlap", "discs that do not overlap")
    settled = [given] if len(given) else []
    pending = np.arange(len(by_hand), len(radius))
    while len(pending):
        size = np.log2(radius[pending[0]] / radius[pending])
        settled.append(_settle(places, radius, pending[size < 1.0], settled, half, seed))
        pending = pending[size >= 1.0]
    return places


def _settle(
    places: np.ndarray, radius: np.ndarray, members: np.ndarray, settled: list[np.ndarray], half: np.ndarray, seed: int
) -> np.ndarray:
    """Throws the rocks of one size class until all lie clear of those settled and of each other; their indices."""
    mine: np.ndarray = members[:0]
    waiting = members
    for i in range(ROUNDS):
        # the numbers of a rock are its own: row `rock` of the round
        throw = uniforms(seed, Stream.rock_places, i, (len(radius), 2))[waiting]
        places[waiting] = (2.0 * throw - 1.0) * half
        is_refused = _conflicts(places, radius, waiting, waiting, is_same=True)
        for others in (*settled, mine):
            is_refused |= _conflicts(places, radius, waiting, others)
        mine, waiting = np.concatenate([mine, waiting[~is_refused]]), waiting[is_refused]
        if len(waiting) == 0:
            return mine
    raise InputError(
        "terrain.rocks.cover", f"{len(waiting)} of {len(radius)} rocks find no room in {ROUNDS} throws",
        "rocks that cover less of the ground", "a smaller cover, or a larger diameter_min",
    )  # fmt: skip


def _conflicts(
    places: np.ndarray, radius: np.ndarray, some: np.ndarray, others: np.ndarray, is_same: bool = False
) -> np.ndarray:
    """Which of some rocks overlap one of the others; among the same ones, the later of each pair."""
    if len(some) == 0 or len(others) == 0:
        return np.zeros(len(some), dtype=bool)
    reach = float(radius[some].max() + radius[others].max())
    near = KDTree(places[some]).sparse_distance_matrix(KDTree(places[others]), reach, output_type="ndarray")
    a, b = near["i"], near["j"]
    overlaps = near["v"] < radius[some][a] + radius[others][b]
    if is_same:
        overlaps &= b < a
    found = np.zeros(len(some), dtype=bool)
    found[a[overlaps]] = True
    return found
