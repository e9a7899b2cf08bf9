"""Files for ParaView and VTK: polygons (`.vtp`), and the collection of a run's instants (`.pvd`).

`NAME.pvd` is what is opened; its pieces lie in the folder `NAME_pieces` beside it: the ground, the track of every
body, and for each instant the bodies and the contact points with their forces. Numbers are float64, in metres of the
surface frame.
"""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from planetfall.exports.scenery import Scenery, scenery_of
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.tables.run.attitude import rotation_matrix

GROUND, TRACK, BODIES, CONTACTS = range(4)
"""Parts of the collection; a reader shows them as four blocks."""
_TYPES = {"f8": "Float64", "i8": "Int64", "i4": "Int32", "i1": "Int8", "u1": "UInt8"}
Arrays = Mapping[str, np.ndarray]


def write_vtk(trajectory: Trajectory[Any], out: Path, most_frames: int) -> list[Path]:
    """Writes a run as a collection; returns its files, the collection first.

    Args:
        trajectory: A run or a drive.
        out: The `.pvd` file; its folder is there.
        most_frames: Most instants; of more, those with peaks of force are kept.
    """
    scenery = scenery_of(trajectory, most_frames)
    pieces = pieces_of(out)
    pieces.mkdir()
    forces = {
        "force [N]": trajectory.data.contact_force.values[scenery.frames],
        "normal force [N]": trajectory.data.contact_normal_force.values[scenery.frames],
        "friction force [N]": trajectory.data.contact_friction_force.values[scenery.frames],
        "mode": trajectory.data.contact_mode.values[scenery.frames],
    }
    written = {GROUND: pieces / "ground.vtp", TRACK: pieces / "track.vtp"}
    written[GROUND].write_text(_polydata(scenery.ground.vertices, polys=scenery.ground.facets), encoding="ascii")
    written[TRACK].write_text(_track(scenery), encoding="ascii")
    rows, files = [], [*written.values()]
    for i, time in enumerate(scenery.time):
        bodies, contacts = (pieces / f"{kind}_{i:05d}.vtp" for kind in ("bodies", "contacts"))
        bodies.write_text(_bodies(scenery, i), encoding="ascii")
        seen = {name: values[i] for name, values in forces.items()}
        contacts.write_text(
            _polydata(scenery.points[i], verts=len(scenery.points[i]), point_data=seen), encoding="ascii"
        )
        files += [bodies, contacts]
        for part, path in ({**written, BODIES: bodies, CONTACTS: contacts}).items():
            file = quoteattr(f"{pieces.name}/{path.name}")
            rows.append(f'<DataSet timestep="{float(time)!r}" part="{part}" file={file}/>')
    body = "\n".join(rows)
    head = '<?xml version="1.0"?>\n<VTKFile type="Collection" version="1.0">'
    out.write_text(f"{head}\n<Collection>\n{body}\n</Collection>\n</VTKFile>\n", encoding="utf-8")
    return [out, *files]


def pieces_of(out: Path) -> Path:
    """The folder of a collection's pieces."""
    return out.with_name(f"{out.stem}_pieces")


def _track(scenery: Scenery) -> str:
    """The ways of the centres of mass as one line for each body, with time and speed."""
    n_frames, n_bodies = scenery.position.shape[:2]
    places = scenery.position.transpose(1, 0, 2).reshape(-1, 3)
    lines = np.arange(n_frames * n_bodies).reshape(n_bodies, n_frames)
    data = {"time [s]": np.tile(scenery.time, n_bodies), "body": np.repeat(np.arange(n_bodies), n_frames)}
    data["velocity [m per s]"] = scenery.velocity.transpose(1, 0, 2).reshape(-1, 3)
    return _polydata(places, lines=lines, point_data=data)


def _bodies(scenery: Scenery, i: int) -> str:
    """All that moves at an instant, in its colours."""
    vertices, facets, colors, numbers, n = [], [], [], [], 0
    for k, solid in enumerate(scenery.solids):
        drawn, R_SB = solid.drawn, rotation_matrix(solid.quaternion[i])
        vertices.append(solid.position[i] + drawn.vertices @ R_SB.T)
        facets.append(drawn.facets + n)
        colors.append(drawn.colors)
        numbers.append(np.full(len(drawn.facets), k))
        n += len(drawn.vertices)
    cells = {"color": np.concatenate(colors).astype(np.uint8), "body": np.concatenate(numbers)}
    return _polydata(np.concatenate(vertices), polys=np.concatenate(facets), cell_data=cells)


def _polydata(
    points: np.ndarray, *, verts: int = 0, lines: np.ndarray | None = None, polys: np.ndarray | None = None,
    point_data: Arrays | None = None, cell_data: Arrays | None = None,
) -> str:  # fmt: skip
    """One `.vtp` file: points [n, 3], with cells of equal length [cell, corner]; `verts` makes cells of its points."""
    none = np.empty((0, 1), dtype=np.int64)
    cells = {
        "Verts": np.arange(verts)[:, None] if verts else none,
        "Lines": none if lines is None else lines,
        "Polys": none if polys is None else polys,
    }
    counts = f'NumberOfPoints="{len(points)}" NumberOfStrips="0" ' + " ".join(
        f'NumberOf{kind}="{len(corners)}"' for kind, corners in cells.items()
    )
    parts = [
        _group("PointData", point_data or {}),
        _group("CellData", cell_data or {}),
        f"<Points>\n{_array('Points', points.reshape(-1, 3))}\n</Points>",
    ]
    for kind, corners in cells.items():
        ends = corners.shape[1] * np.arange(1, len(corners) + 1)
        parts.append(f"<{kind}>\n{_array('connectivity', corners.ravel())}\n{_array('offsets', ends)}\n</{kind}>")
    head = '<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">'
    body = "\n".join(parts)
    return f'<?xml version="1.0"?>\n{head}\n<PolyData>\n<Piece {counts}>\n{body}\n</Piece>\n</PolyData>\n</VTKFile>\n'


def _group(kind: str, arrays: Arrays) -> str:
    held = "\n".join(_array(name, values) for name, values in arrays.items())
    return f"<{kind}>\n{held}\n</{kind}>"


def _array(name: str, values: np.ndarray) -> str:
    """An array in base64, after its length in bytes."""
    values = np.ascontiguousarray(values)
    if values.dtype == np.float32:
        values = values.astype(np.float64)
    values = values.astype(values.dtype.newbyteorder("<"))
    kind = _TYPES[values.dtype.str[1:]]
    shape = f' NumberOfComponents="{values.shape[1]}"' if values.ndim == 2 else ""
    data = values.tobytes()
    text = base64.b64encode(np.uint64(len(data)).tobytes() + data).decode("ascii")
    return f'<DataArray type="{kind}" Name={quoteattr(name)}{shape} format="binary">{text}</DataArray>'
