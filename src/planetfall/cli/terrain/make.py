"""`planetfall terrain make`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from planetfall.cli.terminal.inputs import parse_set
from planetfall.errors import InputError
from planetfall.scenario.files.built_in import library_names
from planetfall.scenario.files.load import terrain_from_dict
from planetfall.scenario.files.paths import beside, placed
from planetfall.scenario.files.toml_file import read_toml
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.world.terrain_procedural import TerrainProcedural

if TYPE_CHECKING:
    from planetfall.world.terrain.procedural.generate import GeneratedTerrain

BASELINES = (1.0, 10.0)
"""Distances [m] over which rms slopes are reported, besides that of the nodes."""


def make_terrain(name: str, sets: list[str], out: Path, force: bool, as_json: bool) -> None:
    """Makes a procedural terrain, writes it, and prints what was made.

    Args:
        name: A built-in terrain, or a TOML file that holds a terrain's keys or a scenario with a procedural terrain.
        sets: `key=value`, keys of the terrain, with or without `terrain.` before them.
        out: The file; its ending decides the format.
        force: Whether to replace files that exist.
        as_json: Whether to print JSON.
    """
    table = terrain_table(name, sets)
    from planetfall.world.terrain.procedural.generate import generate
    from planetfall.world.terrain.procedural.write import check_ending, terrain_files, write_terrain

    check_ending(out)
    if not force and out.exists():  # before the work is done
        _refuse(out)
    made = generate(table)
    for path in terrain_files(made, out):
        if not force and path.exists():
            _refuse(path)
    files = write_terrain(made, out)
    facts = {**terrain_facts(made), "files": [str(path) for path in files]}
    if as_json:
        print(json.dumps(facts, indent=2))
    else:
        _print_facts(facts, files)


def terrain_table(name: str, sets: list[str]) -> TerrainProcedural:
    """The table of a built-in terrain or of a file, with the keys changed that `--set` names."""
    values: dict[str, Any] = {"name": name}
    if name.endswith(".toml") or "/" in name or "\\" in name:
        values = _file_table(Path(name))
    elif name not in library_names("terrains"):
        raise InputError(
            f"terrain {name!r}", "no such built-in terrain", f"one of {', '.join(library_names('terrains'))}",
            "or give the path of a .toml file",
        )  # fmt: skip
    changes = {f"terrain.{key.removeprefix('terrain.')}": value for key, value in map(parse_set, sets)}
    return terrain_from_dict(values, name, changes)


def _file_table(path: Path) -> dict[str, Any]:
    """The terrain's keys in a file of its own, or in a scenario."""
    values = read_toml(path)
    table = values.get("terrain", values)
    if isinstance(table, dict):
        table = placed({"terrain": table}, Scenario, beside(path, values.get("files")))["terrain"]
    if not isinstance(table, dict) or table.get("model", "procedural") != "procedural":
        raise InputError(str(path), "the terrain is not a procedural one", "terrain.model = 'procedural'")
    return table


def terrain_facts(made: "GeneratedTerrain") -> dict[str, Any]:
    """What was made, for people and machines; slopes in degrees."""
    half = (-made.x_first, -made.y_first)
    is_inside = (np.abs(made.craters.x) <= half[0]) & (np.abs(made.craters.y) <= half[1])
    baselines = sorted({made.spacing, *(b for b in BASELINES if made.spacing < b < min(half))})
    return {
        "source": made.source,
        "extent_m": [2.0 * half[0], 2.0 * half[1]],
        "nodes": [made.heights.shape[1], made.heights.shape[0]],
        "spacing_m": made.spacing,
        "lowest_m": float(made.heights.min()),
        "highest_m": float(made.heights.max()),
        "rms_slope_deg": {f"{b:g} m": float(np.degrees(np.arctan(made.rms_slope(b)))) for b in baselines},
        "craters": int(is_inside.sum()),
        "craters_beside": int((~is_inside).sum()),
        "hills": len(made.hills),
        "rocks": len(made.rocks),
        "rock_facets": 0 if made.rock_mesh is None else len(made.rock_mesh.facets),
    }


def _print_facts(facts: dict[str, Any], files: tuple[Path, ...]) -> None:
    east, north = facts["extent_m"]
    slopes = ", ".join(f"{value:.3g} deg over {base}" for base, value in facts["rms_slope_deg"].items())
    print(f"{facts['source']}: {east:g} m x {north:g} m, origin of L in the middle")
    print(f"  Nodes      {facts['nodes'][0]} x {facts['nodes'][1]}, {facts['spacing_m']:g} m apart")
    print(f"  Heights    {facts['lowest_m']:.4g} to {facts['highest_m']:.4g} m")
    print(f"  Rms slope  {slopes}")
    print(f"  Craters    {facts['craters']} in the field, {facts['craters_beside']} beside it whose ejecta reach it")
    print(f"  Hills      {facts['hills']}")
    print(f"  Rocks      {facts['rocks']}" + (f", {facts['rock_facets']} facets" if facts["rock_facets"] else ""))
    print(f"Ground   {files[0]}")
    if files[0].suffix.lower() == ".npy":
        print(f"         it does not hold the distance of its nodes: give terrain.spacing = {facts['spacing_m']:g}")
    for path in files[1:]:
        print(f"Rocks    {path} (not in the file of the ground; rocks.shape=dem puts them there)")


def _refuse(path: Path) -> None:
    raise InputError(str(path), "the file exists", advice="name another, or replace it with --force")
