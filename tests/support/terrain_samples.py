"""A small valid file of every format of maps and meshes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from support import terrain_files as made

HEIGHTS = np.arange(20.0, dtype=np.float32).reshape(5, 4)


@cache
def samples() -> dict[str, bytes]:
    """A valid file of every format, by the name it is saved under."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        plain = made.write_tiff(path, HEIGHTS, (1e5, 2e5), (10.0, 10.0), made.EQUIRECTANGULAR, nodata=-1.0).read_bytes()
        options = {
            "tiled": True,
            "blockxsize": 16,
            "blockysize": 16,
            "compress": "deflate",
            "scale": 0.5,
            "offset": 1.0,
        }
        tiled = made.write_tiff(path, HEIGHTS, (10.0, 20.0), (0.1, 0.1), made.MARS, **options).read_bytes()
        np.save(Path(folder) / "a.npy", HEIGHTS)
        array = (Path(folder) / "a.npy").read_bytes()
    texts = {
        "grid.asc": made.arc_ascii(HEIGHTS.tolist()),
        "text.stl": made.stl_text(),
        "a.obj": made.obj(),
        "a.off": made.off(),
        "a.gltf": made.gltf(),
        "a.ac": made.ac3d(
            made.ac3d_object(place="loc 1 2 3\ndata 3\nabc\n"),
            made.ac3d_object(place="rot 0 -1 0 1 0 0 0 0 1\n", kids="kids 1\nOBJECT a\nkids 0\n"),
        ),
        "rows.tab": made.shape_table(),
        "counted.tab": made.counted_table(),
    }
    return {name: text.encode() for name, text in texts.items()} | {
        "plain.tif": plain,
        "tiled.tif": tiled,
        "a.npy": array,
        "real.img": made.pds3(HEIGHTS),
        "whole.img": made.pds3(HEIGHTS.astype(np.int16)),
        "binary.stl": made.stl_binary(),
        "text.ply": made.ply(),
        "little.ply": made.ply(form="binary_little_endian", kind="float"),
        "big.ply": made.ply(form="binary_big_endian"),
        "a.glb": made.glb(),
        "text.vtk": made.vtk(),
        "binary.vtk": made.vtk(is_text=False),
        "wide.ac": ("\ufeff" + made.ac3d()).encode("utf-16-le"),
    }
