"""What is told of a terrain file: the same facts as values for machines and as lines for people."""

import math
import re
from dataclasses import dataclass
from typing import Any

from planetfall.analysis.terrain.slope_tally import Slopes
from planetfall.analysis.terrain.terrain_facts import MeshFacts, RasterFacts, sentences
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData
from planetfall.world.terrain.readers.rasters.raster import RasterSite
from planetfall.world.terrain.readers.rasters.raster_file import RasterFile
from planetfall.world.terrain.surface_axes import axes_of_site


@dataclass(frozen=True)
class Told:
    """The facts of a terrain file.

    Attributes:
        title: What it is, in a line.
        lines: Label and text of each fact.
        notes: What a user should know: sentences.
        values: The same for machines; metres, and degrees where the key says so.
    """

    title: str
    lines: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    values: dict[str, Any]


def slopes_text(slopes: Slopes) -> str:
    """Slopes for people."""
    numbers = zip(("rms", "median", "95 %", "max"), _degrees(slopes).values(), strict=True)
    return ", ".join(f"{name} {value:.3g}" for name, value in numbers) + " deg"


def _degrees(slopes: Slopes) -> dict[str, float]:
    names = {"rms": slopes.rms, "median": slopes.median, "p95": slopes.most, "max": slopes.largest}
    return {name: math.degrees(angle) for name, angle in names.items()}


def told_of_map(file: RasterFile, facts: RasterFacts) -> Told:
    """What is known of a map whose strips have all been read."""
    (dx, dy), (x0, x1), (y0, y1), (low, high) = facts.spacing, facts.x, facts.y, facts.heights
    notes, (x, y) = (
        sentences(file.notes),
        ("along x", "along y") if axes_of_site(file.site).is_turned else ("east", "north"),
    )
    n_nodes, n_missing = facts.n_rows * facts.n_columns, facts.n_missing_facets
    shares = f"{facts.n_holes} of {n_nodes} pixels ({facts.n_holes / n_nodes:.3%})"
    lines = (
        ("Nodes", f"{facts.n_rows} rows x {facts.n_columns} columns; {facts.n_facets} facets"),
        ("Extent", f"{x1 - x0:.6g} m {x} by {y1 - y0:.6g} m {y}"),
        ("From the site", f"{x} {x0:.6g} to {x1:.6g} m, {y} {y0:.6g} to {y1:.6g} m"),
        ("Resolution", f"{dx:.6g} m {x} by {dy:.6g} m {y}"),
        ("Heights", f"{low:.6g} to {high:.6g} m, above the file's own reference"),
        ("Precision", f"heights stored as {file.storage.dtype}, in steps of {file.height_step:.3g} m at the largest"),
        ("Missing", shares + (f"; {n_missing} facets are holes" if n_missing else "")),
        ("Slopes", "none: no facet has all its nodes" if facts.slopes is None else slopes_text(facts.slopes)),
        ("", f"of facets {dx:.6g} m x {dy:.6g} m, against the vertical, by plan area"),
        ("Georeference", _georeference(file)),
        ("Site", _site_text(file.site)),
    )
    values = {
        "source": file.source,
        "kind": "map",
        "rows": facts.n_rows,
        "columns": facts.n_columns,
        "facets": facts.n_facets,
        "missing_pixels": facts.n_holes,
        "missing_facets": n_missing,
        "extent_m": [x1 - x0, y1 - y0],
        "spacing_m": [dx, dy],
        "x_m": [x0, x1],
        "y_m": [y0, y1],
        "height_m": [low, high],
        "stored_as": str(file.storage.dtype),
        "height_step_m": file.height_step,
        **_slope_values(facts.slopes, "vertical", [dx, dy]),
        "crs": _crs_name(file.crs),
        "crs_wkt": file.crs,
        "site": file.site.values(),
        "notes": list(notes),
    }
    return Told(f"{file.source}: a map of heights", lines, notes, values)


def told_of_mesh(mesh: MeshData, facts: MeshFacts, scale: float) -> Told:
    """What is known of a mesh; `scale` [m] is what a unit of the file was taken for."""
    w, size = facts.winding, facts.bounds[1] - facts.bounds[0]
    rims = f" ({w.n_boundary_edges} open edges, rims: {w.n_boundary_loops})" if w.n_boundary_edges else ""
    precision = "single precision" if mesh.is_float32 else "double precision or text"
    vertices = f"{mesh.n_merged} repeated and {mesh.n_unused} unused vertices"
    notes = sentences((*mesh.notes, *facts.notes))
    against = "radius from the centre of volume" if facts.is_body else "vertical"
    area = "by area" if facts.is_body else "by plan area of those that face up"
    lines = (
        ("Facets", f"{facts.n_facets}, on {facts.n_vertices} vertices"),
        ("Extent", " x ".join(f"{length:.6g}" for length in size) + " m (x, y, z)"),
        ("From the origin", ", ".join(
            f"{axis} {low:.6g} to {high:.6g} m" for axis, low, high in zip("xyz", *facts.bounds, strict=True)
        )),
        ("Scale", f"a unit of the file is taken for {scale:g} m"),
        ("Resolution", "edges of {:.4g} m, median {:.4g} m, up to {:.4g} m".format(*facts.edges)),
        ("Precision", f"{precision}, in steps of {mesh.coordinate_step:.3g} m at the largest coordinate"),
        ("Dropped", f"{mesh.n_degenerate} facets without area, {vertices}"),
        ("Winding", _winding_text(facts)),
        ("Two-sided", f"{mesh.n_two_sided} facets"),
        ("Parts", f"{w.n_bodies}, {w.n_closed_bodies} of them closed"),
        ("Holes", f"{facts.n_holes}{rims}"),
        ("Area", f"{w.area:.6g} m2" + (f"; volume {w.volume:.6g} m3" if w.volume is not None else "")),
        *((("Centre of volume", _centre_text(facts)),) if facts.is_body else ()),
        ("Slopes", "none: no facet faces up" if facts.slopes is None else slopes_text(facts.slopes)),
        ("", f"of facets with a median edge of {facts.edges[1]:.4g} m, against the {against}, {area}"),
    )  # fmt: skip
    kind = "a mesh around a body" if facts.is_body else "a mesh seen from above"
    values = {
        "source": mesh.source,
        "kind": "mesh",
        "view": "body" if facts.is_body else "map",
        "facets": facts.n_facets,
        "vertices": facts.n_vertices,
        "extent_m": size.tolist(),
        "bounds_m": facts.bounds.tolist(),
        "scale_m": scale,
        "edge_m": dict(zip(("min", "median", "max"), facts.edges, strict=True)),
        "stored_as": "float32" if mesh.is_float32 else "float64",
        "coordinate_step_m": mesh.coordinate_step,
        "degenerate_facets": mesh.n_degenerate,
        "merged_vertices": mesh.n_merged,
        "unused_vertices": mesh.n_unused,
        "two_sided_facets": mesh.n_two_sided,
        "skipped_elements": mesh.n_lines,
        **_winding_values(facts),
        "centre_m": facts.centre.tolist(),
        "radius_m": list(facts.radii),
        **_slope_values(facts.slopes, against, facts.edges[1]),
        "notes": list(notes),
    }
    return Told(f"{mesh.source}: {kind}", lines, notes, values)


def _slope_values(slopes: Slopes | None, against: str, baseline: Any) -> dict[str, Any]:
    numbers = None if slopes is None else _degrees(slopes)
    return {"slope_deg": numbers, "slope_against": against, "slope_baseline_m": baseline}


def _winding_text(facts: MeshFacts) -> str:
    w = facts.winding
    words = [
        "consistent" if w.is_consistent else f"not consistent ({w.n_reversed_edges} edges)",
        "closed" if w.is_closed else "open",
        "inside out" if facts.is_inverted else "right way out" if facts.is_body or w.is_closed else "faces up",
    ]
    share = "" if w.is_closed or facts.is_body else f" (by {w.upward_share:.3%} of its plan area)"
    return ", ".join(words) + share


def _winding_values(facts: MeshFacts) -> dict[str, Any]:
    w = facts.winding
    return {
        "is_consistent": w.is_consistent,
        "is_closed": w.is_closed,
        "is_inverted": facts.is_inverted,
        "parts": w.n_bodies,
        "closed_parts": w.n_closed_bodies,
        "holes": facts.n_holes,
        "open_edges": w.n_boundary_edges,
        "rims": w.n_boundary_loops,
        "branching_edges": w.n_branching_edges,
        "reversed_edges": w.n_reversed_edges,
        "repeated_facets": w.n_repeated_facets,
        "upward_share": w.upward_share,
        "area_m2": w.area,
        "volume_m3": w.volume,
    }


def _centre_text(facts: MeshFacts) -> str:
    place = ", ".join(f"{value:.4g}" for value in facts.centre)
    return f"({place}) m; vertices {facts.radii[0]:.6g} to {facts.radii[1]:.6g} m from it"


def _crs_name(wkt: str | None) -> str | None:
    found = re.match(r'\s*\w+\["([^"]*)"', wkt or "")
    return found[1] if found else None


def _georeference(file: RasterFile) -> str:
    name, site = _crs_name(file.crs), file.site
    if name is None:
        return "none in use: coordinates are metres"
    body = f", on a body of radius {site.radius:.7g} m" if site.radius is not None else ""
    return f"{name}{body}"


def _site_text(site: RasterSite) -> str:
    text = f"row {site.row:.6g}, column {site.column:.6g} of the file"
    if site.latitude is not None and site.longitude is not None:
        text += f"; latitude {math.degrees(site.latitude):.6f}, east longitude {math.degrees(site.longitude):.6f} deg"
    return text
