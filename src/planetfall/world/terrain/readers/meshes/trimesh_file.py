"""The one call into trimesh, for the formats that it reads: bytes in, plain arrays out.

The readers check counts and sizes before the call and compare the result with the header after it, since trimesh takes
truncated files for shorter ones. Materials, normals, colours and texture coordinates are left out.
"""

import io
import logging
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from planetfall.errors import InputError

logging.getLogger("trimesh").addHandler(logging.NullHandler())  # or it prints tracebacks of what it gets over


def through_trimesh(
    path: Path, data: bytes, file_type: str, parts: Mapping[str, bytes] | None = None, **options: Any
) -> tuple[np.ndarray, np.ndarray, Any]:
    """Vertices [n, 3] float64, facets [m, 3] int64 and the scene, as trimesh reads a file.

    Args:
        path: The file, for messages.
        data: Its content.
        file_type: trimesh's name of the format.
        parts: Content of the files that it refers to, by name; no other file is opened.
        options: Passed on to the reader of that format.

    Raises:
        InputError: trimesh cannot read it, or finds no triangles.
    """
    import trimesh

    try:
        with warnings.catch_warnings():
            # NumPy warns where a number cannot be parsed and returns those before it.
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", DeprecationWarning)
            scene = trimesh.load_scene(
                io.BytesIO(data),
                file_type=file_type,
                resolver=parts or {},
                process=False,
                skip_materials=True,
                **options,
            )
            mesh = scene.to_mesh()
            vertices = np.array(mesh.vertices, dtype=np.float64)
            facets = np.array(mesh.faces, dtype=np.int64)
    except InputError:
        raise
    except Exception as error:
        # Readers of corrupt files raise anything from KeyError to RecursionError; it all means the same to the user.
        raise InputError(
            str(path),
            f"the file cannot be read as {file_type.upper()} ({type(error).__name__}: {error})",
            f"a complete {file_type.upper()} file",
            "export or fetch it again",
        ) from error
    if vertices.ndim != 2 or vertices.shape[1] != 3 or len(facets) == 0:
        raise InputError(str(path), "the file holds no facets", "a surface of triangles or polygons")
    return vertices, facets, scene


def check_facet_count(where: str, found: int, claimed: int) -> None:
    """Refuse a file that gave fewer facets than its header promises."""
    if found < claimed:
        raise InputError(
            where,
            f"{found} facets were found where the file announces {claimed}",
            "a complete file",
            "the file is truncated or corrupt; export or fetch it again",
        )
