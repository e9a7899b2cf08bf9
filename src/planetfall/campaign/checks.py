"""What can be found wrong with a campaign before its first launch, from all its starts and from some whole runs.

A run that starts with its centre of mass in the ground is shot out of it and would count in the statistics. Whoever
makes a campaign looks at all its runs, once: its plan is written only after that, so that those who take it up again,
and workers, need not.
"""

from dataclasses import dataclass, replace

import numpy as np

from planetfall.campaign.inputs.draws import Draws
from planetfall.campaign.inputs.variants import Variants
from planetfall.campaign.workers.shard_run import Workshop
from planetfall.engine.build import assemble, check_start
from planetfall.engine.checks.initial_penetration import depths_in_ground, is_judged, start_key
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.errors import InputError
from planetfall.scenario.dispersions.keys import is_bare_plane
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.surface import Surface

N_DRAWN = 1000
"""Runs whose inputs are checked to go together."""
N_EXTREMES_FROM = 100_000
"""Runs among which the extremes of every input are looked for."""
N_WHOLE = 10
"""Runs, besides the extremes, whose step is checked."""
CHUNK = 1 << 17
"""Runs that are looked at together."""
MOVING = (
    "initial.position", "initial.height", "initial.release.position", "initial.altitude", "initial.radius",
    "initial.latitude_deg", "initial.longitude_deg", "companions.", "gravity.", "target.", "terrain.",
)  # fmt: skip
"""Keys that can move a start relative to the ground."""


def check_runs(shop: Workshop) -> None:
    """Refuses a campaign whose runs contradict their tables, start in the ground, or need other models or steps."""
    _check_inputs(shop)
    check_starts(shop)
    for run in _worth_a_look(shop.draws):
        _check_run(shop, run)


def _check_inputs(shop: Workshop) -> None:
    variants = Variants.of(shop.draws, 0, min(N_DRAWN, shop.draws.n))
    variants.states(shop.model.surface)
    if variants.problems:
        first = min(variants.problems)
        shown = ", ".join(f"{key} = {_shown(value)}" for key, value in variants.row(first).items())
        raise InputError(
            "dispersions", f"the inputs of run {first} contradict each other ({shown}): {variants.problems[first]}; "
            f"this happens in {len(variants.problems)} of the first {variants.n} runs",
            advice="narrow the distributions, cut them off with low and high, or correlate them",
        )  # fmt: skip


def _worth_a_look(draws: Draws) -> list[int]:
    """The first runs, and those with the smallest and the largest of every single number."""
    values = draws.values(0, min(draws.n, N_EXTREMES_FROM))
    singles = [column for column in values.values() if column.ndim == 1]
    extremes = {int(pick(column)) for column in singles for pick in (np.argmin, np.argmax)}
    return sorted(extremes | set(range(min(draws.n, N_WHOLE))))


def _check_run(shop: Workshop, run: int) -> None:
    variants = Variants.of(shop.draws, run, run + 1)
    state = variants.states(shop.model.surface)[0]
    if variants.problems:
        return
    scenario = next(variants.scenarios(state[None]))
    surface = make_surface(scenario, shop.model.device) if is_bare_plane(scenario) else shop.model.surface
    if assemble(scenario, surface, False) != shop.model.assembly:
        raise InputError(
            "dispersions", f"run {run} needs other models than the scenario itself",
            "a spin and products of inertia that are zero in all runs or in none",
            "give the scenario itself a spin or a product of inertia that is not zero",
        )  # fmt: skip
    try:
        check_start(scenario, state[: BODY_SIZE * len(scenario.vehicles)].reshape(-1, BODY_SIZE), surface)
    except InputError as error:
        shown = ", ".join(f"{key} = {_shown(value)}" for key, value in variants.row(0).items())
        raise InputError(error.where, f"in run {run} ({shown}), {error.problem}", error.allowed, error.advice) from None


def _shown(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_shown(item) for item in value) + "]"
    return f"{value:.5g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Buried:
    """Runs that start in the ground.

    Attributes:
        count: How many.
        first: The first of them.
        body: Which of its bodies is in the ground, deepest.
        first_depth: How deep that is [m].
        deepest: The run with the deepest of all.
        depth: How deep that is [m].
    """

    count: int
    first: int
    body: int
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
    prefix = f"companions.{found.body - 1}." if found.body else ""
    raise InputError(
        prefix + start_key(draws.scenario.solos[found.body]),
        f"{found.count} of {draws.n} runs start with the centre of mass in the ground, the first of them run "
        f"{found.first}, {found.first_depth:.3g} m deep; the deepest is run {found.deepest}, {found.depth:.3g} m deep",
        "starts outside the ground",
        "narrow the dispersion of the start, or move its middle away from the ground; single numbers such as "
        "initial.position.2 can be cut off with low and high; initial.height is measured from the ground",
    )


def buried_runs(shop: Workshop) -> Buried | None:
    """The runs that start in the ground; None if none do. If all start at one place, the first stands for all."""
    draws, found = shop.draws, None
    if not any(_can_be_buried(draws)):
        return None
    is_by_points = draws.scenario.initial.height_of == "lowest point"  # so that attitude moves it, too
    is_moved = any(is_by_points or key.startswith(MOVING) for key in draws.keys)
    for first in range(0, draws.n if is_moved else 1, CHUNK):
        here = _buried(_depths(shop, first, min(first + CHUNK, draws.n) if is_moved else 1), first)
        found = found.joined(here) if found and here else found or here
    return found if found is None or is_moved else replace(found, count=draws.n)


def _buried(depths: np.ndarray, first: int) -> Buried | None:
    """Those of runs from `first` on with depths [run, body] [m]."""
    worst = depths.max(axis=1)
    runs, deepest = np.flatnonzero(worst), int(np.argmax(worst))
    if not len(runs):
        return None
    own = depths[runs[0]]
    return Buried(
        len(runs), first + int(runs[0]), int(np.argmax(own)), float(own.max()), first + deepest, float(worst[deepest])
    )


def _depths(shop: Workshop, first: int, last: int) -> np.ndarray:
    """How deep the centres of mass of runs start in the ground [run, body] [m]; 0 outside."""
    draws, surface = shop.draws, shop.model.surface
    variants, can_be = Variants(draws, first, draws.values(first, last)), _can_be_buried(draws)
    depths = np.zeros((variants.n, len(can_be)))
    if can_be[0]:
        depths[:, 0] = _in_ground(variants, surface, variants.places(surface))
    states = variants.states(surface) if any(can_be[1:]) else np.zeros(0)
    for k in range(1, len(can_be)):
        if can_be[k]:
            depths[:, k] = _in_ground(variants, surface, states[:, BODY_SIZE * k : BODY_SIZE * k + 3])
    depths[list(variants.problems)] = 0.0  # they will not be simulated
    return depths


def _can_be_buried(draws: Draws) -> list[bool]:
    """Of each body, whether a run of it could start in the ground; not one lifted over the highest ground there is."""
    start, found = draws.scenario.initial, [is_judged(solo) for solo in draws.scenario.solos]
    is_lifted = start.height is not None or "initial.height" in draws.keys  # heights are positive
    is_over_all = is_lifted and start.height_along == "vertical" and start.height_of == "center of mass"
    return [found[0] and not is_over_all, *found[1:]]


def _in_ground(variants: Variants, surface: Surface, places: np.ndarray) -> np.ndarray:
    """How deep places [run, 3] [m] are in the ground of their runs [run] [m]."""
    if not is_bare_plane(variants.draws.scenario):
        return depths_in_ground(surface, places)
    points, normals, radii = variants.planes()
    gaps = np.sum((places - points) * normals, axis=1)
    across = np.linalg.norm(places - points - gaps[:, None] * normals, axis=1)
    return np.where(across <= radii, np.maximum(-gaps, 0.0), 0.0)
