"""From a scenario's `[atmosphere]` to what a kernel takes, and to numbers for people."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.compute.draft import Draft, draft_of
from planetfall.scenario.tables.world.atmosphere import (
    Atmosphere,
    AtmosphereExponential,
    AtmosphereMars,
    AtmosphereNone,
    AtmosphereTable,
    AtmosphereUsStandard,
)
from planetfall.world.atmosphere.exponential import ATMOSPHERE_EXPONENTIAL, exponential_params
from planetfall.world.atmosphere.layers import layered_params
from planetfall.world.atmosphere.mars import ATMOSPHERE_MARS, MARS
from planetfall.world.atmosphere.model import Air, AtmosphereModel
from planetfall.world.atmosphere.none import ATMOSPHERE_NONE, NoneParams
from planetfall.world.atmosphere.table import ATMOSPHERE_TABLE, table_params
from planetfall.world.atmosphere.us1976 import ATMOSPHERE_US1976, US1976
from planetfall.world.atmosphere.wind_and_perturbation import perturbed, perturbed_params

MODELS = {model.kind: model for model in (ATMOSPHERE_EXPONENTIAL, ATMOSPHERE_TABLE, ATMOSPHERE_US1976, ATMOSPHERE_MARS)}
"""Models of air by their names in scenario files; wind and perturbations are laid over each of them."""


OWN_FILLS: dict[str, Callable[[Any], Mapping[str, Any]]] = {}
"""Of models of the user's own, entered in `MODELS` as well: their numbers by member."""


def atmosphere_model(table: Atmosphere) -> AtmosphereModel:
    """The model that a table asks for, with wind and perturbation over it."""
    return ATMOSPHERE_NONE if isinstance(table, AtmosphereNone) else perturbed(MODELS[table.model])


def atmosphere_params(table: Atmosphere) -> Draft:
    """The parameters of `atmosphere_model(table)`, before they are put on a device."""
    if isinstance(table, AtmosphereNone):
        return Draft(NoneParams)
    return perturbed_params(atmosphere_model(table), _base_params(table), table)


def air_at(table: Atmosphere, altitudes: np.ndarray) -> np.ndarray:
    """Air at altitudes [n] [m]: a structured array [n] with the members of `Air`, by the engine's own functions."""
    start_warp()
    model, heights = atmosphere_model(table), np.ascontiguousarray(np.atleast_1d(altitudes), dtype=np.float64)
    out = wp.zeros(len(heights), dtype=Air, device="cpu")
    inputs = [atmosphere_params(table).on_device("cpu"), wp.array(heights, dtype=wp.float64, device="cpu")]
    wp.launch(_kernel(model), len(heights), inputs=inputs, outputs=[out], device="cpu")
    return out.numpy()


@lru_cache
def _kernel(model: AtmosphereModel) -> Any:
    params, air = model.params, model.air

    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def ask(atmosphere: params, altitudes: wp.array(dtype=wp.float64), air_out: wp.array(dtype=Air)):
        i = wp.tid()
        air_out[i] = air(atmosphere, altitudes[i])

    return ask


def _base_params(table: Atmosphere) -> Draft:
    if table.model in OWN_FILLS:
        return draft_of(MODELS[table.model].params, OWN_FILLS[table.model](table), f"atmosphere {table.model!r}")
    if isinstance(table, AtmosphereExponential):
        return exponential_params(table)
    if isinstance(table, AtmosphereUsStandard):
        return layered_params(US1976, table.density_factor)
    if isinstance(table, AtmosphereMars):
        return layered_params(MARS, table.density_factor)
    if isinstance(table, AtmosphereTable):
        from planetfall.world.atmosphere.columns import columns_of

        is_below, is_above = table.below == "continue", table.above == "continue"
        return table_params(columns_of(table), table.interpolation, is_below, is_above)
    raise ValueError(f"atmosphere.model: {table.model!r} has no parameters; there are none, {', '.join(MODELS)}")
