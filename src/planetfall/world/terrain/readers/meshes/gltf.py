"""glTF 2.0, as JSON with buffers beside it or as one GLB file, through trimesh.

The document is checked before trimesh sees it: every accessor has to lie inside its buffer, every buffer inside its
file, and files outside the folder are not read. Node transforms are applied; glTF has y up, which is left so.
Compressed, quantised and sparse geometry is refused, since it would come out wrong.
"""

import json
import os
import struct
import urllib.parse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from planetfall.errors import InputError
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData, clean_mesh
from planetfall.world.terrain.readers.meshes.trimesh_file import through_trimesh
from planetfall.world.terrain.readers.source_file import (
    MAX_BINARY_BYTES,
    MAX_FACETS,
    check_facets,
    read_bytes,
)

_ITEM_BYTES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
_ITEMS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
_FLOAT = 5126
_TRIANGLES, _FAN = 4, 6
# Ceilings, assumed: no terrain needs more, and trimesh takes time with their product.
_MAX_NODES, _MAX_DEPTH = 10_000, 100
# Views and accessors are copied; together they may not be many times the data.
_MAX_COPIES = 8


def read_gltf(path: str | Path, merge_distance: float | None = 0.0) -> MeshData:
    """Read the default scene of a glTF or GLB file.

    Args:
        path: The file.
        merge_distance: Vertices no further apart than this become one [unit of the file]; None to merge none.

    Raises:
        InputError: The document is not a complete glTF 2.0 document of plain triangles.
    """
    file, where, data = Path(path), str(path), read_bytes(path)
    is_binary = data[:4] == b"glTF"
    document, chunk = _document(where, data)
    try:
        parts = {uri: _part(file, uri) for uri in _uris(document)}
        n_lines = _check(where, document, chunk, parts)
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        problem = f"the document is malformed ({type(error).__name__}: {error})"
        raise InputError(where, problem, "a glTF 2.0 document", "export it again") from error
    vertices, facets, _ = through_trimesh(file, data, "glb" if is_binary else "gltf", parts)
    source = f"{file.name} ({'GLB' if is_binary else 'glTF'})"
    return clean_mesh(where, vertices, facets, source, is_float32=True, merge_distance=merge_distance, n_lines=n_lines)


def buffer_files(path: str | Path) -> list[Path]:
    """The files beside a document that hold its buffers; what is wrong with it is left to the reader to refuse."""
    try:
        document, _ = _document(str(path), read_bytes(path))
        beside = [Path(path).parent / urllib.parse.unquote(uri) for uri in _uris(document)]
    except (InputError, AttributeError, KeyError, TypeError):
        return []
    return [part for part in beside if os.path.isfile(part)]


def _document(where: str, data: bytes) -> tuple[Any, int]:
    """The JSON part of a file, and the size of the binary chunk that follows it in a GLB file."""
    text, chunk = _chunks(where, data) if data[:4] == b"glTF" else (data, 0)
    try:
        return json.loads(text), chunk
    except (ValueError, RecursionError) as error:
        raise InputError(where, f"the JSON part cannot be read ({error})", "a glTF 2.0 document") from error


def _chunks(where: str, data: bytes) -> tuple[bytes, int]:
    """The JSON chunk of a GLB file and the size of its binary chunk."""
    if len(data) < 20:
        raise InputError(where, f"{len(data)} bytes are no GLB file", "20 bytes and more")
    _, version, length, json_size, kind = struct.unpack_from("<5I", data)
    end = 20 + json_size
    if version != 2 or length > len(data) or end > len(data) or kind != 0x4E4F534A:
        problem = f"the header says version {version}, {length} bytes, {json_size} of JSON; the file has {len(data)}"
        raise InputError(where, problem, "a complete GLB file, version 2", "export or fetch it again")
    if len(data) < end + 8:
        return data[20:end], 0
    size = struct.unpack_from("<I", data, end)[0]
    if end + 8 + size > len(data):
        raise InputError(where, f"the binary chunk claims {size} bytes", f"at most {len(data) - end - 8}")
    return data[20:end], size


def _uris(document: dict[str, Any]) -> list[str]:
    """Names of the files that hold buffers."""
    named = [buffer.get("uri") for buffer in document.get("buffers", [])]
    return [uri for uri in named if uri is not None and not uri.startswith("data:")]


def _part(file: Path, uri: str) -> bytes:
    """Content of a file that the document refers to, which has to lie in its folder or below."""
    beside, folder = file.parent / urllib.parse.unquote(uri), file.parent.resolve()
    try:
        is_inside = folder in beside.resolve().parents
    except (OSError, ValueError):
        is_inside = False
    if not is_inside:
        raise InputError(str(file), f"a buffer lies outside the folder: {uri[:80]!r}", "files in the same folder")
    try:
        return read_bytes(beside)
    except InputError as error:
        raise InputError(str(file), f"its buffer is missing ({error})", "all files of the model together") from error


def _check(where: str, document: Any, chunk: int, parts: Mapping[str, bytes]) -> int:
    """Refuse what trimesh would misread or what cannot be in the files; returns the number of skipped elements."""
    if not isinstance(document, dict) or not str(document["asset"]["version"]).startswith("2"):
        raise InputError(where, "not a glTF document of version 2", "glTF 2.0", "convert it")
    # Textures and lights may be required without harm; what stores geometry in another way may not.
    for extension in document.get("extensionsRequired", []):
        if any(word in str(extension).lower() for word in ("draco", "meshopt", "quantization", "instancing")):
            raise InputError(
                where, f"the geometry needs the extension {extension}", "plain buffers", "export without it"
            )
    sizes = [_buffer_size(where, buffer, chunk, parts) for buffer in document.get("buffers", [])]
    views = [_view(where, view, sizes) for view in document.get("bufferViews", [])]
    counts = [_accessor(where, accessor, views) for accessor in document.get("accessors", [])]
    copied = sum(length for length, _ in views) + sum(map(_accessor_bytes, document.get("accessors", [])))
    if sum(sizes) > MAX_BINARY_BYTES or copied > _MAX_COPIES * sum(sizes):
        problem = f"buffers of {sum(sizes)} bytes are used {copied / max(1, sum(sizes)):.1f} times over"
        raise InputError(where, problem, f"{MAX_BINARY_BYTES} bytes, {_MAX_COPIES} times", "export it again")
    meshes = [_mesh(where, mesh, document.get("accessors", []), counts) for mesh in document.get("meshes", [])]
    used = [meshes[_whole(node["mesh"])] for node in _nodes(where, document) if "mesh" in node]
    check_facets(where, sum(n_facets for n_facets, _ in used))
    return sum(n_lines for _, n_lines in used)


def _whole(value: Any) -> int:
    """A whole number from 0."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError(f"{str(value)[:40]!r} is not a whole number from 0")
    return value


def _buffer_size(where: str, buffer: dict[str, Any], chunk: int, parts: Mapping[str, bytes]) -> int:
    """Bytes of a buffer, which its source has to hold."""
    size, uri = _whole(buffer["byteLength"]), buffer.get("uri")
    if uri is None:
        held = chunk
    else:
        held = 3 * (len(uri) - uri.find(",")) // 4 if uri.startswith("data:") else len(parts[uri])
    if size > held:
        problem = f"a buffer claims {size} bytes and has {held}"
        raise InputError(where, problem, "a complete buffer", "export or fetch the files again")
    return size


def _view(where: str, view: dict[str, Any], sizes: list[int]) -> tuple[int, int]:
    """Length and stride of a buffer view, which its buffer has to hold."""
    start, length, stride = (_whole(view.get(key, 0)) for key in ("byteOffset", "byteLength", "byteStride"))
    if start + length > sizes[_whole(view["buffer"])]:
        raise InputError(where, f"a buffer view ends at byte {start + length}", "views inside their buffers")
    return length, stride


def _accessor(where: str, accessor: dict[str, Any], views: list[tuple[int, int]]) -> int:
    """Number of elements of an accessor, which its view has to hold."""
    count = _whole(accessor["count"])
    item = _ITEM_BYTES[accessor["componentType"]] * _ITEMS[accessor["type"]]
    if "bufferView" not in accessor:
        if count > MAX_FACETS:
            raise InputError(where, f"an accessor without data claims {count} elements", f"at most {MAX_FACETS}")
        return count
    length, stride = views[_whole(accessor["bufferView"])]
    end = _whole(accessor.get("byteOffset", 0)) + (count - 1) * (stride or item) + item
    if count == 0 or end > length:
        problem = f"an accessor of {count} elements ends at byte {end} of a view of {length}"
        raise InputError(where, problem, "accessors inside their views", "export or fetch the files again")
    return count


def _accessor_bytes(accessor: dict[str, Any]) -> int:
    """Bytes of all elements of an accessor."""
    return _whole(accessor["count"]) * _ITEM_BYTES[accessor["componentType"]] * _ITEMS[accessor["type"]]


def _mesh(where: str, mesh: dict[str, Any], accessors: list[dict[str, Any]], counts: list[int]) -> tuple[int, int]:
    """Number of facets and of skipped primitives (points, lines) of a mesh."""
    n_facets, n_lines = 0, 0
    for primitive in mesh["primitives"]:
        mode = _whole(primitive.get("mode", _TRIANGLES))
        if mode < _TRIANGLES:
            n_lines += 1
            continue
        i_position = _whole(primitive["attributes"]["POSITION"])
        i_source = _whole(primitive.get("indices", i_position))
        position, source = accessors[i_position], accessors[i_source]
        is_plain = position["componentType"] == _FLOAT and position["type"] == "VEC3"
        if not is_plain or mode >= _FAN or any("sparse" in a or "bufferView" not in a for a in (position, source)):
            problem = "a primitive is sparse, compressed, quantised or a triangle fan"
            raise InputError(where, problem, "triangles or strips of float positions", "export it plainly")
        n_facets += counts[i_source] // 3 if mode == _TRIANGLES else max(0, counts[i_source] - 2)
    return n_facets, n_lines


def _nodes(where: str, document: dict[str, Any]) -> list[dict[str, Any]]:
    """The nodes, after a check that they form trees: no node has two parents or is its own ancestor."""
    nodes = document.get("nodes", [])
    parents: dict[int, int] = {}
    for i, node in enumerate(nodes):
        if "camera" in node and ("mesh" in node or "children" in node):
            raise InputError(where, f"node {i} is a camera with a mesh or children", "cameras apart", "export without")
        for child in node.get("children", []):
            if _whole(child) in parents or child == i or child >= len(nodes):
                raise InputError(
                    where, f"node {child} has two parents or is missing", "a tree of nodes", "export it again"
                )
            parents[child] = i
    level, n_seen = [i for i in range(len(nodes)) if i not in parents], 0
    for _ in range(_MAX_DEPTH):
        n_seen += len(level)
        level = [child for i in level for child in nodes[i].get("children", [])]
    if level or n_seen < len(nodes) or len(nodes) > _MAX_NODES:
        problem = f"its {len(nodes)} nodes form a loop, nest too deep, or are too many"
        raise InputError(where, problem, f"a tree of at most {_MAX_NODES} nodes, {_MAX_DEPTH} deep", "export it again")
    return nodes
