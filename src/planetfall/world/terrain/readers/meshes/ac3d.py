"""AC3D files (`.ac`): nested objects of polygons, read here since no kept library reads them.

The format is a tree of OBJECTs. Each has a rotation (`rot`, nine numbers by rows) and a place (`loc`) in its parent, so
a point goes up the tree as x_parent = rot @ x + loc. Surfaces are polygons of any shape, triangle strips, or lines,
which are skipped. AC3D draws y up; coordinates are left as they are written, and the user gives the rotation to z up,
for instance ((1, 0, 0), (0, 0, -1), (0, 1, 0)).
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from planetfall.errors import InputError
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData, clean_mesh
from planetfall.world.terrain.readers.meshes.polygon import split_polygons
from planetfall.world.terrain.readers.source_file import (
    MAX_TEXT_BYTES,
    check_count,
    check_facets,
    decoded,
    read_bytes,
    text_encoding,
)

_POLYGON, _CLOSED_LINE, _OPEN_LINE, _STRIP = 0, 1, 2, 4
_TWO_SIDED = 0x20
_IGNORED = ("name", "texture", "texrep", "texoff", "crease", "url", "hidden", "locked", "folded")


class _Lines:
    """The lines of a file, one after the other, with the number of the last for messages."""

    def __init__(self, where: str, data: bytes) -> None:
        """Decode the text."""
        self.encoding = text_encoding(data)
        self.text = decoded(where, data).replace("\r\n", "\n").replace("\r", "\n")
        self.path, self.position, self.number = where, 0, 0

    @property
    def where(self) -> str:
        """File and line."""
        return f"{self.path}, line {self.number}"

    @property
    def room(self) -> int:
        """Characters that are left, and one for a last line end that may be missing."""
        return len(self.text) - self.position + 1

    def next(self) -> list[str] | None:
        """Words of the next line that is not empty, or None at the end."""
        while self.position < len(self.text):
            end = self.text.find("\n", self.position)
            end = len(self.text) if end < 0 else end
            words = self.text[self.position : end].split()
            self.position, self.number = end + 1, self.number + 1
            if words:
                return words
        return None

    def need(self) -> list[str]:
        """Words of the next line, which has to be there."""
        words = self.next()
        if words is None:
            raise InputError(self.where, "the file ends inside an object", "a complete file", "export it again")
        return words

    def skip(self, n_bytes: int) -> None:
        """Pass over the text of a `data` block, which is counted in bytes and may hold line ends."""
        check_count(self.where, "bytes of data", n_bytes, 4 * self.room, 1)
        block = self.text[self.position : self.position + n_bytes]
        if self.encoding.startswith("utf-8"):
            block = block.encode("utf-8")[:n_bytes].decode("utf-8", "ignore")
        self.position += len(block)
        self.number += block.count("\n")


@dataclass
class _Object:
    """One OBJECT: its place in its parent, its own vertices and its surfaces."""

    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))
    location: np.ndarray = field(default_factory=lambda: np.zeros(3))
    vertices: np.ndarray = field(default_factory=lambda: np.empty((0, 3)))
    polygons: list[list[int]] = field(default_factory=list)
    is_two_sided: list[bool] = field(default_factory=list)
    n_kids: int = 0


@dataclass
class _Scene:
    """What was found so far."""

    vertices: list[np.ndarray] = field(default_factory=list)
    facets: list[np.ndarray] = field(default_factory=list)
    n_vertices: int = 0
    n_facets: int = 0
    n_two_sided: int = 0
    n_lines: int = 0
    n_irregular: int = 0
    n_subdivided: int = 0
    unknown: set[str] = field(default_factory=set)


def read_ac3d(path: str | Path, merge_distance: float | None = 0.0) -> MeshData:
    """Read an AC3D file.

    Args:
        path: The file; ASCII, UTF-8 or UTF-16 with a byte order mark.
        merge_distance: Vertices no further apart than this become one [unit of the file]; None to merge none.

    Raises:
        InputError: The file is not a complete AC3D file, or has no surface.
    """
    file, where = Path(path), str(path)
    lines, scene = _Lines(where, read_bytes(path, MAX_TEXT_BYTES)), _Scene()
    head = lines.next()
    if head is None or not head[0].startswith("AC3D"):
        raise InputError(where, "the first line is not 'AC3D...'", "an AC3D file", "check the format")
    _walk(lines, scene)
    remarks = []
    if scene.n_subdivided:
        remarks.append(f"{scene.n_subdivided} objects ask for subdivision; their control meshes are used as they stand")
    if scene.n_irregular:
        remarks.append(f"{scene.n_irregular} polygons cross themselves and became fans")
    if scene.unknown:
        remarks.append(f"lines of unknown kind were skipped: {', '.join(sorted(scene.unknown)[:10])}")
    return clean_mesh(
        where,
        np.concatenate([np.empty((0, 3)), *scene.vertices]),
        np.concatenate([np.empty((0, 3), np.int64), *scene.facets]),
        f"{file.name} (AC3D)",
        merge_distance=merge_distance,
        n_two_sided=scene.n_two_sided,
        n_lines=scene.n_lines,
        remarks=tuple(remarks),
    )


def _walk(lines: _Lines, scene: _Scene) -> None:
    """Read all objects. A stack stands in for recursion: files may nest deeper than Python does."""
    # Frames: rotation and location of the parent in the world, and the kids that are still to come.
    stack: list[tuple[np.ndarray, np.ndarray, int]] = []
    while (words := lines.next()) is not None:
        if words[0] == "OBJECT":
            rotation, location, n_left = stack.pop() if stack else (np.eye(3), np.zeros(3), 1)
            item = _object(lines, scene)
            world_rotation = rotation @ item.rotation
            world_location = rotation @ item.location + location
            _add(lines, scene, item, item.vertices @ world_rotation.T + world_location)
            if n_left > 1:
                stack.append((rotation, location, n_left - 1))
            if item.n_kids:
                stack.append((world_rotation, world_location, item.n_kids))
        elif words[0] == "data":
            lines.skip(_whole(lines, words))
        elif not words[0][0].isalpha():
            raise InputError(lines.where, f"found {words[0][:40]!r}", "OBJECT or MATERIAL", "export the file again")
    if stack:
        raise InputError(lines.where, "kids of an object are missing", "as many objects as 'kids' announces")


def _object(lines: _Lines, scene: _Scene) -> _Object:
    """The object whose OBJECT line was read, up to and with its `kids` line."""
    item = _Object()
    while True:
        words = lines.need()
        match words[0]:
            case "kids":
                item.n_kids = _whole(lines, words)
                check_count(lines.where, "kids", item.n_kids, lines.room, len("OBJECT x\nkids 0"))
                return item
            case "rot":
                item.rotation = _reals(lines, words[1:], 9).reshape(3, 3)
            case "loc":
                item.location = _reals(lines, words[1:], 3)
            case "numvert":
                item.vertices = _vertices(lines, _whole(lines, words))
            case "numsurf":
                _surfaces(lines, scene, item, _whole(lines, words))
            case "data":
                lines.skip(_whole(lines, words))
            case "subdiv":
                scene.n_subdivided += _whole(lines, words) > 0
            case other if other not in _IGNORED:
                if not other[0].isalpha():
                    raise InputError(lines.where, f"found {other[:40]!r}", "a keyword such as numvert or kids")
                scene.unknown.add(other[:20])


def _vertices(lines: _Lines, count: int) -> np.ndarray:
    """The vertices of an object [n, 3]; a line may go on with a normal."""
    check_count(lines.where, "vertices", count, lines.room, len("0 0 0\n"))
    return np.array([_reals(lines, lines.need()[:3], 3) for _ in range(count)]).reshape(-1, 3)


def _surfaces(lines: _Lines, scene: _Scene, item: _Object, count: int) -> None:
    """The surfaces of an object: polygons and strips are kept, lines are counted."""
    check_count(lines.where, "surfaces", count, lines.room, len("refs 0\n"))
    words = lines.need() if count else []
    for i in range(count):
        # Some programs write neither SURF nor mat lines.
        flags = _whole(lines, words) if words[0] == "SURF" else _POLYGON
        while words[0] in ("SURF", "mat"):
            words = lines.need()
        if words[0] != "refs":
            raise InputError(lines.where, f"found {words[0][:40]!r}", "SURF, mat or refs", "export the file again")
        n_refs = _whole(lines, words)
        check_count(lines.where, "references", n_refs, lines.room, len("0 0 0\n") - 4)
        corners = [_whole(lines, ["refs", *lines.need()]) for _ in range(n_refs)]
        _keep(lines, scene, item, flags, corners)
        words = lines.need() if i + 1 < count else []


def _keep(lines: _Lines, scene: _Scene, item: _Object, flags: int, corners: list[int]) -> None:
    """Add a surface to its object by its kind."""
    kind = flags & 0x0F
    if any(corner >= len(item.vertices) for corner in corners):
        problem = f"a surface points at vertex {max(corners)}"
        raise InputError(lines.where, problem, f"0 to {len(item.vertices) - 1} in this object", "export the file again")
    if kind in (_CLOSED_LINE, _OPEN_LINE) or len(corners) < 3:
        scene.n_lines += 1
        return
    if kind == _POLYGON:
        polygons = [corners]
    elif kind == _STRIP:
        # Every second triangle of a strip is wound the other way round.
        strip = [corners[i : i + 3] for i in range(len(corners) - 2)]
        polygons = [[b, a, c] if i % 2 else [a, b, c] for i, (a, b, c) in enumerate(strip)]
    else:
        raise InputError(lines.where, f"a surface of kind {kind}", "0 polygon, 1 and 2 lines, 4 triangle strip")
    item.polygons += polygons
    item.is_two_sided += [bool(flags & _TWO_SIDED)] * len(polygons)


def _add(lines: _Lines, scene: _Scene, item: _Object, world: np.ndarray) -> None:
    """Triangulate an object, in its world coordinates, into the scene."""
    if not item.polygons:
        return
    corners = np.concatenate([np.array(polygon, np.int64) for polygon in item.polygons])
    sizes = np.array([len(polygon) for polygon in item.polygons])
    facets, owners, n_irregular = split_polygons(lines.path, world, corners, sizes)
    scene.facets.append(facets + scene.n_vertices)
    scene.vertices.append(world)
    scene.n_vertices += len(world)
    scene.n_facets += len(facets)
    check_facets(lines.path, scene.n_facets)
    scene.n_two_sided += int(np.array(item.is_two_sided)[owners].sum())
    scene.n_irregular += n_irregular


def _whole(lines: _Lines, words: list[str]) -> int:
    """The number after a keyword, decimal or 0x..., not negative."""
    try:
        value = int(words[1], 16 if words[1].lower().startswith("0x") else 10)
    except (IndexError, ValueError):
        value = -1
    if not 0 <= value < 1 << 40:
        raise InputError(lines.where, f"{' '.join(words)[:60]!r}", f"'{words[0][:20]}' and a whole number from 0")
    return value


def _reals(lines: _Lines, words: list[str], count: int) -> np.ndarray:
    """So many finite numbers."""
    try:
        values = np.array([float(word) for word in words])
    except ValueError:
        values = np.empty(0)
    if len(values) != count or not np.isfinite(values).all():
        raise InputError(lines.where, f"{' '.join(words)[:60]!r}", f"{count} finite numbers", "export the file again")
    return values
