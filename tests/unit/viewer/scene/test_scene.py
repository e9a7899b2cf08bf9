"""What a page gets of a run: all digits that matter, every peak, every variable."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import xarray as xr

import planetfall
from planetfall.engine.state.result import RunEvent
from planetfall.record.thinned_frames import shown_frames
from planetfall.record.trajectory import Trajectory
from planetfall.viewer.pack import Pack, read_pack
from planetfall.viewer.scene.scene import point_positions, scene_of
from planetfall.viewer.scene.variables import plotted_variables


@pytest.fixture(scope="module")
def drop() -> Trajectory:
    return planetfall.run(planetfall.load("msl-drop").with_values({"scenario.duration": 1.5}))


def log(n: int, n_points: int = 2) -> xr.Dataset:
    """A long log with impacts of one frame."""
    draw = np.random.default_rng(8)
    force = np.zeros((n, n_points))
    force[draw.integers(0, n, 40), draw.integers(0, n_points, 40)] = draw.uniform(1.0, 9.0, 40)
    force[n // 3, 0], force[n // 3 + 1, 1] = 100.0, 50.0
    position = np.cumsum(draw.normal(size=(n, 1, 3)), axis=0)
    return xr.Dataset(
        {
            "position": (("time", "body", "axis"), position, {"units": "m"}),
            "contact_normal_force": (("time", "point"), force, {"units": "N"}),
            "contact_mode": (("time", "point"), (force > 0).astype(np.int8), {"units": "1"}),
        },
        coords={"time": np.arange(n) * 0.01, "point": ["left", "right"][:n_points], "axis": ["x", "y", "z"]},
    )


def test_bytes_come_back_and_are_the_same_each_time() -> None:
    arrays = {
        "a": np.arange(7, dtype=np.float32), "b": np.arange(6, dtype=np.float64).reshape(2, 3),
        "c": np.arange(5, dtype=np.uint8), "d": np.array([2**32 - 1], dtype=np.uint32),
    }  # fmt: skip
    pack = Pack({"title": "Zürich </script>", "n": 3}, arrays)
    again = read_pack(pack.to_bytes())
    assert again.header == pack.header
    assert all(np.array_equal(again.arrays[name], values) for name, values in arrays.items())
    assert pack.to_bytes() == pack.to_bytes()


def test_coded_numbers_come_back_to_the_bit() -> None:
    """Also NaN, infinities, negative zero and subnormal numbers; empty arrays and those of one row too."""
    strange = np.array([[np.nan, -0.0, np.inf], [1e-45, -np.inf, 3.0]], dtype=np.float32)
    draw = np.random.default_rng(4)
    arrays = {
        "strange": strange,
        "one": strange[:1],
        "empty": np.empty((0, 3), np.float32),
        "without columns": np.empty((3, 0), np.float32),
        "bits": draw.integers(0, 2**32, (50, 2, 3), dtype=np.uint32),
        "walk": np.cumsum(draw.normal(size=900)).astype(np.float32),
    }
    again = read_pack(Pack({}, arrays).to_bytes()).arrays
    for name, values in arrays.items():
        assert again[name].shape == values.shape and again[name].tobytes() == values.tobytes(), name


def test_a_cut_file_is_refused() -> None:
    data = Pack({}, {"a": np.zeros(100)}).to_bytes()
    with pytest.raises(EOFError):
        read_pack(data[: len(data) // 2])


def test_peaks_survive_thinning() -> None:
    data = log(100_000)
    frames = shown_frames(data, 3000)
    assert len(frames) <= 3000
    assert np.all(np.diff(frames) > 0)
    kept = data.contact_normal_force.values[frames]
    assert kept.max(axis=0).tolist() == [100.0, 50.0]
    assert frames[0] == 0 and frames[-1] == 99_999
    # in each of the intervals the strongest impact is there
    bounds = np.linspace(0, 100_000, 1001).astype(int)
    for first, end in pairwise(bounds):
        whole = data.contact_normal_force.values[first:end].max()
        assert data.contact_normal_force.values[frames[(frames >= first) & (frames < end)]].max() == whole


def test_frames_without_a_place_are_left_out() -> None:
    data = log(50)
    data.position.values[10] = np.nan
    data.position.values[40:] = 1e200
    assert shown_frames(data).tolist() == [i for i in range(40) if i != 10]


def test_a_run_that_blew_up_says_so(drop: Trajectory) -> None:
    data = drop.data.copy(deep=True)
    data.position.values[:] = np.nan
    pack = scene_of(Trajectory(drop.scenario, data, drop.events, drop.summary))
    assert pack.header["kind"] == "empty"
    assert "no frame" in pack.header["problem"]


def test_every_recorded_variable_can_be_plotted(drop: Trajectory) -> None:
    pack = scene_of(drop)
    named = {variable["name"] for variable in pack.header["variables"]}
    over_time = {str(name) for name in drop.data.data_vars if "time" in drop.data[name].dims}
    assert named == over_time
    for variable in pack.header["variables"]:
        sent = pack.arrays[f"var.{variable['name']}"] + np.array(variable["offsets"])
        recorded = drop.data[variable["name"]].values.reshape(len(sent), -1)
        scale = np.abs(recorded).max()
        assert np.abs(sent - recorded).max() <= 2.0**-23 * scale  # float32 rounds by half of 2^-23 at most
        assert len(variable["columns"]) == recorded.shape[1]


def test_small_changes_of_large_numbers_keep_their_digits() -> None:
    x = 3.4e6 + np.linspace(0.0, 1e-3, 20)
    data = xr.Dataset({"x": ("time", x, {"units": "m"})}, coords={"time": np.arange(20.0)})
    described, arrays = plotted_variables(data, np.arange(20), 100)
    assert np.abs(arrays["var.x"][:, 0].astype(float) + described[0]["offsets"][0] - x).max() < 1e-9


def test_points_lie_where_the_attitude_puts_them(drop: Trajectory) -> None:
    """Against SciPy's rotations; and a point with a small gap is that far from the plane."""
    from scipy.spatial.transform import Rotation

    data = drop.data
    frames = np.arange(0, data.sizes["time"], 10)
    places = point_positions(data, frames)
    for k, i in enumerate(frames):
        turned = Rotation.from_quat(data.quaternion.values[i, 0]).apply(data.point_position.values)
        assert places[k] == pytest.approx(data.position.values[i, 0] + turned, abs=1e-12)
    heights = places @ drop.scenario.terrain.outward
    assert heights == pytest.approx(data.contact_gap.values[frames], abs=1e-12)


def test_events_have_names_and_no_nan(drop: Trajectory) -> None:
    strange = RunEvent(time=0.5, kind="touch", point=1, value=float("nan"), position=(0.0, 0.0, 0.0))
    pack = scene_of(Trajectory(drop.scenario, drop.data, [strange], drop.summary))
    assert pack.header["events"] == [{"time": 0.5, "kind": "touch", "point": "wheel 2", "value": None}]
