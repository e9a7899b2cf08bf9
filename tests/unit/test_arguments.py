"""Wrong types in Python calls: one sentence of ours each."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.scenario.drive import loaded_drive
from planetfall.scenario.files.load import loaded

DISPERSED = planetfall.load("msl-dispersed")
WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "n": (lambda: planetfall.montecarlo(DISPERSED, "10", 1), "n: got the text '10'; expected a whole number from 1 to"),  # type: ignore
    "n_part": (lambda: planetfall.montecarlo(DISPERSED, 10.5, 1), "n: got the number 10.5; expected a whole number"),  # type: ignore
    "n_truth": (lambda: planetfall.montecarlo(DISPERSED, True, 1), "n: got the truth value True"),
    "n_none": (lambda: planetfall.montecarlo(DISPERSED, 0, 1), "n: got 0; expected a whole number from 1 to 10000000"),
    "n_huge": (lambda: planetfall.montecarlo(DISPERSED, 10**15, 1), "n: got 1000000000000000; expected a whole number"),
    "seed": (lambda: planetfall.montecarlo(DISPERSED, 10, "a"), "seed: got the text 'a'; expected a whole number from"),  # type: ignore
    "seed_part": (lambda: planetfall.montecarlo(DISPERSED, 10, 1.5), "seed: got the number 1.5"),  # type: ignore
    "until": (lambda: planetfall.montecarlo(DISPERSED, 10, 1, until=5), "until: got the number 5; expected a text"),  # type: ignore
    "shard": (lambda: planetfall.montecarlo(DISPERSED, 10, 1, shard_size="a"), "shard_size: got the text 'a'"),  # type: ignore
    "out": (lambda: planetfall.montecarlo(DISPERSED, 10, 1, out=5), "out: got the number 5; expected a text or a"),  # type: ignore
    "values": (lambda: DISPERSED.with_values([1]), "with_values: got the list [1]; expected a dictionary by dotted"),  # type: ignore
    "values_none": (lambda: DISPERSED.with_values(None), "with_values: got None"),  # type: ignore
    "values_key": (lambda: DISPERSED.with_values({1: 2}), "with_values: has the key the number 1"),  # type: ignore
    "from_dict": (lambda: planetfall.Scenario.from_dict([]), "from_dict: got the list []"),  # type: ignore
    "call": (lambda: planetfall.Scenario(a=1), "scenario: missing; add [scenario] in the values given to Scenario"),  # type: ignore
    "call_dict": (lambda: planetfall.Scenario({}), "make one with Scenario.from_dict(values)"),  # type: ignore
    "call_part": (
        lambda: planetfall.Scenario(**DISPERSED.to_dict() | {"vehicle": {"name": "msl-rover"}}),
        "vehicle.mass: missing; meaning: mass of the vehicle at the start [kg]; add it in the values given to Scenario",
    ),
    "load": (lambda: planetfall.load(5), "name_or_path: got the number 5"),  # type: ignore
    "load_values": (lambda: planetfall.load("msl-drop", [1]), "values: got the list [1]; expected a dictionary"),  # type: ignore
    "drive_values": (lambda: planetfall.load_drive("lsr1-flat", [1]), "values: got the list [1]"),  # type: ignore
    "resume": (lambda: planetfall.resume(5), "folder: got the number 5; expected a text or a pathlib.Path"),  # type: ignore
    "export": (lambda: planetfall.export(5, "csv", "x.csv"), "result: got the number 5; expected what planetfall"),  # type: ignore
    "load_drive": (lambda: planetfall.load_drive(5), "name_or_path: got the number 5"),  # type: ignore
    "run": (lambda: planetfall.run(5), "expected a Scenario, got the number 5; load one"),  # type: ignore
    "run_drive": (lambda: planetfall.run(planetfall.load_drive("lsr1-flat")), "planetfall.drive runs the drive"),  # type: ignore
    "drive": (lambda: planetfall.drive(5), "expected a DriveScenario, got the number 5"),  # type: ignore
    "drive_name": (lambda: planetfall.drive("msl-drop"), "is not the drive of a rover: it has no [rover]"),
    "drive_scenario": (lambda: planetfall.drive(DISPERSED), "planetfall.run runs a scenario with a vehicle"),  # type: ignore
    "open": (lambda: planetfall.open(5), "folder: got the number 5"),  # type: ignore
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_type_is_answered_by_a_sentence(case: str) -> None:
    call, sentence = WRONG[case]
    with pytest.raises(planetfall.InputError) as caught:
        call()
    assert sentence in str(caught.value)


def test_a_name_or_a_file_is_loaded() -> None:
    """A run, a campaign and a drive take what `load` takes."""
    short = planetfall.load("sink-flat").with_values({"scenario.duration": 0.1})
    assert loaded("sink-flat") == planetfall.load("sink-flat")
    assert loaded(short) is short
    assert loaded_drive("lsr1-flat") == planetfall.load_drive("lsr1-flat")
    assert planetfall.run("sink-flat").scenario == planetfall.load("sink-flat")


def test_scenarios_are_made_from_dictionaries() -> None:
    assert planetfall.Scenario.from_dict(DISPERSED.to_dict()) == DISPERSED
    drive = planetfall.load_drive("lsr1-flat")
    assert planetfall.DriveScenario.from_dict(drive.to_dict()) == drive


def test_paths_are_taken_wherever_texts_are(tmp_path: Path) -> None:
    import tomli_w

    for name, given in (("a.toml", DISPERSED), ("b.toml", planetfall.load_drive("lsr1-flat"))):
        (tmp_path / name).write_text(tomli_w.dumps(given.to_dict()))
    assert planetfall.load(tmp_path / "a.toml") == DISPERSED
    assert planetfall.load_drive(tmp_path / "b.toml").rover.name == "lsr-1"


def test_numbers_of_numpy_are_numbers() -> None:
    from planetfall.arguments import whole_number

    assert whole_number("n", np.int64(3), least=1) == 3
