"""Where all runs of a campaign start, looked at before its first launch: none may start in the ground.

A run that starts with its centre of mass in the ground is shot out of it and would count in the statistics. Whoever
makes a campaign looks at all its runs, once: its plan is written only after that, so that those who take it up again,
and workers, need not.
"""

from dataclasses import dataclass, replace

import numpy as np

from planetfall.campaign.variants import Variants
from planetfall.campaign.work import Workshop
from planetfall.engine.in_ground import depths_in_ground, is_judged, start_key
from planetfall.engine.layout_sizes import BODY_SIZE
from planetfall.errors import InputError
from planetfall.scenario.dispersed_keys import is_bare_plane
from planetfall.world.terrain.surface import Surface

CHUNK = 1 << 17
"""Runs that are looked at together."""
MOVING_OTHERS = ("companions.", "gravity.", "target.", "terrain.")
MOVING = ("initial.position", "initial.height", "initial.release.position", *MOVING_OTHERS)
"""Keys that can move a start, that of a companion or of any body, relative to the ground."""


@dataclass(frozen=True)
class Buried:
    """Runs that start in the ground: how many, the first of them and the deepest, and how deep these are [m]."""

    count: int
    first: int
    first_depth: float
    deepest: int
    depth: float

    def joined(self, later: "Buried") -> "Buried":
        """With runs that come after these."""
        deeper = later if later.depth > self.depth else self
        return replace(self, count=self.count + later.count, deepest=deeper.deepest, depth=deeper.depth)


def check_starts(shop: Workshop) -> None:
    """Refuses a campaign of which a run starts with a centre of mass in the ground."""
    found = buried_runs(shop)
    if found is None:
        return
    draws = shop.draws
    raise InputError(
        start_key(draws.scenario),
        f"{found.count} of {draws.n} runs start with the centre of mass in the ground, the first of them run "
        f"{found.first}, {found.first_depth:.3g} m deep; the deepest is run {found.deepest}, {found.depth:.3g} m deep",
        "starts outside the ground",
        "narrow the dispersion of the start, or move its middle away from the ground; single numbers such as "
        "initial.position.2 can be cut off with low and high; initial.height is measured from the ground",
    )


def buried_runs(shop: Workshop) -> Buried | None:
    """The runs that start in the ground; None if none do. If all start at one place, the first stands for all."""
    draws, found = shop.draws, None
    is_moved = any(key.startswith(MOVING) for key in draws.keys)
    for first in range(0, draws.n if is_moved else 1, CHUNK):
        depths = _depths(shop, first, min(first + CHUNK, draws.n) if is_moved else 1)
        runs = np.flatnonzero(depths)
        if len(runs):
            deepest = int(np.argmax(depths))
            first_depth, depth = float(depths[runs[0]]), float(depths[deepest])
            here = Buried(len(runs), first + int(runs[0]), first_depth, first + deepest, depth)
            found = here if found is None else found.joined(here)
    return found if found is None or is_moved else replace(found, count=draws.n)


def _depths(shop: Workshop, first: int, last: int) -> np.ndarray:
    """How deep the centres of mass of runs start in the ground [run] [m], of several bodies the deepest; 0 outside."""
    draws, surface = shop.draws, shop.model.surface
    vehicle, *others = (is_judged(solo) for solo in draws.scenario.solos)
    variants = Variants(draws, first, draws.values(first, last))
    depths = np.zeros(variants.n)
    if vehicle:
        depths = _depths_of_vehicle(variants, surface)
    if any(others) and any(key.startswith(MOVING_OTHERS) for key in draws.keys):
        states = variants.states(surface)
        for k in np.flatnonzero(others):
            at = BODY_SIZE * (int(k) + 1)
            depths = np.maximum(depths, _in_ground(variants, surface, states[:, at : at + 3]))
    depths[list(variants.problems)] = 0.0  # they will not be simulated
    return depths


def _depths_of_vehicle(variants: Variants, surface: Surface) -> np.ndarray:
    if variants.heights is not None and variants.draws.scenario.initial.height_along == "vertical":
        return np.zeros(variants.n)  # heights are positive, and over the highest ground that there is
    return _in_ground(variants, surface, variants.places(surface))


def _in_ground(variants: Variants, surface: Surface, places: np.ndarray) -> np.ndarray:
    """How deep places [run, 3] [m] are in the ground of their runs [run] [m]."""
    if not is_bare_plane(variants.draws.scenario):
        return depths_in_ground(surface, places)
    points, normals, radii = variants.planes()
    gaps = np.sum((places - points) * normals, axis=1)
    across = np.linalg.norm(places - points - gaps[:, None] * normals, axis=1)
    return np.where(across <= radii, np.maximum(-gaps, 0.0), 0.0)
