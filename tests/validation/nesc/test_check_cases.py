"""NASA's check cases of flight simulations (NESC2015) against its simulation 04, native samples of half a second.

Tolerances are those by which an independent solution differs from simulation 04, doubled and rounded up: 0.4 mm,
2.1e-5 m/s, 1.5e-7 deg/s and 8e-7 deg were measured; 1 mm, 1e-4 m/s, 1e-6 deg/s and 1e-5 deg are asked for.
"""

from __future__ import annotations

import pytest

from support.nesc import BARS, CASES, data_file, differences, flown, reference


@pytest.mark.parametrize("method", ["rk4", "adaptive"])
@pytest.mark.parametrize("case", CASES)
def test_against_simulation_04(case: str, method: str) -> None:
    if not data_file(case).exists():
        pytest.skip("the check cases of shared data are not here")
    found = differences(flown(case, method), reference(case))
    beyond = {name: found[name] for name, bar in BARS.items() if not found[name] <= bar}
    assert not beyond
