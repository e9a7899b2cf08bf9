"""Heavy packages are imported where they are used: a greeting and a help text need none."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"warp", "xarray", "matplotlib", "pydantic", "scipy", "numpy", "rich", "rasterio", "trimesh"}


def imported(*words: str, cwd: Path) -> set[str]:
    """Top-level packages that a Python process imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *words], capture_output=True, text=True, cwd=cwd, timeout=120
    )
    assert done.returncode == 0, done.stderr[-500:]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines() if "|" in line}


def test_importtime_sees_what_is_imported(tmp_path: Path) -> None:
    assert "scipy" in imported("-c", "import scipy", cwd=tmp_path)


def test_import_is_light(tmp_path: Path) -> None:
    found = imported("-c", "import planetfall", cwd=tmp_path)
    assert "planetfall" in found
    assert not found & HEAVY


@pytest.mark.parametrize("words", [("--help",), ("run", "--help"), ("terrain", "info", "--help"), ("--version",)])
def test_help_is_light(words: tuple[str, ...], tmp_path: Path) -> None:
    """Typer itself asks Pydantic about the parameters of a verb; the list of verbs needs neither."""
    found = imported("-m", "planetfall", *words, cwd=tmp_path)
    assert "planetfall" in found
    assert not found & (HEAVY if words == ("--help",) else HEAVY - {"pydantic", "rich"})


NOT_FOR_A_RUN = {
    "dask", "distributed", "scipy", "matplotlib", "rich", "rasterio", "trimesh", "starlette", "uvicorn",
    "planetfall.rover", "planetfall.report", "planetfall.viewer", "planetfall.campaign",
    "planetfall.vehicle.aerodynamics.field", "planetfall.world.atmosphere.from_scenario",
    "planetfall.world.atmosphere.table",
    "planetfall.flight.navigation.estimate", "planetfall.flight.sensors.kinds",
    "planetfall.flight.detectors.throttle", "planetfall.flight.detectors.leg_switch",
    "planetfall.vehicle.tether_force", "planetfall.vehicle.flywheels", "planetfall.vehicle.parachute_force",
    "planetfall.vehicle.forces", "planetfall.engine.solver.adaptive", "planetfall.engine.gpu.scheduler",
    "planetfall.contact.distributed", "planetfall.world.gravity.polyhedron.polyhedron",
    "planetfall.world.terrain.mesh.tree", "planetfall.world.terrain.readers.rasters.raster_file",
    "planetfall.scenario.drive",
}  # fmt: skip


def loaded(*words: str, cwd: Path) -> set[str]:
    """Modules that a `planetfall` command has loaded when it ends, with the packages that hold them."""
    code = f"import sys; sys.argv = ['planetfall', *{words!r}]\nfrom planetfall.cli import main\n"
    code += "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
    code += "print('LOADED', *[name for name, found in sys.modules.items() if found is not None])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=cwd, timeout=300)
    assert done.returncode == 0, done.stderr[-500:]
    return set(done.stdout.rpartition("LOADED")[2].split())


@pytest.mark.parametrize(
    ("words", "needed"),
    [(("--no-figures",), set()), ((), {"matplotlib", "planetfall.report", "planetfall.viewer"})],
    ids=["without figures", "with figures"],
)
def test_a_run_loads_what_it_needs(words: tuple[str, ...], needed: set[str], tmp_path: Path) -> None:
    """What takes long to load and is not needed by a landing without air; figures need what draws them, and no more."""
    found = loaded("run", "msl-drop", *words, "--out", "run", cwd=tmp_path)
    assert {"warp"} | needed <= found
    assert not found & (NOT_FOR_A_RUN - needed)


def test_listing_needs_no_engine(tmp_path: Path) -> None:
    assert not imported("-m", "planetfall", "list", cwd=tmp_path) & {"warp", "xarray", "matplotlib"}


def test_public_names_are_found_by_completion(tmp_path: Path) -> None:
    """`dir(planetfall)` lists what `__all__` promises, before any of it was used."""
    code = "import planetfall; print(sorted(set(planetfall.__all__) - set(dir(planetfall))))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there(tmp_path: Path) -> None:
    code = "import planetfall; [getattr(planetfall, name) for name in planetfall.__all__]; print('all')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.strip() == "all", re.sub(r"(?s).*\n(?=\S)", "", done.stderr)
