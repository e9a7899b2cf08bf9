"""glTF 2.0 with an animation, as one binary file (`.glb`): the bodies move over the ground.

Places are float32, counted from where the run ends, which the file's `extras` give in float64. glTF has y up; one node
turns the scene, whose own axes are those of the surface frame.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from planetfall.exports.scenery import Scenery, scenery_of
from planetfall.record.files.schema import versions_of
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.files.changed_keys import full_title
from planetfall.viewer.scene.scene import up_at

GROUND_COLOR = (150, 120, 95)
"""Red, green and blue of the ground, 0 to 255."""
_FLOAT, _UINT8, _UINT32 = 5126, 5121, 5125
_VERTICES, _FACETS = 34962, 34963


class _Buffer:
    """The binary part of a file, with its views and accessors."""

    def __init__(self) -> None:
        self.data, self.views, self.accessors = bytearray(), [], []

    def add(self, values: np.ndarray, kind: str, target: int | None = None, *, bounds: bool = False) -> int:
        """Appends an array and returns the number of its accessor."""
        types = {"f": _FLOAT, "u": _UINT8 if values.dtype.itemsize == 1 else _UINT32}
        place = len(self.data)
        self.data += np.ascontiguousarray(values).tobytes()
        self.data += bytes(-len(self.data) % 4)
        view: dict[str, Any] = {"buffer": 0, "byteOffset": place, "byteLength": values.nbytes}
        if target is not None:
            view["target"] = target
        self.views.append(view)
        accessor: dict[str, Any] = {
            "bufferView": len(self.views) - 1, "componentType": types[values.dtype.kind], "count": len(values),
            "type": kind,
        }  # fmt: skip
        if values.dtype == np.uint8:
            accessor["normalized"] = True
        if bounds:
            columns = values.reshape(len(values), -1)
            accessor |= {"min": columns.min(axis=0).tolist(), "max": columns.max(axis=0).tolist()}
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def write_gltf(trajectory: Trajectory[Any], out: Path, most_frames: int) -> list[Path]:
    """Writes a run or a drive as an animated scene.

    Args:
        trajectory: The run.
        out: The `.glb` file; its folder is there.
        most_frames: Most instants; between them, programs interpolate.
    """
    scenery = scenery_of(trajectory, most_frames)
    origin = scenery.position[-1, 0]
    up = up_at(trajectory.scenario, origin)
    told = {"title": full_title(trajectory.scenario), "origin_m": origin.tolist(), "up": up.tolist(),
            "frame": trajectory.data.attrs["surface_frame"]}  # fmt: skip
    out.write_bytes(_binary(*_scene(scenery, origin, up, told)))
    return [out]


def _scene(
    scenery: Scenery, origin: np.ndarray, up: np.ndarray, told: dict[str, Any]
) -> tuple[dict[str, Any], bytearray]:
    """The JSON part and the binary part."""
    buffer = _Buffer()
    drawn = [(scenery.ground.vertices - origin, scenery.ground.facets, None)]
    drawn += [(solid.drawn.vertices, solid.drawn.facets, solid.drawn.colors) for solid in scenery.solids]
    names = ["ground", *(solid.name for solid in scenery.solids)]
    meshes = [
        {"name": name, "primitives": [_primitive(buffer, *mesh)]} for name, mesh in zip(names, drawn, strict=True)
    ]
    nodes: list[dict[str, Any]] = [
        {"name": "surface frame", "rotation": _to_y(up), "children": list(range(1, len(names) + 1))}
    ]
    nodes += [{"name": name, "mesh": i} for i, name in enumerate(names)]
    for solid, node in zip(scenery.solids, nodes[2:], strict=True):
        node["translation"] = (solid.position[0] - origin).tolist()
        node["rotation"] = _unit(solid.quaternion[:1])[0].tolist()
    scene = {
        "asset": {
            "version": "2.0",
            "generator": f"Planetfall {versions_of('planetfall')['planetfall']}",
            "extras": told,
        },
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": nodes,
        "meshes": meshes,
        "materials": [{"pbrMetallicRoughness": {"metallicFactor": 0.0, "roughnessFactor": 0.9}, "doubleSided": True}],
    }
    if len(scenery.time) > 1:
        scene["animations"] = [_animation(buffer, scenery, origin)]
    scene |= {
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": len(buffer.data)}],
    }
    return scene, buffer.data


def _primitive(buffer: _Buffer, vertices: np.ndarray, facets: np.ndarray, colors: np.ndarray | None) -> dict[str, Any]:
    """Triangles; those with colours of their own have vertices of their own."""
    if colors is not None:
        vertices, facets = vertices[facets].reshape(-1, 3), np.arange(3 * len(facets)).reshape(-1, 3)
        shades = np.repeat(colors, 3, axis=0)
    else:
        shades = np.tile(np.array(GROUND_COLOR), (len(vertices), 1))
    rgba = np.column_stack([shades, np.full(len(shades), 255)]).astype(np.uint8)
    return {
        "attributes": {
            "POSITION": buffer.add(vertices.astype(np.float32), "VEC3", _VERTICES, bounds=True),
            "COLOR_0": buffer.add(rgba, "VEC4", _VERTICES),
        },
        "indices": buffer.add(facets.ravel().astype(np.uint32), "SCALAR", _FACETS),
        "material": 0,
    }


def _animation(buffer: _Buffer, scenery: Scenery, origin: np.ndarray) -> dict[str, Any]:
    """Place and attitude of every body over time, linear between the instants."""
    times = (scenery.time - scenery.time[0]).astype(np.float32)
    kept = np.append(True, np.diff(np.maximum.accumulate(times)) > 0)  # float32 may tell two instants no longer apart
    clock = buffer.add(times[kept], "SCALAR", bounds=True)
    samplers, channels = [], []
    for k, solid in enumerate(scenery.solids):
        paths = {
            "translation": ((solid.position[kept] - origin).astype(np.float32), "VEC3"),
            "rotation": (_unit(solid.quaternion[kept]).astype(np.float32), "VEC4"),
        }
        for path, (values, kind) in paths.items():
            samplers.append({"input": clock, "output": buffer.add(values, kind), "interpolation": "LINEAR"})
            channels.append({"sampler": len(samplers) - 1, "target": {"node": 2 + k, "path": path}})
    return {"name": "run", "samplers": samplers, "channels": channels}


def _unit(quaternions: np.ndarray) -> np.ndarray:
    return quaternions / np.linalg.norm(quaternions, axis=1)[:, None]


def _to_y(up: np.ndarray) -> list[float]:
    """Quaternion x y z w of the shortest turn that takes `up` to glTF's y axis."""
    y = np.array([0.0, 1.0, 0.0])
    if up @ y < -1.0 + 1e-12:
        return [1.0, 0.0, 0.0, 0.0]
    found = np.append(np.cross(up, y), 1.0 + up @ y)
    return (found / np.linalg.norm(found)).tolist()


def _binary(scene: dict[str, Any], data: bytearray) -> bytes:
    """A GLB container: header, JSON chunk, binary chunk."""
    text = json.dumps(scene, separators=(",", ":"), allow_nan=False).encode("utf-8")
    text += b" " * (-len(text) % 4)
    chunks = [(text, b"JSON"), (bytes(data), b"BIN\0")]
    body = b"".join(np.uint32(len(part)).tobytes() + kind + part for part, kind in chunks)
    return b"glTF" + np.array([2, 12 + len(body)], dtype="<u4").tobytes() + body
