"""The tables of procedural terrain: filled in by name, changed by key, refused with a reason."""

import re
import tomllib
from typing import Any

import pytest
import tomli_w

import planetfall
from planetfall.errors import InputError
from planetfall.scenario.files.built_in import library_names
from planetfall.scenario.files.load import scenario_from_dict, terrain_from_dict
from planetfall.scenario.tables.world.terrain_procedural import TerrainProcedural


def drop_on(**terrain: Any) -> planetfall.Scenario:
    return planetfall.load("msl-drop").with_values({"terrain": {"model": "procedural", **terrain}})


def table_of(scenario: planetfall.Scenario) -> TerrainProcedural:
    assert isinstance(scenario.terrain, TerrainProcedural)
    return scenario.terrain


def test_the_issue_s_names_are_built_in() -> None:
    assert {"hazard-field", "gale-like", "crater"} <= set(library_names("terrains"))


def test_nothing_given_is_level_ground_without_anything_on_it() -> None:
    table = terrain_from_dict({})
    assert (table.noise.amplitude, table.craters.density, table.hills.density, table.rocks.cover) == (0, 0, 0, 0)
    assert (table.extent, table.slope_deg) == ((100.0, 100.0), 0.0)


def test_a_name_fills_in_what_is_not_given_also_inside_tables() -> None:
    table = table_of(drop_on(name="hazard-field", slope_deg=45.0, rocks={"cover": 0.1}))
    assert table.extent == (100.0, 100.0)
    assert (table.slope_deg, table.rocks.cover, table.rocks.diameter_max) == (45.0, 0.1, 1.5)
    assert table.craters.density == terrain_from_dict({"name": "hazard-field"}).craters.density


def test_an_unknown_name_is_refused_whatever_else_is_given() -> None:
    """Or a slip of the pen would land on a level plain."""
    with pytest.raises(
        InputError,
        match=r"terrain\.name: no built-in terrain 'hazard-feild'; did you mean hazard-field\?.*leave terrain",
    ):
        drop_on(name="hazard-feild", extent=[50.0, 50.0])


def test_another_name_brings_another_ground() -> None:
    scenario = drop_on(name="hazard-field", slope_deg=45.0)
    changed = table_of(scenario.with_values({"terrain.name": "gale-like"}))
    assert changed == terrain_from_dict({"name": "gale-like"})
    with_key = {"terrain.noise.hurst": 0.6, "terrain.name": "gale-like"}
    assert table_of(scenario.with_values(with_key)).noise.hurst == 0.6
    assert table_of(scenario.with_values({"terrain.name": "hazard-field"})).slope_deg == 45.0


@pytest.mark.parametrize("order", [1, -1])
def test_model_and_name_can_be_set_together(order: int) -> None:
    values = {"terrain.model": "procedural", "terrain.name": "crater", "terrain.seed": 4}
    scenario = planetfall.load("msl-drop").with_values(dict(list(values.items())[::order]))
    assert (table_of(scenario).name, table_of(scenario).seed, table_of(scenario).resolution) == ("crater", 4, 0.1)


def test_a_plane_has_no_name() -> None:
    with pytest.raises(InputError, match=r"^terrain\.name: unknown key.*legal keys: added, aspect_deg, fillet, model"):
        planetfall.load("msl-drop").with_values({"terrain.name": "crater"})


def test_a_key_in_a_table_is_changed_and_the_rest_is_not() -> None:
    scenario = drop_on(name="hazard-field")
    changed = scenario.with_values({"terrain.rocks.cover": 0.0, "terrain.craters.placed": [{"diameter": 3.0}]})
    assert table_of(changed).rocks.cover == 0.0
    assert table_of(changed).craters.placed[0].position == (0.0, 0.0)
    title = {"scenario.title": scenario.scenario.title}  # given anew, it does not speak of changes
    back = changed.with_values({"terrain.rocks.cover": 0.0303, "terrain.craters.placed": []} | title)
    assert back == scenario.with_values(title)


@pytest.mark.parametrize("name", [*library_names("terrains"), "none"])
def test_through_a_file_and_back(name: str) -> None:
    """Also where something was taken away that the name would fill in."""
    scenario = drop_on(name=name).with_values({"terrain.rocks.cover": 0.0, "terrain.noise.amplitude": 0.0})
    again = scenario_from_dict(tomllib.loads(tomli_w.dumps(scenario.to_dict())))
    assert again == scenario
    assert hash(again) == hash(scenario)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"noise": {"amplitud": 1.0}}, r"^noise\.amplitud: unknown key; did you mean noise\.amplitude\?"),
    ({"rocks": {"cover": 19.0}}, r"^rocks\.cover: is 19\.0; it must be less than or equal to 0\.4.*fraction"),
    ({"rocks": {"diameter_max": 0.2}}, r"^rocks\.diameter_max: 0\.3 to 0\.2 m is no range"),
    ({"rocks": {"buried": 0.0}}, r"^rocks\.buried: is .*; it must be greater than 0"),
    ({"craters": {"diameter_min": 20.0}}, r"^craters\.diameter_max: 20 to 10 m is no range"),
    ({"craters": {"rim_ratio": 0.2}}, r"^craters\.rim_ratio: 0\.2 leaves no bowl"),
    ({"craters": {"placed": [{"diameter": -1.0}]}}, r"^craters\.placed\.0\.diameter: is .*; it must be greater than 0"),
    ({"hills": {"height": [2.0, 1.0]}}, r"^hills\.height: 2 to 1 m is no range"),
    ({"hills": {"width": [0.0, 1.0]}}, r"^hills\.width: 0 to 1 m is no range"),
    ({"noise": {"hurst": 1.0}}, r"^noise\.hurst: is .*; it must be less than 1"),
    ({"noise": {"octaves": 2.5}}, r"^noise\.octaves: is .*; it must be a whole number"),
    ({"extent": [100.0, 33.3]}, r"^extent: 33\.3 m to the north is 66\.6 cells of 0\.5 m"),
    ({"extent": [0.0, 10.0]}, r"^extent: 0 m to the east is 0 cells"),
    ({"extent": [float("nan"), 10.0]}, r"^extent\.0: is .*; it must be a finite number"),
    ({"resolution": 0.0}, r"^resolution: is .*; it must be greater than 0"),
    ({"seed": -1}, r"^seed: is .*; it must be greater than or equal to 0"),
    ({"slope_deg": 46.0}, r"^slope_deg: is .*; it must be less than or equal to 45"),
    (
        {"noise": {"amplitude": 0.1, "octaves": 9}},
        r"^noise\.octaves: 9 octaves reach wavelengths of 0\.0977 m, but nodes 0\.5 m apart carry 5 octaves",
    ),
    ({"craters": {"density": 0.1}}, r"^craters\.diameter_min: 1 m is less than 3 nodes 0\.5 m apart"),
    ({"craters": {"placed": [{"diameter": 1.0}]}}, r"^craters\.placed\.0\.diameter: 1 m is less than 3 nodes"),
    ({"rocks": {"cover": 0.1, "shape": "dem"}}, r"^rocks\.diameter_min: 0\.3 m is less than 3 nodes"),
    ({"hills": {"density": 0.1, "width": [1.0, 2.0]}}, r"^hills\.width: 1 m is less than 3 nodes"),
    ({"rocks": {"shape": "cube"}}, r"^rocks\.shape: is 'cube'; it must be 'mesh' or 'dem'"),
]


@pytest.mark.parametrize(("values", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_bad_values_are_answered_with_key_value_and_unit(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        terrain_from_dict(values)
    assert re.search(message, str(caught.value)), str(caught.value)
    with pytest.raises(InputError, match=rf"terrain\.{caught.value.where}"):
        drop_on(**values)


def test_what_is_not_there_need_not_fit_the_map() -> None:
    assert terrain_from_dict({"resolution": 10.0}).craters.diameter_min == 1.0
