"""Valid inputs of every kind, to be spoiled: folders of files with what is read of them."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import planetfall
from support.dispersed import sliding_point
from support.every_ground import MAPS, MESHES
from support.gravity_files import cof, icgem, sha
from support.terrain_files import obj, stl_binary, stl_text
from support.terrain_samples import samples
from support.urdf_files import robot

SCENARIOS = ("msl-drop", "msl-skycrane-dispersed", "minerva-67p", "hedgehog-hop", "morpheus-hazard", "settle-sweep")
WITH_MESH = """based_on = "sink-flat"
[changes]
"vehicle" = {{name = "block", mass = 5.0, shape = {{kind = "mesh", file = "{file}"}}}}
"""
INDEX = "index.json"


def write_seeds(place: Path) -> Path:
    """Writes all of them, each into a folder of its own, and a list [kind, folder, file to read]."""
    index: list[tuple[str, str, str]] = []

    def new(kind: str) -> Path:
        folder = place / f"{len(index):02d}"
        folder.mkdir(parents=True)
        index.append((kind, folder.name, ""))
        return folder

    def named(path: Path) -> None:
        index[-1] = (*index[-1][:2], path.name)

    def write(kind: str, name: str, content: bytes) -> None:
        path = new(kind) / name
        path.write_bytes(content)
        named(path)

    for name, content in samples().items():
        write("terrain", name, content)
    for make in (*MAPS.values(), *MESHES.values()):
        named(make(new("terrain")))
    for name, text in {"a.tab": sha(), "a.cof": cof(), "a.gfc": icgem()}.items():
        write("gravity", name, text.encode())
    write("rover", "a.urdf", robot().encode())
    library = files("planetfall.scenario") / "library"
    for name in SCENARIOS:
        write("scenario", "a.toml", (library / f"{name}.toml").read_bytes())
    write("drive", "a.toml", (library / "drives" / "lsr1-step.toml").read_bytes())
    for name, content in {"a.stl": stl_binary(), "text.stl": stl_text().encode(), "a.obj": obj().encode()}.items():
        folder = new("scenario")
        (folder / name).write_bytes(content)
        (folder / "a.toml").write_text(WITH_MESH.format(file=name))
        named(folder / "a.toml")
    _write_folders(new)
    (place / INDEX).write_text(json.dumps(index))
    return place


def _write_folders(new) -> None:
    """A run and a campaign as they are written now, and a run without checksums, as the first release wrote it."""
    landing = planetfall.run(planetfall.load("msl-drop").with_values({"scenario.duration": 1.2}))
    landing.save(new("folder") / "run")
    folder = landing.save(new("folder") / "run")
    summary = json.loads((folder / "summary.json").read_text())
    del summary["sha256"]
    (folder / "summary.json").write_text(json.dumps(summary))
    planetfall.montecarlo(sliding_point(), n=10, seed=3, shard_size=5, out=new("folder") / "run")
