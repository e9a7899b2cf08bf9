"""`planetfall export`, as a user meets it."""

from __future__ import annotations

from pathlib import Path

from support.command import inside, refuse, succeed


def test_a_run(tmp_path: Path) -> None:
    short = ("--set", "scenario.duration=0.3")
    succeed("run", "sink-flat", *short, "--out", "runs/flat", "--no-figures", cwd=tmp_path)
    said = succeed("export", "runs/flat", "--to", "vtk", "--frames", "4", cwd=tmp_path)
    assert said.startswith("Export   flat.pvd and ")
    assert (tmp_path / "flat_pieces" / "ground.vtp").is_file()
    succeed("export", "runs/flat", "--to", "oem", "--epoch", "2026-01-01T00:00:00", "--out", "new/a.oem", cwd=tmp_path)
    assert "REF_FRAME = PLANETFALL_L" in (tmp_path / "new" / "a.oem").read_text()
    said = refuse("export", "runs/flat", "--to", "vtk", cwd=tmp_path)
    assert "flat.pvd: exists" in said and "--force" in said
    succeed("export", "runs/flat", "--to", "vtk", "--frames", "4", "--force", cwd=tmp_path)
    assert "one of oem, aem, vtk, gltf, csv, geotiff" in refuse("export", "runs/flat", "--to", "step", cwd=tmp_path)
    assert "one of oem, aem, vtk, gltf, csv" in refuse("export", "runs/flat", "--to", "geotiff", cwd=tmp_path)
    assert "give --epoch" in refuse("export", "runs/flat", "--to", "aem", cwd=tmp_path)
    said = refuse("export", "runs/flat", "--to", "csv", "--cell", "3", cwd=tmp_path)
    assert "--cell: has no meaning for the format csv" in said
    assert "is not a run folder" in refuse("export", "runs", "--to", "csv", cwd=tmp_path)


def test_a_campaign(tmp_path: Path) -> None:
    import rasterio

    spread = ("--set", "dispersions.initial.velocity.0.sigma=0.2")
    kind = ("--set", 'dispersions.initial.velocity.0.distribution="normal"', "--set", "scenario.duration=0.3")
    made = inside("montecarlo", "sink-flat", "-n", "6", *spread, *kind, "--out", "runs/many", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    succeed("export", "runs/many", "--to", "geotiff", "--cell", "0.05", cwd=tmp_path)
    with rasterio.open(tmp_path / "many.tif") as raster:
        assert raster.read(1).sum() == 6
    succeed("export", "runs/many", "--to", "csv", cwd=tmp_path)
    assert len((tmp_path / "many.csv").read_text().splitlines()) == 7
