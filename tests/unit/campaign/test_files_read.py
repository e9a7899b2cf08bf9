"""Every file that a campaign reads is in its plan; one that is changed is refused by its name, on any way back in."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall import InputError
from planetfall.campaign.plan import make_plan
from planetfall.campaign.workers.shard_run import run_shard, work_of, workshop
from planetfall.record.files.shards import Shard, found_shards
from planetfall.scenario.files.files_read import files_read, remembered, report_read
from support.dispersed import assert_same_tables, sliding_point
from support.terrain_files import MARS, arc_ascii, pds3, write_tiff

N, SIZE = 6, 2
OPTIONS: dict[str, Any] = {"n": N, "seed": 3, "shard_size": SIZE}


def ground(model: str, file: Path, **more: Any) -> planetfall.Scenario:
    """The sliding point over ground from a file, above which it starts."""
    terrain = {"model": model, "file": str(file), **more}
    initial = {"position": [0.0, 0.0, 3.0], "velocity": [0.5, 0.0, 0.0]}
    return sliding_point(terrain=terrain, initial=initial, integrator__step=5e-4)


def square() -> tuple[np.ndarray, np.ndarray]:
    """Level ground of 40 m x 40 m as two facets."""
    corners = np.array([[-20, -20, 0], [20, -20, 0], [20, 20, 0], [-20, 20, 0]], dtype=np.float32)
    return corners, np.array([[0, 1, 2], [0, 2, 3]], dtype=np.uint16)


def gltf(folder: Path) -> tuple[Path, Path]:
    """A glTF document and the buffer beside it that has its numbers."""
    corners, facets = square()
    data = corners.tobytes() + facets.tobytes()
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "buffers": [{"uri": "ground.bin", "byteLength": len(data)}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 12},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
             "min": [-20, -20, 0], "max": [20, 20, 0]},
            {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
    }  # fmt: skip
    (folder / "ground.bin").write_bytes(data)
    (folder / "ground.gltf").write_text(json.dumps(document), encoding="utf-8")
    return folder / "ground.gltf", folder / "ground.bin"


def detached(folder: Path) -> tuple[Path, Path]:
    """A PDS label and the image that it names."""
    heights = np.zeros((9, 9), dtype="<f4")
    (folder / "map.lbl").write_bytes(pds3(heights, "map.img"))
    (folder / "map.img").write_bytes(heights.tobytes())
    return folder / "map.lbl", folder / "map.img"


def with_aux(folder: Path) -> tuple[Path, Path]:
    """A GeoTIFF and the `.aux.xml` that scales its heights."""
    path = write_tiff(folder / "map.tif", np.zeros((9, 9), np.float32), (-45, 45), (10, 10), crs=None)
    aux = folder / "map.tif.aux.xml"
    aux.write_text('<PAMDataset><PAMRasterBand band="1"><Offset>0.5</Offset></PAMRasterBand></PAMDataset>')
    return path, aux


def with_prj(folder: Path) -> tuple[Path, Path]:
    """An Arc ASCII grid and the coordinate system beside it."""
    path = folder / "map.asc"
    path.write_text(arc_ascii([[0.0] * 9] * 9), encoding="ascii")
    prj = path.with_suffix(".prj")
    prj.write_text(
        f'PROJCS["x",{MARS},PROJECTION["Equirectangular"],PARAMETER["standard_parallel_1",0],'
        'PARAMETER["central_meridian",0],PARAMETER["false_easting",0],PARAMETER["false_northing",0],UNIT["metre",1]]'
    )
    return path, prj


PAIRS = {"gltf": (gltf, "mesh"), "pds": (detached, "dem"), "aux": (with_aux, "dem"), "prj": (with_prj, "dem")}


def taken_down(folder: Path) -> dict[str, str]:
    return json.loads((folder / "campaign.json").read_text(encoding="utf-8"))["files"]


@pytest.mark.parametrize("kind", PAIRS)
def test_what_a_file_pulls_in_is_in_the_plan_and_refused_when_changed(kind: str, tmp_path: Path) -> None:
    make, model = PAIRS[kind]
    named, beside = make(tmp_path)
    planetfall.montecarlo(ground(model, named), **OPTIONS, out=tmp_path / "c")
    assert {f"../{named.name}", f"../{beside.name}"} <= taken_down(tmp_path / "c").keys()
    found_shards(tmp_path / "c")[Shard(2, 4)].unlink()
    before = beside.read_bytes()
    beside.write_bytes(before[:-3] + bytes(byte ^ 1 for byte in before[-3:]))
    for again in (lambda: planetfall.resume(tmp_path / "c"), lambda: replayed(tmp_path / "c")):
        with pytest.raises(InputError, match=rf"{beside.name}: has been changed since the campaign began"):
            again()
    beside.unlink()
    with pytest.raises(InputError, match=rf"{beside.name}: is no longer there"):
        planetfall.resume(tmp_path / "c")
    beside.write_bytes(before)
    assert len(planetfall.resume(tmp_path / "c").data.run) == N


def replayed(folder: Path) -> Any:
    from planetfall.campaign.replay import replay

    return replay(folder, 1)


def test_a_file_that_appears_is_refused(tmp_path: Path) -> None:
    """An `.aux.xml` that some program wrote since changes heights without a change of any file."""
    named, aux = with_aux(tmp_path)
    content = aux.read_bytes()
    aux.unlink()
    planetfall.montecarlo(ground("dem", named), **OPTIONS, out=tmp_path / "c")
    found_shards(tmp_path / "c")[Shard(2, 4)].unlink()
    aux.write_bytes(content)
    with pytest.raises(InputError, match=r"map\.tif\.aux\.xml: is read now, and was not there when the campaign began"):
        planetfall.resume(tmp_path / "c")


def test_files_that_moved_with_the_scenario_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    gltf(tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    whole = planetfall.montecarlo(ground("mesh", Path("ground.gltf")), **OPTIONS, out="c")
    found_shards(Path("c"))[Shard(2, 4)].unlink()
    monkeypatch.chdir(tmp_path)
    shutil.move(tmp_path / "here", tmp_path / "there")
    monkeypatch.chdir(tmp_path / "there")
    assert_same_tables(planetfall.resume("c").data, whole.data)
    found_shards(Path("c"))[Shard(2, 4)].unlink()
    (tmp_path / "there" / "ground.bin").write_bytes(b"\0" * 60)
    with pytest.raises(InputError, match=r"ground\.bin: has been changed"):
        planetfall.resume("c")


def test_a_worker_with_another_file_is_refused(tmp_path: Path) -> None:
    """What a worker reads is compared with the plan where it reads it, not only where the campaign was begun."""
    named, beside = gltf(tmp_path)
    plan = make_plan(ground("mesh", named), N, 3, "random", SIZE, "cpu", "")
    shop = workshop(work_of(plan, "cpu"))
    from dataclasses import replace

    work = work_of(replace(plan, files=shop.files), "cpu")
    assert run_shard(work, Shard(0, 2)).num_rows == 2
    corners, facets = square()
    beside.write_bytes((corners + np.float32([0, 0, 1])).tobytes() + facets.tobytes())
    with pytest.raises(InputError, match=r"ground\.bin: has been changed since the campaign began"):
        run_shard(work, Shard(2, 4))


def test_a_second_campaign_in_one_process_reads_the_changed_file(tmp_path: Path) -> None:
    """Models are kept from one campaign to the next; not beyond the files that they were made from."""
    named, beside = gltf(tmp_path)
    low = planetfall.montecarlo(ground("mesh", named), **OPTIONS).data
    corners, facets = square()
    beside.write_bytes((corners + np.float32([0, 0, 1])).tobytes() + facets.tobytes())
    high = planetfall.montecarlo(ground("mesh", named), **OPTIONS).data
    assert (high.first_touch_s.values < low.first_touch_s.values - 0.1).all()


def test_a_changed_scenario_that_it_was_based_on_changes_nothing(tmp_path: Path) -> None:
    """The folder holds the scenario complete, so that what it was based on is not read again."""
    import tomli_w

    base = tmp_path / "base.toml"
    base.write_text(tomli_w.dumps(sliding_point().to_dict()), encoding="utf-8")
    variant = tmp_path / "variant.toml"
    variant.write_text(f'based_on = {json.dumps(str(base))}\n[changes]\n"gravity.acceleration" = 1.6\n')
    whole = planetfall.montecarlo(planetfall.load(variant), **OPTIONS, out=tmp_path / "c").data
    assert taken_down(tmp_path / "c") == {}
    base.write_text(tomli_w.dumps(sliding_point(initial__velocity=[2.0, 0.0, 0.0]).to_dict()), encoding="utf-8")
    found_shards(tmp_path / "c")[Shard(2, 4)].unlink()
    assert_same_tables(planetfall.resume(tmp_path / "c").data, whole)


def test_what_is_remembered_is_made_again_when_its_file_changes(tmp_path: Path) -> None:
    path, made = tmp_path / "a.txt", []

    @remembered(maxsize=1)
    def read(name: str) -> str:
        report_read(name)
        made.append(name)
        return Path(name).read_text()

    path.write_text("one")
    assert [read(str(path)), read(str(path))] == ["one", "one"]
    assert len(made) == 1
    with files_read() as files:
        read(str(path))
    assert list(files.stamps) == [str(path)], "a result that was kept reports its files again"
    path.write_text("other")
    assert read(str(path)) == "other"
    os.utime(path, ns=(1, 1))
    assert read(str(path)) == "other"
    assert len(made) == 3


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one")
    with files_read() as files:
        report_read(path)
        path.write_text("other")
    with pytest.raises(InputError, match=r"a\.txt: was changed while it was being read"):
        files.digests()


def test_accounts_inside_accounts_both_know(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one")
    with files_read() as outer:
        with files_read() as inner:
            report_read(path)
        report_read(tmp_path / "missing.txt")
    assert list(outer.digests()) == list(inner.digests()) == [str(path)]
    assert outer.is_current()
    (tmp_path / "missing.txt").write_text("there now")
    assert inner.is_current()
    assert not outer.is_current(), "a file that was looked for is there now"
