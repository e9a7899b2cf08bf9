"""The collection for ParaView, opened by VTK's own readers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import planetfall

FIFTY = 50


@pytest.fixture(scope="module")
def collection(drop_run: planetfall.Trajectory, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return planetfall.export(drop_run, "vtk", tmp_path_factory.mktemp("vtk") / "a drop.pvd", frames=FIFTY)[0]


def read(path: Path, i: int):
    """The four blocks at an instant, and the instants."""
    import pyvista

    reader = pyvista.PVDReader(str(path))
    reader.set_active_time_value(reader.time_values[i])
    return list(reader.read()), np.array(reader.time_values)


def test_instants_are_frames_of_the_run_with_its_peak(collection: Path, drop_run: planetfall.Trajectory) -> None:
    _, times = read(collection, 0)
    data = drop_run.data
    assert len(times) <= FIFTY + 10
    assert set(times) <= set(data.time.values)
    peak = int(data.contact_normal_force.values.max(axis=1).argmax())
    assert data.time.values[peak] in times


def test_contact_points_have_their_forces(collection: Path, drop_run: planetfall.Trajectory) -> None:
    data = drop_run.data
    _, times = read(collection, 0)
    strongest = np.argmax([float(data.contact_normal_force.sel(time=t).max()) for t in times])
    (_, _, _, contacts), _ = read(collection, int(strongest))
    frame = data.isel(time=int(np.searchsorted(data.time.values, times[strongest])))
    axes = Rotation.from_quat(frame.quaternion.values[0]).as_matrix()
    places = frame.position.values[0] + frame.point_position.values @ axes.T
    np.testing.assert_allclose(contacts.points, places, atol=1e-12)
    np.testing.assert_array_equal(contacts["force [N]"], frame.contact_force.values)
    np.testing.assert_array_equal(contacts["normal force [N]"], frame.contact_normal_force.values)
    assert contacts["normal force [N]"].max() > 1000.0


def test_track_and_bodies_are_where_the_run_has_them(collection: Path, drop_run: planetfall.Trajectory) -> None:
    from planetfall.viewer.scene.bodies import body_triangles

    (_, track, bodies, _), times = read(collection, -1)
    last = drop_run.data.isel(time=-1)
    assert track.n_lines == 1
    np.testing.assert_array_equal(track["time [s]"], times)
    np.testing.assert_array_equal(track.points[-1], last.position.values[0])
    drawn = body_triangles(drop_run.scenario.vehicle)
    axes = Rotation.from_quat(last.quaternion.values[0]).as_matrix()
    np.testing.assert_allclose(bodies.points, last.position.values[0] + drawn.vertices @ axes.T, atol=1e-12)
    np.testing.assert_array_equal(bodies["color"], drawn.colors)
    assert bodies.is_all_triangles


def test_ground_is_the_plane(collection: Path, drop_run: planetfall.Trajectory) -> None:
    (ground, _, _, _), _ = read(collection, 0)
    normal = drop_run.scenario.terrain.outward
    np.testing.assert_allclose(ground.points @ normal, 0.0, atol=1e-12)
    assert ground.n_cells > 1000


def test_a_drive_has_wheels(tmp_path: Path) -> None:
    """Its contact points lie on the rims: as far from a wheel's middle as its radius."""
    run = planetfall.drive(planetfall.load_drive("lsr1-flat"))
    path = planetfall.export(run, "vtk", tmp_path / "drive.pvd", frames=3)[0]
    (_, _, bodies, contacts), _ = read(path, -1)
    assert sorted(set(bodies["body"])) == list(range(7))
    middle = run.data.wheel_position.values[-1]
    for i in range(6):
        rim = bodies.extract_cells(np.flatnonzero(bodies["body"] == i + 1))
        np.testing.assert_allclose(np.mean(rim.bounds[0:2]), middle[i, 0], atol=1e-9)
    np.testing.assert_allclose(
        np.linalg.norm(contacts.points - middle, axis=1), run.scenario.rover.wheels.radius, rtol=1e-9
    )


def test_files_of_others_stay(drop_run: planetfall.Trajectory, tmp_path: Path) -> None:
    """The folder of the pieces is never that of the run, and only pieces are replaced."""
    out = tmp_path / "run.pvd"
    files = planetfall.export(drop_run, "vtk", out, frames=2)
    assert files[0] == out and all(file.exists() for file in files)
    with pytest.raises(planetfall.InputError, match="exists"):
        planetfall.export(drop_run, "vtk", out, frames=2)
    planetfall.export(drop_run, "vtk", out, frames=2, overwrite=True)
    (files[1].parent / "notes.txt").write_text("mine")
    with pytest.raises(planetfall.InputError, match=r"holds other files \(notes.txt\)"):
        planetfall.export(drop_run, "vtk", out, frames=2, overwrite=True)
    assert {path.name for path in tmp_path.iterdir()} == {"run.pvd", "run_pieces"}
