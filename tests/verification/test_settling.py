"""`settle-sweep`: what one parameter does to settling, and a vehicle that may lie on any face."""

from __future__ import annotations

import re
import shlex
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

import planetfall
from planetfall.analysis.campaign.comparison import column_difference
from planetfall.analysis.campaign.settling import settling_by, sweeps_of
from planetfall.campaign.replay import replay
from planetfall.record.ensemble import Ensemble
from planetfall.scenario.tables.contact.distributed import ContactDistributed
from support.command import inside

STEPS = (0.2, 0.4, 0.6, 0.8)


@pytest.fixture(scope="module")
def restitutions() -> Ensemble:
    """Twelve throws at each step of restitution."""
    return planetfall.montecarlo(planetfall.load("settle-sweep"), 48, 3)


def test_livelier_ground_lets_a_box_go_farther_and_settle_later(restitutions: Ensemble) -> None:
    """Means at the two ends of the sweep, and median touches at every step.

    Of 800 runs, from 0.2 to 0.8: 6.5 to 20.4 m with a spread of 4.3 and 10.9 m, 858 to 1,475 s with one of 200 and
    506 s. With twelve each, both differ by four standard errors. Below 0.6 time to rest hardly changes.
    """
    data = restitutions.data
    (sweep,) = sweeps_of(restitutions)
    assert [(step.value, step.n, step.n_at_rest) for step in sweep.steps] == [(e, 12, 12) for e in STEPS]
    low, high = (data["in.contact.restitution"].values == e for e in (STEPS[0], STEPS[-1]))
    for column in ("rest_s", "distance_m"):
        found = column_difference(data[column].values[low], data[column].values[high])
        assert found is not None and found.mean.low > 0.0
    assert np.all(np.diff([step.touches[1] for step in sweep.steps]) > 0.0)


def test_of_the_contact_law_restitution_alone_is_stepped_through(restitutions: Ensemble) -> None:
    """The spring is the same at every step; the damping follows."""
    contact, mass = restitutions.scenario.contact, restitutions.scenario.vehicle.mass
    assert isinstance(contact, ContactDistributed)
    laws = [contact.model_copy(update={"restitution": e}).spring_damper(mass) for e in STEPS]
    assert {stiffness for stiffness, _ in laws} == {contact.stiffness}
    assert np.all(np.diff([damping for _, damping in laws]) < 0.0)


def told_to_type() -> list[list[str]]:
    """The commands in the head of the scenario."""
    text = (resources.files("planetfall.scenario") / "library" / "settle-sweep.toml").read_text("utf-8")
    head = re.sub(r"\\\n#", " ", text.partition("[scenario]")[0])
    return [shlex.split(line)[2:] for line in head.splitlines() if line.startswith("#   planetfall ")]


def test_what_the_scenario_tells_to_type_steps_through_one_parameter(tmp_path: Path) -> None:
    """The sweep as it stands and its page; another parameter in its place. With fewer runs."""
    as_it_stands, page, another = told_to_type()
    for words in (as_it_stands, page, another):
        fewer = ["12" if words[i - 1] == "-n" else word for i, word in enumerate(words)]
        done = inside(*fewer, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert "Settling over the swept parameter" in (tmp_path / "runs" / "restitution-report.html").read_text("utf-8")
    found = planetfall.open(tmp_path / "runs" / "friction")
    assert isinstance(found, Ensemble)
    assert "in.contact.restitution" not in found.data
    assert [step.n for step in settling_by(found.data, "contact.friction")] == [4, 4, 4]


SWEPT = {
    "centre of mass": (
        "vehicle.shape.center_of_mass.2", [0.0, 0.05], {"vehicle.inertia": [0.008, 0.008, 0.008]},
        lambda vehicle: (min(point.position[2] for point in vehicle.points), vehicle.inertia[2][2]),
        [(-0.1, 0.008), (-0.15, 0.008)],
    ),
    "moment of inertia": (
        "vehicle.inertia.2.2", [0.004, 0.012], {"vehicle.inertia": [0.008, 0.008, 0.008]},
        lambda vehicle: (min(point.position[2] for point in vehicle.points), vehicle.inertia[2][2]),
        [(-0.1, 0.004), (-0.1, 0.012)],
    ),
    "shape": (
        "vehicle.shape.size.2", [0.1, 0.4], {},
        lambda vehicle: (min(point.position[2] for point in vehicle.points), vehicle.inertia[0][0]),
        [(-0.05, 1.2 / 12.0 * (0.04 + 0.01)), (-0.2, 1.2 / 12.0 * (0.04 + 0.16))],
    ),
}  # fmt: skip
"""Key, its steps, what is set beside it; what of a run's vehicle shows the step, and what that has to be."""


@pytest.mark.parametrize("kind", SWEPT)
def test_mass_distribution_and_shape_are_those_of_each_run(kind: str, tmp_path: Path) -> None:
    """Contact points and inertia follow the step that a run takes: alone, with these, it has the bits of its row."""
    key, steps, beside, seen, expected = SWEPT[kind]
    grid = {"distribution": "grid", "steps": steps}
    scenario = planetfall.load("settle-sweep").with_values(
        {**beside, "dispersions.contact": {}, f"dispersions.{key}": grid}
    )
    found = planetfall.montecarlo(scenario, 4, 1, out=tmp_path / "swept")
    assert [(step.value, step.n) for step in settling_by(found.data, key)] == [(value, 2) for value in steps]
    assert set(found.data.outcome.values) == {"settled"}
    again = [replay(tmp_path / "swept", run) for run in range(2)]
    assert all(run.summary["replay"]["equals_its_row"] for run in again)
    np.testing.assert_allclose([seen(run.scenario.vehicle) for run in again], expected, rtol=1e-12)


def test_upside_down_is_no_overturn_at_180_degrees() -> None:
    start = {"position": [0.0, 0.0, 0.1], "attitude": [1.0, 0.0, 0.0, 0.0]}
    run = planetfall.run(planetfall.load("settle-sweep").with_values({"initial": start, "scenario.duration": 60.0}))
    assert run.summary["outcome"] == "settled"
