"""The same ground in a file of every kind: a plane that rises by 1 in 20 to the east, 102.5 m high in the middle."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from support import terrain_files as made

N, SPACING, RISE, MIDDLE = 11, 10.0, 0.05, 102.5
"""Nodes along a side, their distance [m], slope to the east, height of the middle [m]."""
HEIGHTS = np.tile(MIDDLE + RISE * SPACING * (np.arange(N) - N // 2), (N, 1)).astype(np.float32)
CORNERS = np.array([[x, y, MIDDLE + RISE * x] for y in (-50.0, 0.0, 50.0) for x in (-50.0, 0.0, 50.0)])
CELLS = [(i, i + 1, i + 4, i + 3) for i in (0, 1, 3, 4)]
FACETS = np.array([facet for a, b, c, d in CELLS for facet in ((a, b, c), (a, c, d))])
Maker = Callable[[Path], Path]


def written(name: str, content: str | bytes) -> Maker:
    def make(folder: Path) -> Path:
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return folder / name

    return make


def geotiff(folder: Path) -> Path:
    return made.write_tiff(folder / "ground.tif", HEIGHTS, pixel=(SPACING, SPACING), crs=made.EQUIRECTANGULAR)


def plain_tiff(folder: Path) -> Path:
    return made.write_tiff(folder / "bare.tif", HEIGHTS, pixel=(SPACING, SPACING))


def isis(folder: Path) -> Path:
    return made.write_cube(folder / "ground.cub", HEIGHTS, SPACING)


def detached(folder: Path) -> Path:
    (folder / "ground.img").write_bytes(HEIGHTS.astype("<f4").tobytes())
    return written("ground.lbl", made.pds3(HEIGHTS, image="ground.img"))(folder)


def npy(folder: Path) -> Path:
    np.save(folder / "ground.npy", HEIGHTS)
    return folder / "ground.npy"


def gltf_with_bin(folder: Path) -> Path:
    document, data = made.gltf_parts(CORNERS, FACETS)
    document["buffers"][0]["uri"] = "ground.bin"
    (folder / "ground.bin").write_bytes(data)
    return written("ground.gltf", json.dumps(document))(folder)


MAPS: dict[str, Maker] = {
    "GeoTIFF": geotiff,
    "GeoTIFF without a system": plain_tiff,
    "PDS3 attached": written("ground.img", made.pds3(HEIGHTS)),
    "PDS3 detached": detached,
    "ISIS": isis,
    "ASCII grid": written("ground.asc", made.arc_ascii(HEIGHTS.tolist())),
    "npy": npy,
}
MESHES: dict[str, Maker] = {
    "STL": written("ground.stl", made.stl_binary(CORNERS, FACETS)),
    "STL text": written("text.stl", made.stl_text(CORNERS, FACETS)),
    "OBJ": written("ground.obj", made.obj(CORNERS, FACETS)),
    "PLY": written("ground.ply", made.ply(CORNERS, FACETS, "binary_little_endian")),
    "OFF": written("ground.off", made.off(CORNERS, FACETS)),
    "glTF": gltf_with_bin,
    "GLB": written("ground.glb", made.glb(*made.gltf_parts(CORNERS, FACETS))),
    "AC3D": written("ground.ac", made.ac3d(made.ac3d_object(CORNERS, FACETS))),
    "VTK": written("ground.vtk", made.vtk(CORNERS, FACETS)),
    "shape table": written("ground.tab", made.shape_table(CORNERS, FACETS)),
    "counted table": written("ground.txt", made.counted_table(CORNERS, FACETS)),
}
