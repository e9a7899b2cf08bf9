"""`terrain.gap` chooses how deep a point in the ground is; all grounds but planes and whole bodies have it."""

from pathlib import Path

import numpy as np
import pytest

import planetfall
from planetfall.errors import InputError
from planetfall.world.terrain.dem.dem import TERRAIN_DEM_COLUMN
from planetfall.world.terrain.dem.nearest_gap import TERRAIN_DEM
from planetfall.world.terrain.ground import make_surface

MODELS = {"nearest": TERRAIN_DEM, "column": TERRAIN_DEM_COLUMN}
BODY = planetfall.load("box-bench")


@pytest.mark.parametrize("model", ["dem", "procedural"])
@pytest.mark.parametrize("gap", ["nearest", "column", None])
def test_a_map_is_asked_as_the_table_says_and_by_default_for_the_nearest_point(
    tmp_path: Path, model: str, gap: str | None
) -> None:
    np.save(tmp_path / "flat.npy", np.zeros((5, 5)))
    tables = {
        "dem": {"model": "dem", "file": str(tmp_path / "flat.npy"), "spacing": 1.0, "height_scale": 1.0},
        "procedural": {"model": "procedural", "extent": (4.0, 4.0), "resolution": 1.0},
    }
    table = tables[model] | ({} if gap is None else {"gap": gap})
    assert make_surface(BODY.with_values({"terrain": table}), "cpu").model == MODELS[gap or "nearest"]


def test_parts_of_a_combined_terrain_have_their_own(tmp_path: Path) -> None:
    np.save(tmp_path / "flat.npy", np.zeros((5, 5)))
    part = {"model": "dem", "file": str(tmp_path / "flat.npy"), "spacing": 1.0, "height_scale": 1.0}
    surface = make_surface(BODY.with_values({"terrain": {**part, "added": [{**part, "gap": "column"}]}}), "cpu")
    assert [part.model for part in surface.parts] == [TERRAIN_DEM, TERRAIN_DEM_COLUMN]


def test_a_mesh_has_no_columns() -> None:
    mesh = {"model": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "facets": [[0, 1, 2]]}
    assert BODY.with_values({"terrain": {**mesh, "gap": "nearest"}}).terrain.gap == "nearest"  # type: ignore[union-attr]
    with pytest.raises(InputError, match=r"gap: is 'column'; it must be 'nearest'.*there are no columns"):
        BODY.with_values({"terrain": {**mesh, "gap": "column"}})
