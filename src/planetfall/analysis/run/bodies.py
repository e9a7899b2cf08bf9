"""What came of each vehicle of a run: those it is judged by first, those discarded on the way apart."""

from typing import Any

import numpy as np
import xarray as xr

from planetfall.engine.state.result import RecordedRun
from planetfall.scenario.scenario import Scenario

JUDGED, DISCARDED = "judged", "discarded"


def body_summaries(scenario: Scenario, run: RecordedRun, data: xr.Dataset) -> list[dict[str, Any]]:
    """Figures of each vehicle, in order; none where there is one alone, whose figures are the run's own."""
    if len(scenario.vehicles) == 1:
        return []
    return [_of_body(scenario, run, data, b) for b in range(len(scenario.vehicles))]


def _of_body(scenario: Scenario, run: RecordedRun, data: xr.Dataset, b: int) -> dict[str, Any]:
    end, own = run.end, data.point_body.values == b
    crash = next((e for e in run.events if e.kind == "crash" and own[e.point]), None)
    return {
        "name": scenario.body_names[b],
        "role": JUDGED if b < scenario.n_judged else DISCARDED,
        "first_touch_s": np.fmin.reduce(end.first_touch[0, own], initial=np.nan),
        "touchdowns": end.touches[0, own].sum(),
        "peak_normal_force_N": end.peak[0, own].max(initial=0.0),
        "max_penetration_m": end.penetration[0, b],
        "final_speed_m_s": np.linalg.norm(data.velocity.values[-1, b]),
        "crash_s": end.crash[0, b],
        "crash_speed_m_s": None if crash is None else crash.value,
    }
