"""The comparison of one campaign on two devices, here of a CPU with itself."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import xarray as xr

PROGRAM = Path(__file__).parents[3] / "benchmarks" / "two_devices.py"
HERE = ["settle-sweep", "-n", "24", "--device", "cpu", "--set", "dispersions.contact={}"]


@pytest.fixture(scope="module")
def two_devices() -> ModuleType:
    """The program as a module; dataclasses look their module up by its name."""
    spec = importlib.util.spec_from_file_location("two_devices", PROGRAM)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["two_devices"] = module
    spec.loader.exec_module(module)
    return module


def test_a_device_agrees_with_itself(two_devices: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert two_devices.main(HERE) == 0
    said = capsys.readouterr().out
    for line in ("first_impact.difference 0\n", "runs.same_bits 24 of 24\n", "outcomes.by_chance 1\n",
                 "rest_s.by_chance 1 ", "devices.differ no\n"):  # fmt: skip
        assert line in said


def test_other_draws_of_one_distribution_agree_within_chance(
    two_devices: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert two_devices.main([*HERE, "--other-seed", "2"]) == 0
    said = capsys.readouterr().out
    assert "first_impact" not in said and "same_bits" not in said
    chance = float(said.partition("rest_s.by_chance ")[2].split()[0])
    assert 0.0 < chance < 1.0


def table(n: int, **changes: np.ndarray) -> xr.Dataset:
    """A campaign that went well, but for some columns."""
    ramp = np.linspace(1.0, 2.0, n)
    names = ("first_touch_s", "rest_s", "distance_m", "n_contacts", "peak_force_N", "max_penetration_m")
    columns = {**dict.fromkeys(names, ramp), "outcome": np.full(n, "settled"), **changes}
    return xr.Dataset({name: ("run", values) for name, values in columns.items()})


WRONG = {
    "first impacts by 2e-09": {"first_touch_s": np.linspace(1.0, 2.0, 200) * (1.0 + 2e-9)},
    "first impacts by inf": {"first_touch_s": np.where(np.arange(200) == 7, np.nan, np.linspace(1.0, 2.0, 200))},
    "outcomes by chance": {"outcome": np.where(np.arange(200) < 20, "timed_out", "settled")},
    "rest_s by chance": {"rest_s": np.linspace(1.3, 2.3, 200)},
}


@pytest.mark.parametrize("problem", WRONG)
def test_what_differs_is_named(two_devices: ModuleType, problem: str) -> None:
    """20 of 200 outcomes are chi-square 21, by chance 4e-6; a shift by 0.3 of the range is a distance of 0.3."""
    found = two_devices.agreement(table(200), table(200, **WRONG[problem]), True)
    assert len(found.problems) == 1
    assert found.problems[0].startswith(problem)


def test_small_differences_after_the_first_impact_are_none(two_devices: ModuleType) -> None:
    """As of chaos: other runs, the same distribution. Only the number of equal rows tells."""
    found = two_devices.agreement(table(200), table(200, rest_s=np.linspace(1.0, 2.0, 200)[::-1]), True)
    assert found.problems == []
    assert found.n_same == 0


def test_a_device_that_is_not_there_is_told_before_anything_is_run(
    two_devices: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        two_devices.main(["minerva-67p", "--device", "cuda:99"])
    assert ended.value.code == 2  # 1 says that devices differ
    assert "no device 'cuda:99' on this machine" in capsys.readouterr().err
