"""Tiny terrain files of known content, one maker per format; the tests read them back or spoil them."""

import base64
import json
import struct
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from rasterio.errors import NotGeoreferencedWarning
from rasterio.transform import Affine

from planetfall.world.terrain.readers.rasters.geotiff import open_raster
from planetfall.world.terrain.readers.rasters.npy import open_npy
from planetfall.world.terrain.readers.rasters.raster import Raster

# A tetrahedron with right angles at the origin: volume 1/6, outward winding, one vertex per axis.
VERTICES = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
FACETS = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
VOLUME = 1.0 / 6.0

# Mars as a sphere, geographic and in two projections.
MARS = 'GEOGCS["Mars",DATUM["Mars",SPHEROID["Mars",3396190,0]],PRIMEM["Reference",0],UNIT["degree",0.0174532925199433]]'
EQUIRECTANGULAR = (
    f'PROJCS["Mars eqc",{MARS},PROJECTION["Equirectangular"],PARAMETER["standard_parallel_1",0],'
    'PARAMETER["central_meridian",0],PARAMETER["false_easting",0],PARAMETER["false_northing",0],UNIT["metre",1]]'
)
POLAR = (
    f'PROJCS["Mars polar",{MARS},PROJECTION["Polar_Stereographic"],PARAMETER["latitude_of_origin",90],'
    'PARAMETER["central_meridian",0],PARAMETER["scale_factor",1],PARAMETER["false_easting",0],'
    'PARAMETER["false_northing",0],UNIT["metre",1]]'
)


def write_tiff(path: Path, stored: np.ndarray, corner=(0.0, 0.0), pixel=(1.0, 1.0), crs=None, **profile) -> Path:
    """A GeoTIFF with its north-west corner and pixel size; `transform` replaces both, `scale` and `offset` are tags."""
    transform = profile.pop("transform", Affine(pixel[0], 0.0, corner[0], 0.0, -pixel[1], corner[1]))
    scale, offset = profile.pop("scale", None), profile.pop("offset", None)
    bands = stored if stored.ndim == 3 else stored[None]
    shape = {"count": len(bands), "height": bands.shape[1], "width": bands.shape[2], "dtype": bands.dtype}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(path, "w", driver="GTiff", crs=crs, transform=transform, **shape, **profile) as dataset:
            dataset.write(bands)
            if scale is not None:
                dataset.scales, dataset.offsets = [scale] * len(bands), [offset] * len(bands)
    return path


def write_cube(path: Path, stored: np.ndarray, pixel: float) -> Path:
    """An ISIS cube, equirectangular on Mars, with its north-west corner at the origin of the projection."""
    shape = {"count": 1, "height": stored.shape[0], "width": stored.shape[1], "dtype": stored.dtype}
    transform = Affine(pixel, 0.0, 0.0, 0.0, -pixel, 0.0)
    with rasterio.open(path, "w", driver="ISIS3", crs=EQUIRECTANGULAR, transform=transform, **shape) as dataset:
        dataset.write(stored[None])
    return path


def arc_ascii(rows: list[list[float]], corner="corner", nodata=-9999) -> str:
    """An Arc ASCII grid of 10 m cells whose south-west cell has its corner, or its centre, at (100, 200)."""
    head = f"ncols {len(rows[0])}\nnrows {len(rows)}\nxll{corner} 100\nyll{corner} 200\ncellsize 10\n"
    return head + f"NODATA_value {nodata}\n" + "".join(" ".join(map(str, row)) + "\n" for row in rows)


def pds3(stored: np.ndarray, image: str | None = None, unit: str | None = "METER", scaling=(1.0, 0.0)) -> bytes:
    """A PDS3 label of 10 m pixels, simple cylindrical on Mars; with the image attached unless a file is named.

    Stored as 4-byte reals (PC_REAL) or 2-byte integers, by the array's type.
    """
    n_rows, n_columns = stored.shape
    is_real = stored.dtype.kind == "f"
    record = n_columns * (4 if is_real else 2)
    missing = "16#FF7FFFFB#" if is_real else "-32768"
    label = f"""PDS_VERSION_ID = PDS3
RECORD_TYPE = FIXED_LENGTH
RECORD_BYTES = {record}
FILE_RECORDS = {n_rows}
^IMAGE = {f'"{image}"' if image else "@"}
TARGET_NAME = MARS
OBJECT = IMAGE
  LINES = {n_rows}
  LINE_SAMPLES = {n_columns}
  BANDS = 1
  SAMPLE_TYPE = {"PC_REAL" if is_real else "LSB_INTEGER"}
  SAMPLE_BITS = {32 if is_real else 16}
  MISSING_CONSTANT = {missing}
  SCALING_FACTOR = {scaling[0]}
  OFFSET = {scaling[1]}
{f"  UNIT = {unit}" if unit else ""}
END_OBJECT = IMAGE
OBJECT = IMAGE_MAP_PROJECTION
  MAP_PROJECTION_TYPE = "SIMPLE CYLINDRICAL"
  A_AXIS_RADIUS = 3396.19 <KM>
  B_AXIS_RADIUS = 3396.19 <KM>
  C_AXIS_RADIUS = 3396.19 <KM>
  POSITIVE_LONGITUDE_DIRECTION = EAST
  CENTER_LATITUDE = 0.0
  CENTER_LONGITUDE = 0.0
  MAP_SCALE = 10.0 <METERS/PIXEL>
  LINE_PROJECTION_OFFSET = 0.0
  SAMPLE_PROJECTION_OFFSET = 0.0
END_OBJECT = IMAGE_MAP_PROJECTION
END
"""
    data = stored.astype("<f4" if is_real else "<i2").tobytes()
    if image:
        return label.encode()
    n_label = 1
    while len(label) + 8 > n_label * record:
        n_label += 1
    text = label.replace("^IMAGE = @", f"^IMAGE = {n_label + 1}").encode()
    return text.ljust(n_label * record) + data


def stl_binary(vertices=VERTICES, facets=FACETS, header=b"made here") -> bytes:
    """A binary STL file."""
    records = b"".join(struct.pack("<12fH", 0, 0, 0, *vertices[facet].ravel(), 0) for facet in facets)
    return header.ljust(80, b" ") + struct.pack("<I", len(facets)) + records


def stl_text(vertices=VERTICES, facets=FACETS, name="body") -> str:
    """A text STL file."""
    corners = "".join(
        "facet normal 0 0 0\n outer loop\n"
        + "".join("  vertex {} {} {}\n".format(*map(float, vertices[i])) for i in facet)
        + " endloop\nendfacet\n"
        for facet in facets
    )
    return f"solid {name}\n{corners}endsolid {name}\n"


def obj(vertices=VERTICES, facets=FACETS) -> str:
    """An OBJ file."""
    points = "".join("v {} {} {}\n".format(*map(float, v)) for v in vertices)
    return f"# made here\n{points}" + "".join("f " + " ".join(str(i + 1) for i in f) + "\n" for f in facets)


def ply(vertices=VERTICES, facets=FACETS, form="ascii", kind="double") -> bytes:
    """A PLY file in one of the three forms."""
    head = (
        f"ply\nformat {form} 1.0\ncomment made here\nelement vertex {len(vertices)}\n"
        + "".join(f"property {kind} {axis}\n" for axis in "xyz")
        + f"element face {len(facets)}\nproperty list uchar int vertex_indices\nend_header\n"
    ).encode()
    if form == "ascii":
        rows = [" ".join(map(str, v)) for v in vertices.tolist()] + [" ".join(map(str, [len(f), *f])) for f in facets]
        return head + "\n".join([*rows, ""]).encode()
    order = "<" if "little" in form else ">"
    points = vertices.astype(order + ("f8" if kind == "double" else "f4")).tobytes()
    return head + points + b"".join(struct.pack(f"{order}B{len(f)}i", len(f), *f) for f in facets)


def off(vertices=VERTICES, facets=FACETS) -> str:
    """An OFF file."""
    points = "".join("{} {} {}\n".format(*map(float, v)) for v in vertices)
    return f"OFF\n{len(vertices)} {len(facets)} 0\n{points}" + "".join(
        f"{len(f)} {' '.join(map(str, f))}\n" for f in facets
    )


def gltf_parts(vertices=VERTICES, facets=FACETS) -> tuple[dict, bytes]:
    """A glTF document with one mesh under one node, and its buffer (positions, then indices)."""
    points, corners = vertices.astype("<f4").tobytes(), np.asarray(facets).astype("<u2").tobytes()
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(vertices), "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 3 * len(facets), "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": len(points)},
            {"buffer": 0, "byteOffset": len(points), "byteLength": len(corners)},
        ],
        "buffers": [{"byteLength": len(points) + len(corners)}],
    }
    return document, points + corners


def gltf(document: dict | None = None, data: bytes | None = None) -> str:
    """A glTF file with its buffer inside."""
    if document is None or data is None:
        document, data = gltf_parts()
    document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    return json.dumps(document)


def glb(document: dict | None = None, data: bytes | None = None) -> bytes:
    """A GLB file."""
    if document is None or data is None:
        document, data = gltf_parts()
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    chunks = struct.pack("<2I", len(text), 0x4E4F534A) + text + struct.pack("<2I", len(data), 0x004E4942) + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def ac3d_object(vertices=VERTICES, polygons=FACETS, flags="0x10", place="", kids="kids 0\n") -> str:
    """One OBJECT of an AC3D file, with loc and rot lines and kids."""
    points = "".join("{} {} {}\n".format(*map(float, v)) for v in vertices)
    surfaces = "".join(f"SURF {flags}\nmat 0\nrefs {len(p)}\n" + "".join(f"{i} 0 0\n" for i in p) for p in polygons)
    return (
        f'OBJECT poly\nname "a body"\n{place}numvert {len(vertices)}\n{points}numsurf {len(polygons)}\n{surfaces}{kids}'
    )


def ac3d(*objects: str) -> str:
    """An AC3D file: a world with objects."""
    material = 'MATERIAL "" rgb 1 1 1 amb 0.2 0.2 0.2 emis 0 0 0 spec 0.5 0.5 0.5 shi 10 trans 0\n'
    items = objects or (ac3d_object(),)
    return f"AC3Db\n{material}OBJECT world\nkids {len(items)}\n{''.join(items)}"


def shape_table(vertices=VERTICES, facets=FACETS, base=0) -> str:
    """A PDS table of v and f rows."""
    points = "".join("v {} {} {}\n".format(*map(float, v)) for v in vertices)
    return points + "".join("f " + " ".join(str(i + base) for i in f) + "\n" for f in facets)


def counted_table(vertices=VERTICES, facets=FACETS, base=1) -> str:
    """A table that begins with its numbers of vertices and facets."""
    points = "".join("{} {} {}\n".format(*map(float, v)) for v in vertices)
    return f"{len(vertices)} {len(facets)}\n{points}" + "".join(
        " ".join(str(i + base) for i in f) + "\n" for f in facets
    )


def vtk(vertices=VERTICES, facets=FACETS, is_text=True) -> bytes:
    """A legacy VTK polydata file."""
    head = f"# vtk DataFile Version 3.0\nmade here\n{'ASCII' if is_text else 'BINARY'}\nDATASET POLYDATA\n"
    words = [word for facet in facets for word in (len(facet), *facet)]
    points, lists = f"POINTS {len(vertices)} double\n", f"\nPOLYGONS {len(facets)} {len(words)}\n"
    if is_text:
        numbers = "\n".join(" ".join(map(str, v)) for v in vertices.tolist())
        return (head + points + numbers + lists + " ".join(map(str, words)) + "\n").encode()
    data, indices = vertices.astype(">f8").tobytes(), np.array(words, ">i4").tobytes()
    return (head + points).encode() + data + lists.encode() + indices + b"\n"


def read_raster(*args: Any, **options: Any) -> Raster:
    """The pixels of a map that `open_raster` opens."""
    with open_raster(*args, **options) as file:
        return file.raster()


def read_npy(*args: Any, **options: Any) -> Raster:
    """The pixels of an array that `open_npy` opens."""
    with open_npy(*args, **options) as file:
        return file.raster()
