"""Entries at Mars with three degrees of freedom against a reference solved twice at 1e-12 (its ends differ by 3e-6 s,
1e-4 m/s and 8e-8 deg): time to 1e-4 s, speed to 1e-3 m/s, angles to 1e-6 deg, peaks and heat load to 1e-5.
"""

from __future__ import annotations

import numpy as np
import pytest

from support.mars_entries import BARS, FOLDER, NAMES, differences, flown, reference

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the Mars entries of shared data are not here")
HISTORY = 0.02, 2e-4, 2e-7
"""Altitude [m], speed [m/s] and latitude [deg] along the way: the files' digits, and the reference's own errors."""


@pytest.mark.parametrize("method", ["rk4", "adaptive"])
@pytest.mark.parametrize("name", NAMES)
def test_against_the_reference(name: str, method: str) -> None:
    expected, run = reference(name), flown(name, method)
    assert run.summary["outcome"] == "descended"
    found = differences(run, expected)
    beyond = {name: found[name] for name, bar in BARS.items() if not found[name] <= bar}
    assert not beyond
    # within a sample of the reference, which is taken every 5 ms
    assert run.summary["peak_g_s"] == pytest.approx(expected["t_peak_g_s"], abs=0.02)
    total = run.data.energy_total.values
    np.testing.assert_allclose(total - run.data.work_aero.values, total[0], rtol=1e-9)  # the Jacobi integral


@pytest.mark.parametrize("name", NAMES)
def test_along_the_way(name: str) -> None:
    """Altitude, speed and latitude every two seconds."""
    rows = np.genfromtxt(FOLDER / f"{name}.csv", delimiter=",", names=True)
    rows = rows[rows["t_s"] % 2.0 == 0.0]
    data = flown(name).data
    frames = data.isel(time=np.searchsorted(data.time.values, rows["t_s"] - 1e-9), body=0)
    np.testing.assert_allclose(frames.altitude.values, rows["alt_m"], atol=HISTORY[0])
    speed = np.linalg.norm(frames.velocity.values, axis=1)
    np.testing.assert_allclose(speed, rows["v_m_s"], atol=HISTORY[1])
    np.testing.assert_allclose(np.degrees(frames.latitude.values), rows["lat_deg"], atol=HISTORY[2])
