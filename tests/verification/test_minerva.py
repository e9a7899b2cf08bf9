"""`minerva-67p` on ground of coarser cells: it comes to rest on the comet, and no slide stops at a face of a cell."""

from __future__ import annotations

import numpy as np

import planetfall
from planetfall.engine.build import build
from planetfall.engine.run import run_batch
from planetfall.outcome import Outcome


def test_hoppers_come_to_rest_on_the_comet() -> None:
    """Four releases, 20 mm/s apart: all settle, in tens of thousands of steps, slower than the rules of rest.

    Before switches were located by the roundings of the position, a slide stood at a face of a cell with steps of
    1e-11 s, and did not end.
    """
    coarse = {"terrain.resolution": 50.0, "record.interval": 1000.0, "terrain.noise.amplitude": 0.0}
    coarse |= {"contact.rolling_resistance": 0.008}  # or some would roll on for hours
    model = build(planetfall.load("minerva-67p").with_values(coarse))  # recorded: the kernel of `planetfall run`
    states = np.tile(model.initial_state, (4, 1))
    states[:, 3] += 0.02 * np.arange(4)
    found = run_batch(model, states)
    assert list(found.status) == [Outcome.settled] * 4
    assert found.steps.max() < 100_000
    gaps = model.surface.ask(found.state[:, :3])[0]
    assert np.all((gaps > 0.0) & (gaps < 0.1))  # the centre of mass lies within half a diameter of the ground
    assert np.linalg.norm(found.state[:, 3:6], axis=1).max() < 1e-4
