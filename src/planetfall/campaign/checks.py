"""What can be found wrong with a campaign before its first launch, from all its starts and from some whole runs."""

import numpy as np

from planetfall.campaign.inputs.draws import Draws
from planetfall.campaign.inputs.variants import Variants
from planetfall.campaign.starts import check_starts
from planetfall.campaign.workers.work import Workshop
from planetfall.engine.build import assemble, check_start
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.errors import InputError
from planetfall.scenario.dispersions.keys import is_bare_plane
from planetfall.world.terrain.ground import make_surface

N_DRAWN = 1000
"""Runs whose inputs are checked to go together."""
N_EXTREMES_FROM = 100_000
"""Runs among which the extremes of every input are looked for."""
N_WHOLE = 10
"""Runs, besides the extremes, whose step is checked."""


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
