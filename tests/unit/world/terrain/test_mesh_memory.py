"""What a contact point keeps of a mesh changes nothing: walks of all step sizes against questions that stand alone.

Those in turn are held against brute force over every facet in `verification/test_terrain_queries.py`, and here for the
choice among equally near facets.
"""

import numpy as np
import pytest

from oracles.mesh_brute_force import Triangles, triangle_distances
from planetfall.world.terrain.mesh.build import leaf_order, mesh_surface, node_boxes
from planetfall.world.terrain.mesh.mesh import look_ahead
from planetfall.world.terrain.model import GROUND_OFF_MAP, GROUND_OK
from planetfall.world.terrain.surface import Surface
from support.made_ground import grid_mesh
from support.mesh_queries import ball, burr, points_about, sheet
from support.walked import asked, grounds_along, wander

N = 12_000
REACH = 0.05


def fan() -> Triangles:
    """A cone of sixty facets about one vertex: more than a list holds are equally near."""
    turn = np.linspace(0.0, 2.0 * np.pi, 61)[:-1]
    rim = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(60)])
    around = np.arange(60)
    facets = np.column_stack([np.full(60, 60), around, (around + 1) % 60])
    return Triangles(np.vstack([rim, [[0.0, 0.0, 0.3]]]), facets)


def dense() -> Triangles:
    """Facets much smaller than the reach, some flat and some rough."""
    along = np.linspace(-0.2, 0.2, 81)
    rough = 0.002 * np.random.default_rng(8).normal(size=(81, 81))
    return Triangles(*grid_mesh(along, np.where(along > 0.0, rough, 0.0)))


def shelf() -> Triangles:
    """Two sheets 2 mm apart, back to back: a point between them is behind both."""
    along = np.linspace(-0.5, 0.5, 6)
    vertices, facets = grid_mesh(along, np.zeros((6, 6)))
    below = vertices - [0.0, 0.0, 0.002]
    return Triangles(np.vstack([vertices, below]), np.vstack([facets, facets[:, ::-1] + len(vertices)]))


def slab() -> Triangles:
    """A rock of small facets just over one large facet: what is near is far from the large one's border."""
    rock = ball()
    floor = np.array([[-2.0, -2.0, 0.0], [4.0, -2.0, 0.0], [-2.0, 4.0, 0.0]])
    vertices = np.vstack([0.1 * rock.vertices + [0.1, 0.0, 0.11], floor])
    return Triangles(vertices, np.vstack([rock.facets, len(rock.vertices) + np.arange(3)[None]]))


def one() -> Triangles:
    return Triangles(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.1], [0.2, 0.8, -0.1]]), np.array([[0, 1, 2]]))


SHAPES = {
    "convex": ball, "concave": burr, "sheet": sheet, "fan": fan, "dense": dense, "shelf": shelf, "slab": slab,
    "one": one,
}  # fmt: skip


def surface_of(mesh: Triangles, *, is_exact_far: bool = False) -> Surface:
    surface = mesh_surface(mesh.vertices, mesh.facets, "cpu", reach=REACH)
    look_ahead(surface.params, is_exact_far)
    return surface


def walk_about(mesh: Triangles, seed: int) -> np.ndarray:
    """Forty walks, one after the other, that start on facets, edges and vertices, some exactly."""
    rng = np.random.default_rng(seed)
    starts = points_about(mesh, 7 * 40, 0, seed)[::7]
    starts[:4] = mesh.corners[-1].mean(axis=0)
    offset = rng.choice([0.0, 1e-3, 3e-2], (len(starts), 1)) * rng.normal(size=(len(starts), 3))
    lengths = mesh.size * 10.0 ** rng.uniform(-4.0, -1.0, len(starts))
    n = N // len(starts)
    walks = [wander(start, n, length, rng) for start, length in zip(starts + mesh.size * offset, lengths, strict=True)]
    return np.vstack(walks)


@pytest.mark.parametrize("name", SHAPES)
def test_every_answer_on_a_walk_is_that_of_a_question_alone_to_the_last_bit(name: str) -> None:
    mesh = SHAPES[name]()
    surface, path = surface_of(mesh, is_exact_far=True), walk_about(mesh, 11)
    kept, alone = grounds_along(surface, path, 2, 3), asked(surface, path)
    for one_way, other in zip(kept, alone, strict=True):
        np.testing.assert_array_equal(one_way, other)
    is_ground = alone.statuses == int(GROUND_OK)
    assert (alone.gaps[is_ground] < 0).sum() > N // 100 and (alone.gaps[is_ground] > 0).sum() > N // 100


@pytest.mark.parametrize("name", SHAPES)
def test_without_looking_ahead_only_what_is_beyond_reach_is_a_bound(name: str) -> None:
    mesh = SHAPES[name]()
    surface, path = surface_of(mesh), walk_about(mesh, 12)
    kept, alone = grounds_along(surface, path), asked(surface, path)
    is_bound = kept.facets < 0
    for one_way, other in zip(kept, alone, strict=True):
        np.testing.assert_array_equal(one_way[~is_bound], other[~is_bound])
    assert np.all(kept.gaps[is_bound] >= REACH)
    assert np.all(alone.gaps[is_bound] > 0)  # deep in the ground is never apart
    some = np.flatnonzero(is_bound)[:: 1 + is_bound.sum() // 100]  # over a border there is a distance but no ground
    every = np.arange(len(mesh.facets))
    for i in some:
        distance = triangle_distances(mesh, np.tile(path[i], (len(every), 1)), every)[0].min()
        assert kept.gaps[i] <= distance * (1 + 1e-12)
    assert len(some) > 50


def test_a_step_back_finds_what_was_there() -> None:
    """To and fro between any two points of a walk, across everything that lies between them."""
    mesh = burr()
    surface, path = surface_of(mesh, is_exact_far=True), walk_about(mesh, 13)[::5]
    shuffled = np.random.default_rng(14).permutation(len(path))
    there = grounds_along(surface, path[shuffled])
    np.testing.assert_array_equal(there.gaps, asked(surface, path).gaps[shuffled])
    to_and_fro = grounds_along(surface, np.stack([path, path[shuffled]], axis=1).reshape(-1, 3))
    np.testing.assert_array_equal(to_and_fro.gaps[::2], asked(surface, path).gaps)


@pytest.mark.parametrize("name", SHAPES)
def test_of_equally_near_facets_a_face_answers_before_an_edge_and_that_before_a_vertex_then_the_lowest_index(
    name: str,
) -> None:
    """Where it is beyond doubt which are equal: closer than 4e-15 or farther apart than 3e-9 of themselves."""
    mesh = SHAPES[name]()
    middles = mesh.corners[:40, 0] + 0.5 * mesh.sides[:40, 0]
    over = mesh.vertices[-1] + np.linspace(0.01, 0.3, 20)[:, None] * [0.0, 0.0, 1.0]
    points = np.vstack([points_about(mesh, 210, 5, 15), middles * 1.2, over])
    facets = surface_of(mesh).facets_at(points)
    n_clear = n_tied = 0
    for point, facet in zip(points, facets, strict=True):
        every = np.arange(len(mesh.facets))
        distance, _, to_sides = triangle_distances(mesh, np.tile(point, (len(every), 1)), every)
        to_corners = np.linalg.norm(point - mesh.corners, axis=2)
        loose, tight = (distance <= distance.min() * (1 + give) + 1e-15 for give in (3e-9, 4e-15))
        is_end = [other.min(axis=1) <= distance * (1 + 1e-12) + 1e-15 for other in (to_sides, to_corners)]
        assert loose[facet]
        if np.array_equal(loose, tight) and distance.min() > 1e-12:
            assert facet == min(np.flatnonzero(loose), key=lambda k: (is_end[0][k] + int(is_end[1][k]), k))
            n_clear, n_tied = n_clear + 1, n_tied + (loose.sum() > 1)
    assert n_clear > 100
    assert n_tied > 10 or name in ("one", "concave", "sheet", "slab")


def test_a_position_that_is_no_number_is_off_the_map_and_does_not_spoil_what_is_kept() -> None:
    mesh = ball()
    surface, path = surface_of(mesh, is_exact_far=True), walk_about(mesh, 16)[:300]
    spoiled = np.repeat(path, 2, axis=0)
    spoiled[1::2] = np.random.default_rng(17).choice([np.nan, np.inf, -1e200], (len(path), 3))
    found = grounds_along(surface, spoiled)
    np.testing.assert_array_equal(found.gaps[::2], asked(surface, path).gaps)
    assert np.all(found.statuses[1::2] == int(GROUND_OFF_MAP)) and np.all(found.facets[1::2] == -1)
    assert np.all(np.isnan(surface.cast(spoiled[1::2], spoiled[::2], 1.0)[0]))


@pytest.mark.parametrize("n", [1, 4, 5, 16, 17, 64, 65, 1000, 4097])
def test_every_facet_is_in_one_leaf_and_every_box_holds_what_is_below_it(n: int) -> None:
    rng = np.random.default_rng(n)
    lower = rng.normal(size=(n, 3)) * 10.0 ** rng.uniform(-3.0, 3.0, (n, 1))
    upper = lower + rng.uniform(0.0, 1.0, (n, 3))
    order, n_levels = leaf_order(0.5 * (lower + upper))
    np.testing.assert_array_equal(np.sort(order), np.arange(n))
    boxes = node_boxes(lower[order], upper[order], n_levels).astype(float)
    assert len(boxes) == (4**n_levels - 1) // 3
    for place in range(n):
        node = len(boxes) + place // 4
        while node > 0:
            node, child = (node - 1) // 4, (node - 1) % 4
            assert np.all(boxes[node, :3, child] <= lower[order[place]])
            assert np.all(boxes[node, 3:, child] >= upper[order[place]])
