"""Every kind of file, all the way: looked at, landed on, run many times, repeated, reported, shown, saved and opened.

The ground is the same in all files, a plane that rises by 1 in 20 to the east and is 102.5 m high where the vehicle
comes down, so that what the runs find can be compared with closed forms. Runs of all maps share their kernels, and so
do those of all meshes.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomli_w

import planetfall
from support.command import inside, succeed
from support.every_ground import HEIGHTS, MAPS, MESHES, MIDDLE, RISE, SPACING, N, npy
from support.shared_data import DATA
from support.urdf_files import robot

HEIGHT, GRAVITY, STEP = 0.5, 3.7132, 1e-3
"""Of the centre of mass over the ground [m]; of Mars [m/s^2]; of the integration [s]."""
SCENARIO = """based_on = "sink-flat"
[changes]
"scenario.name" = "landing"
"scenario.duration" = 0.5
"terrain.file" = "../maps/{file}"
"initial.height" = {height}
{more}
"integrator.method" = "rk4"
"integrator.step" = {step}
"integrator.accept_step" = true
"dispersions.initial.velocity.0" = {{distribution = "normal", sigma = 0.2}}
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A project of maps and scenarios, and a folder beside it to work in."""
    for name in ("project/maps", "project/scenarios", "desk"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


def scenario_of(place: Path, file: Path, more: str = "") -> Path:
    path = place / "project" / "scenarios" / "landing.toml"
    path.write_text(SCENARIO.format(file=file.name, more=more, step=STEP, height=HEIGHT))
    return path


@pytest.mark.parametrize("kind", [*MAPS, *MESHES])
def test_the_whole_way(kind: str, place: Path) -> None:
    file = {**MAPS, **MESHES}[kind](place / "project" / "maps")
    options = ("--spacing", "10") if kind == "npy" else ()
    scenario = scenario_of(place, file, '"terrain.spacing" = 10.0' if kind == "npy" else "")
    facts = json.loads(succeed("terrain", "info", str(file), *options, "--json", cwd=place / "desk"))
    assert facts["slope_deg"]["max"] == pytest.approx(np.degrees(np.arctan(RISE)), rel=1e-4)
    go_all_the_way(scenario, place / "desk", kind)
    landed = planetfall.open(place / "desk" / "run")
    assert landed.scenario.to_dict()["terrain"]["file"] == str(file)
    check_landing(landed)


def go_all_the_way(scenario: Path, cwd: Path, kind: str) -> None:
    """Every verb, from a folder that the scenario does not lie in; whatever one writes, the next reads."""
    summary = said_by("run", str(scenario), "--out", "run", "--no-figures", "--json", cwd=cwd)
    assert (cwd / "run" / "summary.json").is_file()
    campaign = said_by("montecarlo", str(scenario), "-n", "3", "--out", "campaign", "--json", cwd=cwd)
    assert campaign["n_runs"] == 3 and "bad_input" not in campaign["counts"]
    again = said_by("replay", "campaign", "1", "--no-figures", "--json", cwd=cwd)
    assert again["replay"]["equals_its_row"]
    for folder, page in (("run", "run.html"), ("campaign", "campaign.html")):
        for words in (("view", folder, "--export", page), ("report", folder, "--out", f"report-{page}")):
            done = inside(*words, cwd=cwd)
            assert done.returncode == 0, (kind, done.stderr)
            assert (cwd / words[-1]).stat().st_size > 1e5
    said_by("run", "run/scenario.toml", "--out", "again", "--no-figures", "--json", cwd=cwd)
    first, second = planetfall.open(cwd / "run"), planetfall.open(cwd / "again")
    assert isinstance(first, planetfall.Trajectory) and isinstance(second, planetfall.Trajectory)
    assert first.data.identical(second.data)
    assert first.summary["outcome"] == summary["outcome"] == second.summary["outcome"]
    saved = first.save(cwd / "copy")
    assert planetfall.open(saved).scenario == first.scenario
    assert planetfall.open(cwd / "campaign").data.sizes["run"] == 3


def said_by(*words: str, cwd: Path) -> dict[str, Any]:
    done = inside(*words, cwd=cwd)
    assert done.returncode == 0, (words, done.stderr)
    return json.loads(done.stdout)


def check_landing(landed: Any) -> None:
    """Free fall until the feet on the uphill side touch, and the ground's height there."""
    feet = np.array([point.position for point in landed.scenario.vehicle.points])
    lowest = feet[np.argmin(feet[:, 2] - RISE * feet[:, 0])]
    fall = HEIGHT + lowest[2] - RISE * lowest[0]
    touch = next(event for event in landed.events if event.kind == "touch")
    # a touch is found at the end of the step in which it happens; float32 keeps heights of 100 m to 4e-6 m
    assert -1e-5 < touch.time - np.sqrt(2.0 * fall / GRAVITY) < STEP + 1e-5
    x, _, z = np.asarray(touch.position) + lowest
    assert -np.sqrt(2.0 * GRAVITY * fall) * STEP - 1e-5 < z - (MIDDLE + RISE * x) < 1e-5


REAL: dict[str, tuple[str, str]] = {
    "moon, polar stereographic": ("dem/moon/gz_dem_moon.tif", '"terrain.site_latlon_deg" = [87.5557, -46.43]'),
    "mars, PDS3": ("pds/hirise/fixture_hirise_dtm_attached_label.IMG", '"terrain.half_width" = 20.0'),
    "mars, ISIS": ("dem/mars/Ares4_Marth_Crater_3557E_126N_ngate_03_lowres.cub", '"terrain.site_pixel" = [13, 4]'),
    "mars, GeoTIFF": ("dem/mars/dingo_gap_msl_60m_0p1m.tif", '"terrain.half_width" = 10.0'),
    "mars, npy": ("dem/mars/hirise_DTEEC_010228_1490_crop_1m.npy", '"terrain.spacing" = 1.01'),
    "crater, OBJ": ("meshes/terrain/42/Rgn_Crater.obj", ""),
}
"""Files, and keys that choose a place on them."""


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no shared data at {DATA} (set PLANETFALL_SHARED_DATA)")
@pytest.mark.parametrize("kind", REAL)
def test_real_files_go_the_whole_way(kind: str, place: Path) -> None:
    name, more = REAL[kind]
    (place / "project" / "maps").rmdir()
    (place / "project" / "maps").symlink_to((DATA / name).parent)
    scenario = scenario_of(place, DATA / name, more)
    spacing = ("--spacing", "1.01") if name.endswith(".npy") else ()
    assert inside("terrain", "info", str(DATA / name), *spacing, cwd=place).returncode == 0
    go_all_the_way(scenario, place / "desk", kind)
    landed = planetfall.open(place / "desk" / "run")
    assert landed.summary["outcome"] in ("timed_out", "settled")
    assert Path(landed.scenario.to_dict()["terrain"]["file"]).samefile(DATA / name)


@pytest.mark.parametrize("kind", ["GeoTIFF", "STL", "npy"])
def test_rovers_drive_on_files(kind: str, place: Path) -> None:
    """A rover from a URDF on a map of heights or on a mesh, with a map of friction."""
    maps = place / "project" / "maps"
    file = {**MAPS, **MESHES}[kind](maps)
    np.save(maps / "friction.npy", np.full((N, N), 0.8))
    drive = planetfall.load_drive("lsr1-flat").to_dict()
    drive["path"] = {"waypoints": [[0.0, 0.0], [0.2, 0.0]], "step": 0.05}
    model = {"model": "mesh" if kind in MESHES else "dem", "file": f"../maps/{file.name}"}
    drive["terrain"] = {**model, "spacing": SPACING} if kind == "npy" else model
    drive["soil"] = {"law": "coulomb", "friction": "../maps/friction.npy", "spacing": SPACING}
    (maps / "bench.urdf").write_text(robot())
    drive["rover"] = {"urdf": "../maps/bench.urdf"}
    path = place / "project" / "scenarios" / "drive.toml"
    path.write_text(tomli_w.dumps(drive))
    cwd = place / "desk"
    summary = said_by("rover", "drive", str(path), "--out", "run", "--no-figures", "--json", cwd=cwd)
    for words in (("view", "run", "--export", "view.html"), ("report", "run", "--out", "report.html")):
        done = inside(*words, cwd=cwd)
        assert done.returncode == 0, (kind, done.stderr)
    again = said_by("run", "run/scenario.toml", "--out", "again", "--no-figures", "--json", cwd=cwd)
    assert again["outcome"] == summary["outcome"]
    first, second = planetfall.open(cwd / "run"), planetfall.open(cwd / "again")
    assert first.data.identical(second.data) and first.scenario == second.scenario
    # wheels that touch a plane that rises by 1 in 20 carry the rover up by as much
    assert np.degrees(float(first.data.rover_pitch[0])) == pytest.approx(np.degrees(np.arctan(RISE)), abs=1e-3)


def test_a_project_moves_with_its_campaigns_and_runs(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All names are relative: elsewhere, and from elsewhere, the same files are found and the same bits come out."""
    project = place / "project"
    file = npy(project / "maps")
    scenario = scenario_of(place, file, '"terrain.spacing" = 10.0')
    said_by("run", str(scenario), "--out", str(project / "run"), "--no-figures", "--json", cwd=place / "desk")
    words = ("montecarlo", str(scenario), "-n", "4", "--shard-size", "2", "--json", "--out")
    said_by(*words, str(project / "campaign"), cwd=place / "desk")
    plan = (project / "campaign" / "campaign.json").read_bytes()
    said_by(*words, "campaign", cwd=place / "desk")
    with monkeypatch.context() as patch:
        patch.chdir(project)
        said_by("montecarlo", "scenarios/landing.toml", *words[2:], "other/campaign", cwd=project)
    rows = [planetfall.open(folder).data for folder in (project / "campaign", place / "desk" / "campaign")]
    assert rows[0].identical(rows[1]) and rows[0].identical(planetfall.open(project / "other" / "campaign").data)
    assert str(place).encode() not in plan.replace(b"\\", b"/")

    moved = project.rename(place / "moved")
    shard = sorted((moved / "campaign" / "runs").iterdir())[1]
    shard.unlink()
    said_by("montecarlo", "--resume", str(moved / "campaign"), "--json", cwd=place / "desk")
    assert planetfall.open(moved / "campaign").data.identical(rows[0])
    repeated = said_by("replay", str(moved / "campaign"), "3", "--no-figures", "--json", cwd=place)
    assert repeated["replay"]["equals_its_row"]
    said_by("run", str(moved / "run" / "scenario.toml"), "--out", "again", "--no-figures", "--json", cwd=place / "desk")
    assert planetfall.open(place / "desk" / "again").data.identical(planetfall.open(moved / "run").data)
    (place / "far" / "away").mkdir(parents=True)
    alone = shutil.copytree(moved / "campaign", place / "far" / "away" / "campaign")
    done = inside("replay", str(alone), "2", "--no-figures", "--json", cwd=place)
    assert done.returncode == 2 and "ground.npy: " in done.stderr  # neither beside it nor where it was
    (place / "project").symlink_to(moved)
    done = inside("replay", str(alone), "2", "--no-figures", "--json", cwd=place)
    assert done.returncode == 0 and json.loads(done.stdout)["replay"]["equals_its_row"], done.stderr
    assert done.stderr.count("is taken from where it was when that was written") == 1
    np.save(moved / "maps" / "ground.npy", HEIGHTS + 1)
    done = inside("montecarlo", "--resume", str(moved / "campaign"), cwd=place)
    assert done.returncode == 2 and "ground.npy: has been changed since the campaign began" in done.stderr


def test_folders_written_before_still_run_where_they_were_made(place: Path) -> None:
    """Then names were relative to the working folder; they are found there, and a note says so."""
    file = npy(place / "desk")
    scenario = scenario_of(place, file, '"terrain.spacing" = 10.0')
    scenario.write_text(scenario.read_text().replace("../maps/", "../../desk/"))
    said_by("run", str(scenario), "--out", "runs/run", "--no-figures", "--json", cwd=place / "desk")
    path = place / "desk" / "runs" / "run" / "scenario.toml"
    path.write_text(path.read_text().partition("\n[files]\n")[0].replace('"../../ground.npy"', '"ground.npy"'))
    summary = json.loads(path.with_name("summary.json").read_text())
    newer = ("schema", "sha256")  # which folders of that time do not have
    kept = {key: value for key, value in summary.items() if key not in newer}
    path.with_name("summary.json").write_text(json.dumps(kept))
    done = inside("run", "runs/run/scenario.toml", "--out", "again", "--no-figures", "--json", cwd=place / "desk")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("is taken from ") == 1
    assert 'write "../../ground.npy"' in done.stderr
    done = inside("view", "runs/run", "--export", "page.html", cwd=place / "desk")
    assert done.returncode == 0 and done.stderr.startswith("planetfall: note: ")
    refused = inside("run", "desk/runs/run/scenario.toml", cwd=place)
    assert refused.returncode == 2
    assert f"terrain.file: {place}/desk/runs/run/ground.npy: no such file" in refused.stderr
