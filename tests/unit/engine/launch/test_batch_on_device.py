"""A machine's arrays are its own, and live as long as it does."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import planetfall
from planetfall.engine.build import build
from planetfall.engine.launch.batch_on_device import make_machine


@pytest.mark.parametrize("name", ["morpheus-crater", "morpheus-static-kinetic"])
def test_a_second_machine_of_a_model_leaves_the_first_ones_ground_alone(name: str) -> None:
    """The parameters on the device have addresses: what they point to must not go when the model gets other arrays."""
    model = build(planetfall.load(name), is_recorded=False)
    states = model.initial_state[None, :]
    first = make_machine(model, states, np.arange(1))
    parts = first.terrain_memory if isinstance(first.terrain_memory, tuple) else (first.terrain_memory,)
    kept = [weakref.ref(getattr(part, array)) for part in parts for array in ("corner", "facet")]
    del parts
    make_machine(model, np.tile(states, (3, 1)), np.arange(3))
    gc.collect()
    assert kept and all(array() is not None for array in kept)
    del first
    gc.collect()
    assert all(array() is None for array in kept)
