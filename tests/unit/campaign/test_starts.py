"""All runs of a campaign are looked at before it begins: none may start with its centre of mass in the ground."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall import InputError
from planetfall.campaign import checks
from planetfall.campaign.checks import Buried, buried_runs
from planetfall.campaign.inputs.draws import Draws
from planetfall.campaign.inputs.variants import Variants
from planetfall.campaign.workers.executor import LocalExecutor
from planetfall.campaign.workers.shard_run import Workshop
from planetfall.engine.build import build
from planetfall.scenario.files.load import scenario_from_dict
from support.block_scene import block
from support.dispersed import sliding_point

N, RADIUS = 3000, 50.0


def shop_of(scenario: planetfall.Scenario, n: int = N) -> Workshop:
    return Workshop(Draws(scenario, n, 1), build(scenario, is_recorded=False, is_checked=False), False)


def over_a_ball(**start: Any) -> planetfall.Scenario:
    """A cube 1.2 m over a ball, given to half a metre."""
    return scenario_from_dict(
        {
            "scenario": {"name": "test", "duration": 10.0},
            "target": {"name": "ball", "gm": 4.0, "frame": "P"},
            "gravity": {"model": "point"},
            "terrain": {"model": "sdf", "shape": "sphere", "half_sizes": [RADIUS] * 3, "resolution": 2.0},
            "vehicle": {"name": "cube"},
            "contact": {"law": "distributed", "stiffness": 250.0, "damping": 14.0, "friction": 0.5},
            "initial": start or {"position": [0.0, 0.0, RADIUS + 1.2]},
            "integrator": {"method": "adaptive"},
            "dispersions": {
                f"initial.{'release.' if start else ''}position": {
                    "distribution": "multivariate-normal", "sigma": [0.5, 0.5, 0.5],
                }
            },
        }
    )  # fmt: skip


def expected_of(depths: np.ndarray) -> Buried:
    """By definition, from the depths of all runs."""
    runs, deepest = np.flatnonzero(depths > 0.0), int(np.argmax(depths))
    return Buried(len(runs), int(runs[0]), 0, float(depths[runs[0]]), deepest, float(depths[deepest]))


@pytest.mark.parametrize("chunk", [7, 1000, 1 << 17])
@pytest.mark.parametrize("start", [{}, {"release": {"carrier": "station", "position": [0.0, 0.0, RADIUS + 1.2]}}])
def test_every_run_is_looked_at(start: dict[str, Any], chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a field of a sphere, by the ground's own answer; about 1 in 120 is buried, whatever runs are taken together.

    Depths are those in the sphere but for linear interpolation across it: at most h^2/8R along each of two directions.
    """
    shop = shop_of(over_a_ball(**start))
    monkeypatch.setattr(checks, "CHUNK", chunk)
    places = Variants.of(shop.draws, 0, N).states(shop.model.surface)[:, :3]
    expected = expected_of(-shop.model.surface.ask(places)[0])
    assert expected.first > 10 and 5 < expected.count < 100
    assert buried_runs(shop) == expected
    inside = RADIUS - np.linalg.norm(places[[expected.first, expected.deepest]], axis=1)
    np.testing.assert_allclose([expected.first_depth, expected.depth], inside, atol=2.0**2 / (4.0 * RADIUS))


def test_such_a_campaign_is_refused_in_so_many_words(tmp_path: Path) -> None:
    scenario = over_a_ball()
    found = buried_runs(shop_of(scenario))
    assert found is not None
    with pytest.raises(InputError) as refused:
        planetfall.montecarlo(scenario, N, 1, out=tmp_path / "c")
    text = str(refused.value)
    assert f"initial.position: {found.count} of {N} runs start with the centre of mass in the ground" in text
    assert f"the first of them run {found.first}, {found.first_depth:.3g} m deep" in text
    assert f"the deepest is run {found.deepest}, {found.depth:.3g} m deep" in text
    assert "cut off with low and high" in text
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("is_tilted", [False, True])
def test_planes_that_differ_from_run_to_run(is_tilted: bool) -> None:
    """Height over the plane of each run: the scalar product with its own normal."""
    dispersions: dict[str, Any] = {"initial.position.2": {"distribution": "uniform", "low": -1.5, "high": 0.5}}
    if is_tilted:
        dispersions["terrain.slope_deg"] = {"distribution": "uniform", "low": 0.0, "high": 20.0}
    shop = shop_of(block(initial__height=None, initial__position=[3.0, 1.0, 0.9], dispersions=dispersions))
    drawn = Variants.of(shop.draws, 0, N)
    places = drawn.states(shop.model.surface)[:, :3]
    runs = [shop.draws.scenario.with_values({"dispersions": {}, **drawn.row(i)}) for i in range(0, N, 10)]
    gaps = np.array([places[10 * i] @ run.terrain.outward for i, run in enumerate(runs)])  # type: ignore[union-attr]
    found = checks._depths(shop, 0, N)[:, 0]
    np.testing.assert_allclose(found[::10], np.maximum(-gaps, 0.0), atol=1e-12)
    assert 10 < np.count_nonzero(found) < N - 10


def test_heights_over_the_ground_need_no_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are positive, or refused when the scenario is made; so the vehicle is outside by construction."""
    shop = shop_of(block(dispersions={"initial.height": {"distribution": "uniform", "low": 1e-3, "high": 0.2}}))
    places = Variants.of(shop.draws, 0, N).places(shop.model.surface)
    assert np.all(places @ shop.draws.scenario.terrain.outward > 0.0)  # type: ignore[union-attr]
    monkeypatch.setattr(Draws, "values", None)
    assert buried_runs(shop) is None


def test_starts_that_nothing_moves_are_looked_at_once() -> None:
    below = block(initial__height=None, initial__position=[0.0, 0.0, -2.0], terrain__slope_deg=0.0)
    dispersed = below.with_values({"dispersions": {"initial.velocity.0": {"distribution": "normal", "sigma": 0.1}}})
    assert buried_runs(shop_of(dispersed)) == Buried(N, 0, 0, 2.0, 0, 2.0)


def test_companions_are_looked_at_too() -> None:
    """A second block that starts from 1 m below the ground to 1 m over it: its depth is what was drawn."""
    scenario = block(terrain__slope_deg=0.0)
    other = {**scenario.to_dict()["vehicle"], "name": "other"}
    both = scenario.with_values(
        {
            "companions": [{"vehicle": other, "initial": {"position": [8.0, 0.0, 0.5]}}],
            "dispersions": {"companions.0.initial.position.2": {"distribution": "uniform", "low": -1.0, "high": 1.0}},
        }
    )
    shop = shop_of(both, 200)
    drawn = shop.draws.values(0, 200)["companions.0.initial.position.2"]
    found = buried_runs(shop)
    assert found == replace(expected_of(-drawn), body=1)
    with pytest.raises(InputError, match=r"^companions\.0\.initial\.position: \d+ of 200 runs start with"):
        checks.check_starts(shop)


def test_a_point_mass_rests_in_the_ground() -> None:
    assert buried_runs(shop_of(sliding_point())) is None


class Elsewhere(LocalExecutor):
    """As workers on other machines would be, but that the second shard is not reached in a first go."""

    is_here = False

    def __init__(self, n_shards: int) -> None:
        super().__init__(1)
        self.n_shards = n_shards

    def run(self, work: Any, shards: Sequence[Any], within: Any) -> Generator[Any]:
        yield from super().run(work, shards[: self.n_shards], within)


def test_a_campaign_is_looked_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By whoever makes it, wherever it is run; not by shards, nor when it is taken up again."""
    looks: list[Workshop] = []
    monkeypatch.setattr(checks, "check_starts", looks.append)
    planetfall.montecarlo(sliding_point(), 12, 1, out=tmp_path / "c", shard_size=4, executor=Elsewhere(1))
    assert len(looks) == 1
    assert planetfall.resume(tmp_path / "c").summary["n_runs"] == 12
    assert len(looks) == 1
