"""What a vehicle is drawn from: its own mesh where it has one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from planetfall.scenario.files.load import scenario_from_dict
from planetfall.scenario.tables.vehicle.shape import VehicleShape
from planetfall.scenario.tables.vehicle.vehicle import Vehicle
from planetfall.viewer.scene.bodies import body_hull, body_triangles, shape_arrays, shape_triangles
from support.view_runs import CUBE_ON_BALL


def ring(tmp_path: Path, sections: int) -> Path:
    """A mesh with a hole, which no hull of points would show, 4 m across; in a file of millimetres."""
    torus = trimesh.creation.torus(1500.0, 500.0, major_sections=sections, minor_sections=sections // 2)
    path = tmp_path / "ring.stl"
    torus.export(path)
    return path


def test_a_vehicle_with_a_mesh_is_drawn_from_it(tmp_path: Path) -> None:
    vehicle = {
        "name": "ring", "mass": 3.0, "inertia": [1.0, 1.0, 1.5],
        "shape": {"kind": "mesh", "file": str(ring(tmp_path, 32)), "scale": 1e-3, "center_of_mass": [0.0, 0.0, 0.2]},
    }  # fmt: skip
    arrays = shape_arrays(scenario_from_dict({**CUBE_ON_BALL, "vehicle": vehicle}))
    shape = trimesh.Trimesh(arrays["body_vertex.0"], arrays["body_facet.0"].astype(int))
    assert shape.is_watertight and shape.euler_number == 0  # one hole
    assert shape.extents == pytest.approx([4.0, 4.0, 1.0], rel=0.01)
    assert shape.center_mass == pytest.approx([0.0, 0.0, -0.2], abs=1e-6)


def test_a_huge_mesh_is_thinned_but_keeps_its_form(tmp_path: Path) -> None:
    whole = VehicleShape(kind="mesh", file=str(ring(tmp_path, 300)), scale=1e-3)
    drawn = shape_triangles(whole, most=8000)
    assert 2000 < len(drawn.facets) <= 8000 < len(whole.solid.facets)
    # every vertex is one of the mesh's own, and none of its places is further from one than a cell of merged vertices
    from scipy.spatial import KDTree

    assert KDTree(whole.solid.vertices).query(drawn.vertices)[0].max() == 0.0
    cell = 4.0 * np.sqrt(2.0 * trimesh.Trimesh(drawn.vertices, drawn.facets).area / len(drawn.facets))
    assert KDTree(drawn.vertices).query(whole.solid.vertices)[0].max() < cell


def test_a_vehicle_of_feet_alone_has_a_body() -> None:
    """Feet and a nozzle below the centre of mass enclose no body: a box with its inertia and struts are drawn."""
    places = ([1.8, 0.0, -1.25], [-0.9, 1.559, -1.25], [-0.9, -1.559, -1.25], [0.0, 0.0, -0.85])
    points = [{"name": f"p{i}", "position": place} for i, place in enumerate(places)]
    vehicle = {"name": "tripod", "mass": 940.0, "inertia": [610.0, 580.0, 720.0], "points": points}
    feet = Vehicle.model_validate(vehicle)
    assert body_hull(np.array(places)) is None
    drawn = body_triangles(feet)
    assert drawn is not None
    assert drawn.vertices[:, 2].max() > 0.3  # over the centre of mass, where its body is
    assert drawn.vertices[:, 2].min() == pytest.approx(-1.25, abs=0.1)
    around = np.vstack([places, [[0.0, 0.0, 1.0]]])
    assert body_hull(around) is not None
