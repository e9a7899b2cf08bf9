"""Gravity of the same mesh by Basilisk's polyhedral model: prints a JSON object. Needs `bsk`; reads what ours wrote."""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from Basilisk.simulation import gravityEffector

GM = 2.343


def main() -> None:
    """Compares with our polyhedron at the same places."""
    folder = Path(sys.argv[1])
    at, ours = np.loadtxt(folder / "places.txt"), np.loadtxt(folder / "ours.txt")
    vertices, facets, _, _ = gravityEffector.loadPolyFromFileToList(str(folder / "mesh.obj"))
    model = gravityEffector.PolyhedralGravityModel()
    # Basilisk takes a mesh file to be in kilometres
    model.xyzVertex, model.orderFacet = np.array(vertices) / 1000.0, facets
    model.muBody = GM
    model.initializeParameters()
    found = np.array([np.ravel(model.computeField(list(place))) for place in at])
    error = float((np.linalg.norm(found - ours, axis=1) / np.linalg.norm(ours, axis=1)).max())
    print(json.dumps({"program": "Basilisk", "version": version("bsk"), "to_ours": error}))


if __name__ == "__main__":
    main()
