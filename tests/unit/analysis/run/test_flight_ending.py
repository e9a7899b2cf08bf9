"""Sentences of flights that went wrong, and commands that happen once."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall import InputError
from planetfall.analysis.run.flight_ending import flight_ending
from planetfall.engine.state.result import RunEvent
from planetfall.outcome import Outcome


def ended(outcome: Outcome, phase: str, *events: RunEvent) -> Any:
    """A run that ended in a phase."""
    end = SimpleNamespace(status=np.array([int(outcome)]), transitions=[[SimpleNamespace(phase=phase)]])
    return SimpleNamespace(end=end, events=list(events))


CRASH = RunEvent(317.0, "crash", 0, 281.0, (0.0, 0.0, 0.0))


def test_an_impact_before_the_parachute_opens_is_told() -> None:
    run = ended(Outcome.crashed, "entry", CRASH)
    told = flight_ending(planetfall.load("msl-edl"), run, {"parachute": {"deploy_s": np.nan}})["outcome_sentence"]
    assert "with 281 m/s in the phase 'entry'" in told and "The parachute was not fired" in told
    told = flight_ending(planetfall.load("msl-edl"), run, {"parachute": {"deploy_s": 250.0}})["outcome_sentence"]
    assert "not fired" not in told and "propellant" not in told


def test_a_crash_without_propellant_is_told() -> None:
    told = flight_ending(planetfall.load("msl-edl"), ended(Outcome.crashed, "powered approach", CRASH), {}, 350.5)
    assert "The propellant was gone at 350.5 s" in told["outcome_sentence"]


def test_what_ended_otherwise_keeps_its_sentence() -> None:
    assert flight_ending(planetfall.load("msl-edl"), ended(Outcome.settled, "coast"), {}) == {}


def test_a_heat_shield_separates_once() -> None:
    """A second command on the same path is refused."""
    again = {"flight.phases.6.switch": ["separate heat shield"]}
    with pytest.raises(InputError, match=r"phases.6.switch: 'separate heat shield' was commanded"):
        planetfall.load("msl-edl").with_values(again)
