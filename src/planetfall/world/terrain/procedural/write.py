"""Generated terrain as files: maps (.tif, .asc, .npy) and meshes (.stl, .obj, .ply), one function for each format.

A map holds heights alone, and one file is one sheet; bodies of rocks go to a second file beside it.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

from planetfall.errors import InputError
from planetfall.world.terrain.procedural.generate import GeneratedTerrain
from planetfall.world.terrain.readers.source_file import MAX_FACETS

_STL_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def write_terrain(generated: GeneratedTerrain, path: str | Path) -> tuple[Path, ...]:
    """Writes a terrain in the format of the path's ending.

    Args:
        generated: What to write.
        path: `.tif`, `.asc` or `.npy` for the heights, `.stl`, `.obj` or `.ply` for the same ground as a mesh.

    Returns:
        The files written: the ground and, where rocks are bodies of their own, `NAME-rocks` as a mesh (`.ply` beside
        a map, else in the same format).

    Raises:
        InputError: The ending is of no format that can be written, or the file cannot be.
    """
    files = terrain_files(generated, path)
    write_map = _MAPS.get(files[0].suffix.lower())
    if write_map is not None:
        _put(files[0], lambda part: write_map(generated, part))
    else:
        _put_mesh(files[0], *ground_mesh(generated))
    if generated.rock_mesh is not None:
        _put_mesh(files[1], generated.rock_mesh.vertices, generated.rock_mesh.facets)
    return files


def terrain_files(generated: GeneratedTerrain, path: str | Path) -> tuple[Path, ...]:
    """The files that `write_terrain` would write."""
    path = Path(path)
    check_ending(path)
    if generated.rock_mesh is None:
        return (path,)
    return path, path.with_name(f"{path.stem}-rocks{'.ply' if path.suffix.lower() in _MAPS else path.suffix}")


def check_ending(path: Path) -> None:
    """Refuses a path whose ending is of no format that can be written."""
    ending = path.suffix.lower()
    if ending not in _MAPS and ending not in _MESHES:
        raise InputError(
            str(path), f"no terrain is written as {ending or 'a file without an ending'!r}",
            f"a map ({', '.join(_MAPS)}) or a mesh ({', '.join(_MESHES)})",
        )  # fmt: skip


def _put(path: Path, write: Callable[[Path], None]) -> None:
    """Writes beside the file and moves it into place, so that an interrupted run leaves no half of one."""
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(part)
        os.replace(part, path)
    except OSError as error:
        raise InputError(str(path), f"cannot be written ({error})", advice="choose another place") from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _put_mesh(path: Path, vertices: np.ndarray, facets: np.ndarray) -> None:
    _put(path, lambda part: _MESHES[path.suffix.lower()](vertices, facets, part))


def write_tif(generated: GeneratedTerrain, path: Path) -> None:
    """GeoTIFF, float64, in metres of L; no coordinate system on a body."""
    import rasterio
    from rasterio.errors import RasterioError
    from rasterio.transform import Affine

    n_y, n_x = generated.heights.shape
    step = generated.spacing
    west, north = generated.x_first - 0.5 * step, generated.y_first + (n_y - 0.5) * step
    transform = Affine(step, 0.0, west, 0.0, -step, north)
    profile = {"count": 1, "dtype": "float64", "compress": "deflate", "predictor": 3, "tiled": True}
    try:
        with rasterio.open(path, "w", driver="GTiff", height=n_y, width=n_x, transform=transform, **profile) as dataset:
            dataset.write(generated.heights[::-1], 1)
            dataset.units = ("m",)
            dataset.update_tags(TIFFTAG_IMAGEDESCRIPTION=f"Planetfall, {generated.source}: heights [m], local frame")
    except RasterioError as error:
        raise OSError(error) from error


def write_asc(generated: GeneratedTerrain, path: Path) -> None:
    """Arc ASCII grid; the numbers have all their digits."""
    n_y, n_x = generated.heights.shape
    head = (
        f"ncols {n_x}\nnrows {n_y}\nxllcenter {generated.x_first!r}\nyllcenter {generated.y_first!r}\n"
        f"cellsize {generated.spacing!r}\nNODATA_value -9999"
    )
    np.savetxt(path, generated.heights[::-1], fmt="%.17g", header=head, comments="")


def write_npy(generated: GeneratedTerrain, path: Path) -> None:
    """A bare array, northern row first; it does not hold the spacing."""
    with path.open("wb") as file:
        np.save(file, np.ascontiguousarray(generated.heights[::-1]))


def ground_mesh(generated: GeneratedTerrain) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [m] and facets of the map: two facets per cell, cut from south-west to north-east, facing up.

    Raises:
        InputError: It has more facets than a mesh may have.
    """
    n_y, n_x = generated.heights.shape
    count = 2 * (n_x - 1) * (n_y - 1)
    if count > MAX_FACETS:
        raise InputError(
            "terrain.resolution", f"{count} facets", f"at most {MAX_FACETS} in a mesh",
            "write a map (.tif), or choose a coarser resolution",
        )  # fmt: skip
    x, y = np.meshgrid(generated.x, generated.y)
    index = np.arange(generated.heights.size).reshape(n_y, n_x)
    sw, se, ne, nw = (part.ravel() for part in (index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]))
    facets = np.stack([np.column_stack([sw, se, ne]), np.column_stack([sw, ne, nw])], axis=1).reshape(-1, 3)
    return np.column_stack([x.ravel(), y.ravel(), generated.heights.ravel()]), facets


def write_stl(vertices: np.ndarray, facets: np.ndarray, path: Path) -> None:
    """Binary STL, which holds float32."""
    records = np.zeros(len(facets), dtype=_STL_RECORD)
    corners = vertices[facets]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    records["normal"] = normals / np.linalg.norm(normals, axis=1)[:, None]
    records["corners"] = corners
    with path.open("wb") as file:
        file.write(b"Planetfall terrain, metres, x east, y north, z up".ljust(80))
        file.write(np.uint32(len(facets)).tobytes())
        file.write(records.tobytes())


def write_obj(vertices: np.ndarray, facets: np.ndarray, path: Path) -> None:
    """Wavefront OBJ; the numbers have all their digits."""
    with path.open("w", encoding="ascii") as file:
        file.write("# Planetfall terrain, metres, x east, y north, z up\n")
        np.savetxt(file, vertices, fmt="v %.17g %.17g %.17g")
        np.savetxt(file, facets + 1, fmt="f %d %d %d")


def write_ply(vertices: np.ndarray, facets: np.ndarray, path: Path) -> None:
    """Binary PLY in double precision."""
    head = (
        "ply\nformat binary_little_endian 1.0\ncomment Planetfall terrain, metres, x east, y north, z up\n"
        f"element vertex {len(vertices)}\nproperty double x\nproperty double y\nproperty double z\n"
        f"element face {len(facets)}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    records = np.zeros(len(facets), dtype=[("count", "u1"), ("corners", "<i4", 3)])
    records["count"], records["corners"] = 3, facets
    with path.open("wb") as file:
        file.write(head.encode("ascii"))
        file.write(vertices.astype("<f8").tobytes())
        file.write(records.tobytes())


_MAPS: dict[str, Callable[[GeneratedTerrain, Path], None]] = {".tif": write_tif, ".asc": write_asc, ".npy": write_npy}
_MESHES: dict[str, Callable[[np.ndarray, np.ndarray, Path], None]] = {
    ".stl": write_stl,
    ".obj": write_obj,
    ".ply": write_ply,
}
