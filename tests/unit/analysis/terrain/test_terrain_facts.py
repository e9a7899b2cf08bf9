"""Facts of maps and meshes whose numbers are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import trimesh

from planetfall.analysis.terrain.terrain_facts import mesh_facts, raster_facts, sentences
from planetfall.errors import InputError
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData
from planetfall.world.terrain.readers.meshes.winding import oriented
from planetfall.world.terrain.readers.rasters.raster import Raster
from support.made_ground import cut_in_strips, grid_mesh, made_mesh, made_raster


def plane(slope_deg: float, azimuth_deg: float, shape: tuple[int, int] = (30, 40)) -> Raster:
    """A plane that descends towards an azimuth, over nodes 2 m and 3 m apart."""
    down = np.radians(azimuth_deg)
    x, y = np.meshgrid(2.0 * np.arange(shape[1]), 3.0 * np.arange(shape[0]))
    heights = 5.0 - np.tan(np.radians(slope_deg)) * (x * np.sin(down) + y * np.cos(down))
    return made_raster(heights, (2.0, 3.0), (-10.0, 7.0))


@pytest.mark.parametrize("slope_deg", [0.0, 10.0, 45.0, 80.0])
@pytest.mark.parametrize("azimuth_deg", [0.0, 30.0, 225.0])
def test_a_tilted_plane_has_one_slope(slope_deg: float, azimuth_deg: float) -> None:
    """Exact but for the rounding of heights up to 800 m: 1e-13 m over 2 m."""
    facts = raster_facts([plane(slope_deg, azimuth_deg)])
    assert facts.slopes is not None
    numbers = (facts.slopes.rms, facts.slopes.median, facts.slopes.most, facts.slopes.largest)
    assert numbers == pytest.approx((np.radians(slope_deg),) * 4, abs=1e-12)
    assert (facts.n_rows, facts.n_columns, facts.n_holes) == (30, 40, 0)
    assert (facts.n_facets, facts.n_missing_facets) == (2 * 29 * 39, 0)
    assert (facts.spacing, facts.x, facts.y) == ((2.0, 3.0), (-10.0, 68.0), (7.0, 94.0))


def test_two_slopes_count_by_their_plan_area() -> None:
    """A level third, and two thirds that rise by 30 degrees."""
    x = np.arange(31.0)
    heights = np.tile(np.tan(np.radians(30.0)) * np.maximum(x - 10.0, 0.0), (5, 1))
    slopes = raster_facts([made_raster(heights)]).slopes
    assert slopes is not None
    assert slopes.rms == pytest.approx(np.radians(30.0) * np.sqrt(2.0 / 3.0), rel=1e-12)
    assert (slopes.median, slopes.most) == pytest.approx((np.radians(30.0),) * 2, rel=1e-12)


# Facets that meet at a node: cells are cut from south-west to north-east.
FACETS_AT = {(2, 3): 6, (0, 0): 2, (4, 5): 2, (0, 5): 1, (4, 0): 1, (0, 2): 3, (4, 2): 3, (2, 0): 3, (2, 5): 3}


@pytest.mark.parametrize("node", FACETS_AT)
def test_a_missing_node_makes_holes_of_its_facets(node: tuple[int, int]) -> None:
    heights = np.zeros((5, 6))
    heights[node] = np.nan
    facts = raster_facts([made_raster(heights)])
    assert facts.n_holes == 1
    assert facts.n_missing_facets == FACETS_AT[node]
    assert facts.heights == (0.0, 0.0)
    assert facts.slopes is not None
    assert facts.slopes.largest == 0.0


def test_a_map_of_scattered_nodes_has_no_facet() -> None:
    heights = np.full((6, 6), np.nan)
    heights[::2, ::2] = 1.0
    facts = raster_facts([made_raster(heights)])
    assert (facts.n_facets, facts.slopes, facts.n_holes) == (0, None, 27)


@pytest.mark.parametrize("n_rows", [1, 2, 7, 29])
def test_strips_are_as_good_as_the_whole(n_rows: int) -> None:
    rng = np.random.default_rng(2)
    heights = rng.normal(size=(30, 11))
    heights[rng.uniform(size=heights.shape) < 0.1] = np.nan
    raster = made_raster(heights, (0.5, 0.7), (3.0, -4.0))
    whole, parts = raster_facts([raster]), raster_facts(cut_in_strips(raster, n_rows))
    assert replace(parts, slopes=None) == replace(whole, slopes=None)
    assert parts.slopes is not None
    assert whole.slopes is not None
    assert vars(parts.slopes) == pytest.approx(vars(whole.slopes), rel=1e-12)


def cube(side: float = 2.0, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> MeshData:
    box = trimesh.creation.box((side, side, side))
    return made_mesh(np.array(box.vertices) + at, box.faces)


@pytest.mark.parametrize("at", [(0.0, 0.0, 0.0), (1000.0, -500.0, 3.0)])
def test_a_cube(at: tuple[float, float, float]) -> None:
    """Facets are half faces, whose centroids lie a third of the half side off the axis in both directions."""
    facts = mesh_facts(cube(at=at))
    assert (facts.n_vertices, facts.n_facets, facts.n_holes) == (8, 12, 0)
    assert facts.is_body
    assert not facts.is_inverted
    assert facts.winding.is_closed
    assert facts.winding.is_consistent
    assert (facts.winding.volume, facts.winding.area) == pytest.approx((8.0, 24.0), rel=1e-12)
    assert facts.bounds == pytest.approx(np.array([[-1.0] * 3, [1.0] * 3]) + at)
    assert facts.edges == pytest.approx((2.0, 2.0, 2.0 * np.sqrt(2.0)))
    assert facts.centre == pytest.approx(at, abs=1e-10)
    assert facts.radii == pytest.approx((np.sqrt(3.0),) * 2)
    assert facts.surrounds == pytest.approx(1.0, abs=1e-12)
    assert facts.slopes is not None
    # 1e-10: a kilometre from the origin, positions are rounded to 1e-13 m
    assert (facts.slopes.rms, facts.slopes.largest) == pytest.approx((np.arctan(np.sqrt(2.0) / 3.0),) * 2, abs=1e-10)
    assert facts.notes == ()


def test_a_cube_as_ground_is_its_level_top() -> None:
    facts = mesh_facts(cube(), "map")
    assert not facts.is_body
    assert facts.slopes is not None
    assert facts.slopes.largest == 0.0


def ball(n_cut: int = 3) -> tuple[np.ndarray, np.ndarray]:
    made = trimesh.creation.icosphere(n_cut)
    return np.array(made.vertices), np.array(made.faces)


def test_a_sphere_has_no_slope_but_that_of_its_facets() -> None:
    vertices, facets = ball()
    facts = mesh_facts(made_mesh(vertices, facets))
    assert facts.is_body
    assert not facts.is_inverted
    assert facts.slopes is not None
    # the plane through three points of a unit sphere stands square to the radius of its circumcentre, which is no
    # farther than the longest edge from the centroid
    assert 0.0 < facts.slopes.largest < np.arcsin(facts.edges[2])


def test_an_inverted_sphere() -> None:
    vertices, facets = ball()
    mesh = made_mesh(vertices, facets[:, ::-1])
    facts, right = mesh_facts(mesh), mesh_facts(made_mesh(vertices, facets))
    assert facts.is_body
    assert facts.is_inverted
    assert facts.winding.is_consistent
    assert facts.surrounds == pytest.approx(-1.0, abs=1e-12)
    assert facts.winding.volume == pytest.approx(-right.winding.volume)  # type: ignore[operator]
    assert facts.slopes is not None
    assert right.slopes is not None
    assert facts.slopes.largest == pytest.approx(np.pi, abs=right.slopes.largest)
    assert any("inside out" in note and "'outward'" in note for note in facts.notes)
    assert not mesh_facts(oriented(mesh, "outward")).is_inverted


def test_a_body_with_a_crack_is_a_body_with_a_hole() -> None:
    vertices, facets = ball()
    whole = mesh_facts(made_mesh(vertices, facets))
    facts = mesh_facts(made_mesh(vertices, facets[1:]))
    assert facts.is_body
    assert not facts.winding.is_closed
    assert not facts.is_inverted
    assert facts.n_holes == 1
    assert 1.0 - facts.surrounds == pytest.approx(1.0 / len(facets), rel=0.2)
    assert facts.centre == pytest.approx(whole.centre, abs=2.0 / len(facets))
    assert any("not closed" in note for note in facts.notes)
    assert mesh_facts(made_mesh(vertices, facets[1:, ::-1])).is_inverted


def hills(n: int = 12) -> tuple[np.ndarray, np.ndarray]:
    along = np.linspace(-10.0, 10.0, n)
    return along, np.sin(0.4 * along)[:, None] * np.cos(0.3 * along)[None, :]


def test_a_sheet_has_the_slopes_of_the_map_with_the_same_facets() -> None:
    along, heights = hills()
    step = along[1] - along[0]
    of_mesh = mesh_facts(made_mesh(*grid_mesh(along, heights))).slopes
    of_map = raster_facts([made_raster(heights, (step, step))]).slopes
    assert of_mesh is not None
    assert of_map is not None
    assert vars(of_mesh) == pytest.approx(vars(of_map), rel=1e-9)


def test_a_sheet_with_two_holes() -> None:
    along, heights = hills()
    vertices, facets = grid_mesh(along, heights)
    kept = np.delete(facets, [2 * (3 * 11 + 3), 2 * (7 * 11 + 7), 2 * (7 * 11 + 7) + 1], axis=0)
    facts = mesh_facts(made_mesh(vertices, kept))
    assert not facts.is_body
    assert facts.n_holes == 2
    assert facts.winding.n_boundary_loops == 3
    assert not facts.is_inverted


def test_a_sheet_that_faces_down() -> None:
    vertices, facets = grid_mesh(*hills())
    facts = mesh_facts(made_mesh(vertices, facets[:, ::-1]))
    assert facts.is_inverted
    assert facts.slopes is None
    assert any("'up'" in note for note in facts.notes)


def test_a_facet_wound_against_its_neighbours_is_told() -> None:
    vertices, facets = grid_mesh(*hills())
    facets[40] = facets[40][::-1]
    facts = mesh_facts(made_mesh(vertices, facets))
    assert not facts.winding.is_consistent
    assert any(note.startswith("3 edges") for note in facts.notes)


def bowl() -> tuple[np.ndarray, np.ndarray]:
    """The lower half of a sphere, facing in and up: seen from its middle it covers seven tenths of all directions."""
    vertices, facets = ball(4)
    return vertices, facets[(vertices[facets][:, :, 2] <= 1e-9).all(axis=1)][:, ::-1]


def two_layers() -> tuple[np.ndarray, np.ndarray]:
    """A sheet above another one, both facing up: together they cover nearly all directions."""
    along = np.linspace(-1000.0, 1000.0, 20)
    vertices, facets = grid_mesh(along, np.full((20, 20), 0.1))
    return np.vstack([vertices, vertices - [0.0, 0.0, 0.01]]), np.vstack([facets, facets + len(vertices)])


def block_of_ground() -> tuple[np.ndarray, np.ndarray]:
    """A closed slab, as terrain is made for printing."""
    box = trimesh.creation.box((10.0, 10.0, 1.0))
    return np.array(box.vertices), np.array(box.faces)


def two_rocks() -> tuple[np.ndarray, np.ndarray]:
    vertices, facets = ball(1)
    return np.vstack([vertices, vertices + np.array([8.0, 0.0, 0.0])]), np.vstack([facets, facets + len(vertices)])


@pytest.mark.parametrize("shape", [bowl, two_layers, block_of_ground, two_rocks])
def test_what_is_no_body(shape) -> None:
    mesh = made_mesh(*shape())
    facts = mesh_facts(mesh)
    assert not facts.is_body
    assert not facts.is_inverted
    assert facts.slopes is not None
    assert facts.slopes.largest <= np.pi / 2
    assert mesh_facts(mesh, "body").is_body


def test_no_such_view() -> None:
    with pytest.raises(InputError, match="'auto', 'map' or 'body'"):
        mesh_facts(cube(), "side")  # type: ignore[arg-type]


def test_notes_become_sentences() -> None:
    assert sentences(["a note", "Another.", "3 things"]) == ("A note.", "Another.", "3 things.")
    assert sentences(["glTF has y up"]) == ("glTF has y up.",)
