"""The animated scene, opened by trimesh (geometry, nodes) and by VTK (the animation)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import planetfall
from planetfall.viewer.scene.bodies import body_triangles

FLOAT32 = 4e-6
"""Places of up to 40 m in float32 [m]."""


@pytest.fixture(scope="module")
def scene_file(drop_run: planetfall.Trajectory, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return planetfall.export(drop_run, "gltf", tmp_path_factory.mktemp("gltf") / "drop.glb")[0]


def expected_vertices(run: planetfall.Trajectory, i: int) -> np.ndarray:
    """Corners of all triangles of the vehicle at a frame, from where the run ends, y up: z to y, y to -z."""
    drawn, frame = body_triangles(run.scenario.vehicle), run.data.isel(time=i)
    axes = Rotation.from_quat(frame.quaternion.values[0]).as_matrix()
    corners = drawn.vertices[drawn.facets].reshape(-1, 3)
    places = frame.position.values[0] + corners @ axes.T - run.data.position.values[-1, 0]
    return places[:, [0, 2, 1]] * [1.0, 1.0, -1.0]


def test_trimesh_reads_the_first_frame(scene_file: Path, drop_run: planetfall.Trajectory) -> None:
    import trimesh

    scene = trimesh.load(scene_file)
    assert set(scene.geometry) == {"ground", "msl-rover"}
    turn, name = scene.graph["msl-rover"]
    found = trimesh.transform_points(scene.geometry[name].vertices, turn)
    expected = expected_vertices(drop_run, 0)
    np.testing.assert_allclose(found.min(axis=0), expected.min(axis=0), atol=FLOAT32)
    np.testing.assert_allclose(found.max(axis=0), expected.max(axis=0), atol=FLOAT32)


@pytest.mark.parametrize("i", [0, 75, -1])
def test_vtk_plays_the_animation(i: int, scene_file: Path, drop_run: planetfall.Trajectory) -> None:
    """VTK applies the channels to the nodes by its own code."""
    import pyvista
    from vtkmodules.vtkIOGeometry import vtkGLTFReader

    reader = vtkGLTFReader()
    reader.SetFileName(str(scene_file))
    reader.ApplyDeformationsToGeometryOn()
    reader.UpdateInformation()
    assert reader.GetNumberOfAnimations() == 1
    times = drop_run.data.time.values
    assert reader.GetAnimationDuration(0) == pytest.approx(times[-1], rel=1e-6)
    reader.EnableAnimation(0)
    reader.SetFrameRate(0)
    reader.UpdateInformation()
    reader.UpdateTimeStep(float(times[i]))
    expected = expected_vertices(drop_run, i)
    points = pyvista.wrap(reader.GetOutputDataObject(0)).combine().points
    assert len(points) > len(expected)
    vehicle = points[-len(expected) :]
    # between frames places are linear: VTK may take the neighbour of an instant that float32 rounds
    speed = np.abs(drop_run.data.velocity.values[i, 0]).max()
    np.testing.assert_allclose(vehicle, expected, atol=FLOAT32 + 1e-6 * speed)


def test_up_on_a_whole_body_is_against_gravity(ball_run: planetfall.Trajectory, tmp_path: Path) -> None:
    import trimesh

    (path,) = planetfall.export(ball_run, "gltf", tmp_path / "ball.glb", frames=10)
    scene = trimesh.load(path)
    ground = trimesh.transform_points(scene.geometry["ground"].vertices, scene.graph["ground"][0])
    end = ball_run.data.position.values[-1, 0]
    assert ground[:, 1].mean() < -0.9 * np.linalg.norm(end)  # the ball's middle is straight below where the run ends
    assert np.abs(ground[:, [0, 2]].mean(axis=0)).max() < 5.0
