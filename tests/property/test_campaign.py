"""A campaign's table is the same to the last bit: in any shards, on any threads, taken up again, replayed."""

from __future__ import annotations

import ast
import threading
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import planetfall
from planetfall.analysis.campaign.ensemble_summary import summarise_ensemble
from planetfall.campaign.plan import make_plan
from planetfall.campaign.replay import replay
from planetfall.campaign.workers.executor import LocalExecutor
from planetfall.campaign.workers.shard_run import run_shard, work_of
from planetfall.record.files.shards import Shard
from planetfall.record.rows import dataset_of_rows
from planetfall.report.page.ensemble_page import write_page
from support.dispersed import assert_same_tables, dropped_block, sliding_point
from support.few import few
from support.tethered import hung, line

N = 60
BOTH = pytest.mark.parametrize("method", ["rk4", "adaptive"])


@lru_cache
def whole(method: str, sampling: str = "random") -> xr.Dataset:
    return planetfall.montecarlo(dropped_block(method), N, 11, sampling=sampling, shard_size=N).data


@BOTH
def test_the_runs_are_worth_comparing(method: str) -> None:
    """They touch, bounce and differ in everything."""
    data = whole(method)
    assert len(np.unique(data.x_m)) == N
    assert len(np.unique(data["in.vehicle.mass"])) == N
    assert data.n_contacts.max() > 4
    assert np.isfinite(data.first_touch_s).mean() > 0.9
    assert len(np.unique(data.outcome)) >= 2


@BOTH
@pytest.mark.parametrize(("shard_size", "threads"), [(1, 1), (7, 2), (1000, 4)])
def test_shards_and_threads_leave_no_trace(method: str, shard_size: int, threads: int) -> None:
    executor = LocalExecutor(threads)
    found = planetfall.montecarlo(dropped_block(method), N, 11, shard_size=shard_size, executor=executor)
    assert_same_tables(found.data, whole(method))


@pytest.mark.parametrize("sampling", ["sobol", "latin-hypercube"])
def test_nor_do_they_with_even_samples(sampling: str) -> None:
    found = planetfall.montecarlo(dropped_block(), N, 11, sampling=sampling, shard_size=13)
    assert_same_tables(found.data, whole("rk4", sampling))
    assert np.any(found.data.x_m.values != whole("rk4").x_m.values)


def test_what_is_prepared_beside_reads_no_types(monkeypatch: pytest.MonkeyPatch) -> None:
    """NumPy and Warp read types and code with `ast`, which in Python 3.11 fails if two threads do it at a time."""
    threads, honest = set(), ast.parse

    def seen(*args: Any, **options: Any) -> Any:
        threads.add(threading.current_thread())
        return honest(*args, **options)

    monkeypatch.setattr(ast, "parse", seen)
    planetfall.montecarlo(planetfall.load("msl-dispersed").with_values({"scenario.duration": 0.1}), 12, shard_size=2)
    planetfall.montecarlo(dropped_block(), 12, shard_size=2)
    assert threads <= {threading.main_thread()}


def test_more_runs_do_not_change_the_first_ones() -> None:
    more = planetfall.montecarlo(dropped_block(), N + 25, 11, shard_size=17)
    assert_same_tables(more.data.isel(run=slice(N)), whole("rk4"))


@few(8)
@given(first=st.integers(0, N - 1), n=st.integers(1, 9))
def test_any_shard_by_itself(first: int, n: int) -> None:
    last = min(first + n, N)
    work = work_of(make_plan(dropped_block(), N, 11, "random", None, "cpu", ""), "cpu")
    rows = dataset_of_rows(run_shard(work, Shard(first, last)), dropped_block())
    assert_same_tables(rows, whole("rk4").isel(run=slice(first, last)))


@BOTH
def test_a_replay_ends_in_the_bits_of_its_row(method: str, tmp_path: Any) -> None:
    """All columns that a recorded run has too: the whole row, not only where it stopped."""
    data = planetfall.montecarlo(dropped_block(method), N, 11, out=tmp_path / "c").data
    for run in (0, 17, N - 1):
        again, row = replay(tmp_path / "c", run), data.isel(run=run)
        summary = again.summary
        assert summary["replay"]["equals_its_row"]
        assert summary["outcome"] == str(row.outcome.values)
        assert max(summary["peak_normal_force_N"]) == float(row.peak_force_N)
        assert min(t for t in summary["first_touch_s"] if t is not None) == float(row.first_touch_s)
        assert summary["max_penetration_m"] == float(row.max_penetration_m)
        assert sum(summary["touchdowns"]) == int(row.n_contacts)
        assert summary["steps"] == int(row["out.steps"])
        end = again.data.isel(time=-1, body=0)
        assert end.position.values.tolist() == [float(row[name]) for name in ("x_m", "y_m", "z_m")]
        assert end.quaternion.values.tolist() == [float(row[name]) for name in ("qx", "qy", "qz", "qw")]


def test_a_replayed_scenario_runs_again_by_itself(tmp_path: Any) -> None:
    planetfall.montecarlo(dropped_block(), 5, 11, out=tmp_path / "c")
    folder = replay(tmp_path / "c", 3).save(tmp_path / "again")
    alone = planetfall.run(planetfall.load(folder / "scenario.toml"))
    np.testing.assert_array_equal(
        alone.data.position.values[-1, 0], planetfall.open(folder).data.position.values[-1, 0]
    )
    assert alone.scenario.dispersions == {}


def test_runs_that_cannot_be_are_rows_not_holes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the first runs are fine and a later one is not, the campaign goes on around it."""
    monkeypatch.setattr("planetfall.campaign.checks.N_DRAWN", 1)
    close = {
        "contact.breakaway_angle_deg": {"distribution": "normal", "sigma": 0.5, "mean": 27.0},
        "contact.sliding_angle_deg": {"distribution": "normal", "sigma": 0.5, "mean": 26.2},
    }
    seed = 3
    data = planetfall.montecarlo(sliding_point(dispersions=close), 200, seed, shard_size=64).data
    bad = data["in.contact.sliding_angle_deg"].values > data["in.contact.breakaway_angle_deg"].values
    assert bad.any()
    np.testing.assert_array_equal(data.outcome.values == "bad_input", bad)
    assert data.run.values.tolist() == list(range(200))
    assert np.isnan(data.x_m.values[bad]).all()
    assert np.isfinite(data.x_m.values[~bad]).all()


def test_noise_of_sensors_follows_the_run() -> None:
    """The landing detector of run i hears the noise of run i, in whichever shard it is."""
    scenario = planetfall.load("sensed-landing").with_values(
        {
            "scenario.duration": 1.0,
            "dispersions": {"initial.velocity.0": {"distribution": "normal", "sigma": 0.05}},
        }
    )
    together = planetfall.montecarlo(scenario, 6, 2, shard_size=6).data
    apart = planetfall.montecarlo(scenario, 6, 2, shard_size=1).data
    assert_same_tables(apart, together)
    assert "out.detected_s" in together


def companions() -> planetfall.Scenario:
    """A weight on a line below a support, both with starts and parameters of their own in every run."""
    scene = hung(20.0, 50.0, 3.7, [line(stiffness=400.0, damping=4.0, length=1.9)], 2.0)
    normal = {"distribution": "normal", "sigma": 0.1}
    tables = {
        "companions.0.initial.velocity.0": normal, "companions.0.vehicle.mass": normal, "initial.velocity.1": normal,
        "tethers.0.length": {"distribution": "uniform", "low": 1.8, "high": 2.0}, "vehicle.mass": normal,
    }  # fmt: skip
    return scene.with_values({"scenario.duration": 0.5, "dispersions": tables})


def released() -> planetfall.Scenario:
    """A cube let go by a mothership over a turning ellipsoid, in the sun."""
    normal = {"distribution": "normal", "sigma": 0.02}
    return planetfall.load("cube-67p").with_values(
        {
            "scenario.duration": 60.0,
            "target": {"gm": 666.2, "frame": "P", "spin_rate": 1.4e-4, "sun_direction": [1.0, 0.0, 0.0]},
            "gravity": {"model": "point"},
            "terrain": {"model": "sdf", "shape": "ellipsoid", "half_sizes": [300.0, 250.0, 200.0], "resolution": 25.0},
            "initial": {
                "release": {"carrier": "station", "position": [301.0, 0.0, 0.0], "separation": [-0.1, 0.1, 0.0]}
            },
            "dispersions": {"initial.release.separation.1": normal, "initial.release.position.2": normal},
        }
    )


@pytest.mark.parametrize("scene", [companions, released])
def test_starts_of_every_kind_leave_no_trace(scene: Any, tmp_path: Any) -> None:
    """Companions, tethers and releases: the same in any shards, and replayed."""
    data = planetfall.montecarlo(scene(), 9, 4, out=tmp_path / "c").data
    assert len(np.unique(data.x_m)) == len(np.unique(data.y_m)) == 9
    assert_same_tables(planetfall.montecarlo(scene(), 9, 4, shard_size=2).data, data)
    assert replay(tmp_path / "c", 7).summary["replay"]["equals_its_row"]
    if scene is released:
        assert np.isfinite(data["out.solar_incidence_deg"]).any()
        page = write_page(planetfall.open(tmp_path / "c"), tmp_path / "report.html").read_text(encoding="utf-8")
        assert "In the light at the end: " in page
        assert "Angle between the sun and the ground" in page


def test_a_summary_by_columns_is_that_of_the_table() -> None:
    """The command sums up from the disk, one column after the other; a report does so from the whole table."""
    ensemble = planetfall.montecarlo(dropped_block(), N, 11, shard_size=7)
    whole = summarise_ensemble(ensemble.data)
    assert {name: ensemble.summary[name] for name in whole} == whole
    assert len(whole["columns"]) > 10
