"""Gravity of an ellipsoid of Itokawa's axes at places near it: our closed form, our polyhedron, polyhedral-gravity.

Writes the mesh that the others read, and prints a JSON object of relative differences to the closed form.
"""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from trimesh.creation import icosphere

import planetfall
from planetfall.scenario.files.load import scenario_from_dict
from planetfall.world.gravity.field import gravity_field
from planetfall.world.gravity.model import GRAVITATIONAL_CONSTANT
from planetfall.world.gravity.polyhedron.build import polyhedron_field

AXES, GM = np.array([267.5, 147.0, 104.5]), 2.343


def places() -> np.ndarray:
    """[64, 3] [m], from 1.01 to 3 radii."""
    directions = np.random.default_rng(3).normal(size=(64, 3))
    surface = directions / np.linalg.norm(directions / AXES, axis=1)[:, None]
    return surface * np.geomspace(1.01, 3.0, 64)[:, None]


def mesh(subdivisions: int) -> tuple[np.ndarray, np.ndarray]:
    """An ellipsoid of triangles with the ellipsoid's volume."""
    ball = icosphere(subdivisions, 1.0)
    return ball.vertices * AXES * (4.0 / 3.0 * np.pi / ball.volume) ** (1.0 / 3.0), np.asarray(ball.faces)


def difference(found: np.ndarray, exact: np.ndarray) -> float:
    """The largest over all places, relative."""
    return float((np.linalg.norm(found - exact, axis=1) / np.linalg.norm(exact, axis=1)).max())


def main() -> None:
    """Compares, and writes the mesh and the places for peers that read files."""
    made = scenario_from_dict(
        {
            "scenario": {"name": "field", "duration": 1.0}, "vehicle": {"name": "cube"},
            "target": {"name": "own", "gm": GM, "semi_axes": AXES.tolist(), "frame": "P"},
            "contact": {"law": "distributed", "stiffness": 250.0, "damping": 14.0, "friction": 0.5},
            "integrator": {"method": "adaptive"},
        }
    )  # fmt: skip
    at = places()
    exact = gravity_field(made).acceleration(at)
    vertices, facets = mesh(4)
    ours = polyhedron_field(vertices, facets, "cpu", gm=GM).acceleration(at)
    out = {"program": "Planetfall", "version": planetfall.__version__, "polyhedron": difference(ours, exact)}
    folder = Path(sys.argv[1])
    np.savetxt(folder / "places.txt", at)
    np.savetxt(folder / "ours.txt", ours)
    (folder / "mesh.obj").write_text(
        "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in vertices.tolist())
        + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in facets.tolist())
    )
    try:
        import polyhedral_gravity as peer
    except ImportError as error:
        out["polyhedral-gravity.error"] = str(error)
    else:
        a, b, c = (vertices[facets[:, k]] for k in range(3))
        density = GM / GRAVITATIONAL_CONSTANT / (float(np.sum(a * np.cross(b, c))) / 6.0)
        # its check of the winding takes facets of a closed mesh that is wound outward for inner ones
        unchecked = {"integrity_check": peer.PolyhedronIntegrity.DISABLE}
        body = peer.Polyhedron((vertices, facets), density=density, **unchecked)
        begin = time.perf_counter()
        results = peer.evaluate(body, at, parallel=False)
        out["polyhedral-gravity.version"] = version("polyhedral-gravity")
        found = np.array([row[1] for row in results])
        sign = np.sign(np.sum(found * ours))
        out["polyhedral-gravity.to_ours"] = difference(sign * found, ours)
        out["polyhedral-gravity.us_per_place"] = 1e6 * (time.perf_counter() - begin) / len(at)
    print(json.dumps(out))


if __name__ == "__main__":
    main()
