"""From a campaign to what the page needs to show where its runs ended."""

import numpy as np

from planetfall.analysis.campaign.ensemble_summary import outcome_shares
from planetfall.analysis.campaign.landing_ellipse import ground_note
from planetfall.outcome import Outcome
from planetfall.record.ensemble import Ensemble
from planetfall.record.labels import words_and_unit
from planetfall.scenario.files.changed_keys import full_title
from planetfall.viewer.ground.ground import BUDGET, Detail, drawn_ground, spread_out
from planetfall.viewer.pack import Pack
from planetfall.viewer.scene.scene import SMALLEST, grid_of, ground_of, turn_of, up_at

MOST_RUNS = 200_000
"""Runs that a page shows; of more, the first, which are as random as any."""


def campaign_scene(ensemble: Ensemble, *, budget: int = BUDGET, most: int = MOST_RUNS) -> Pack:
    """The landing points of the first `most` runs of a campaign on its ground, with outcome and numbers of each."""
    data, scenario = ensemble.data, ensemble.scenario
    places = np.column_stack([data[f"{axis}_m"].values for axis in "xyz"])[:most]
    shown = np.flatnonzero(np.isfinite(places).all(axis=1) & (np.abs(places) < 1e15).all(axis=1))
    versions = ensemble.campaign.get("versions", {})
    heading = {
        "format": "planetfall-view",
        "version": 1,
        "planetfall": versions.get("planetfall", ""),
        "name": scenario.name,
        "title": full_title(scenario),
        "n_runs": int(data.sizes["run"]),
    }
    if not len(shown):
        return Pack({**heading, "kind": "empty", "problem": "no run of this campaign has a finite place at its end"})
    places = places[shown]
    origin = np.median(places, axis=0)
    reach = float(np.linalg.norm(places - origin, axis=1).max())
    arms = [vehicle.extent for vehicle in scenario.vehicles if len(vehicle.points)]
    size = max(*arms, SMALLEST) if arms else 1.0
    detail = Detail(spread_out(places, size, 1000), size, max(12.0 * size, 1.6 * reach))
    surface = ground_of(scenario)
    ground = drawn_ground(surface, detail, budget)
    ends = data.outcome.values[shown].astype(str)
    outcomes = list(outcome_shares(ends))  # in the order, hence the colours, of the report's figures
    grid, lines = grid_of(surface, origin, detail)
    arrays = {
        "place": (places - origin).astype(np.float32),
        "run": data.run.values[shown].astype(np.uint32),
        "outcome": np.array([outcomes.index(end) for end in ends], dtype=np.uint8),
        "ground_vertex": (ground.vertices - origin).astype(np.float32),
        "ground_facet": ground.facets.astype(np.uint32),
    }
    arrays |= lines
    columns = []
    for name in data.data_vars:
        values = data[name].values
        if data[name].dims == ("run",) and values.dtype.kind in "fiu" and name != "seed":
            label, unit = words_and_unit(str(name))[0], str(data[name].attrs.get("units", ""))
            columns.append({"name": str(name), "label": label, "unit": unit})
            arrays[f"col.{name}"] = values[shown].astype(np.float32)
    header = {
        **heading,
        "kind": "campaign",
        "frame": scenario.target.frame,
        "turn": turn_of(scenario),
        "origin": origin.tolist(),
        "up": up_at(scenario, origin).tolist(),
        "size": size,
        "reach": max(reach, size),
        "outcomes": outcomes,
        "failed": [Outcome[name].is_failure for name in outcomes],
        "notes": _notes(ensemble, len(shown), most),
        "grid": grid,
        "columns": columns,
        "n_facets": len(ground.facets),
    }
    return Pack(header, arrays)


def _notes(ensemble: Ensemble, n_shown: int, most: int) -> list[str]:
    """What the picture does not show, or shows otherwise than it was."""
    n_runs = int(ensemble.data.sizes["run"])
    notes = [ground_note(ensemble.scenario), _gap_note(ensemble)]
    if n_runs > most:
        notes.append(f"Of {n_runs} runs the first {most} are shown.")
    if n_shown < min(n_runs, most):
        notes.append(f"{min(n_runs, most) - n_shown} runs ended at no finite place and are not shown.")
    return [note for note in notes if note]


def _gap_note(ensemble: Ensemble) -> str:
    """How much of the campaign there is, where that is not all of it."""
    if not ensemble.gap:
        return ""
    shown = ", ".join(f"{first} to {last}" for first, last in ensemble.summary["missing_runs"][:3])
    return f"{ensemble.summary['n_runs']} of {ensemble.summary['n_planned']} runs are there; missing: runs {shown}."
