"""`planetfall.tables`: every table of a scenario as a type, and scenarios that are made of them."""

from __future__ import annotations

import re
import typing
from typing import Any

import planetfall
from planetfall import tables
from planetfall.scenario.drive import DriveScenario


def reached(annotation: Any, found: set[type]) -> set[type]:
    """Tables that an annotation leads to."""
    if isinstance(annotation, type) and issubclass(annotation, tables.Table):
        if annotation not in found:
            found.add(annotation)
            for field in annotation.model_fields.values():
                reached(field.annotation, found)
    for part in typing.get_args(annotation):
        reached(part, found)
    return found


def test_every_table_is_exported() -> None:
    found = reached(planetfall.Scenario, set()) | reached(DriveScenario, set())
    ours = {table.__name__ for table in found if table.__module__.startswith("planetfall.")}
    lacking = sorted(ours - {"Scenario", "DriveScenario"} - set(tables.__all__))
    assert not lacking, f"import these in planetfall/tables.py and name them in its __all__: {', '.join(lacking)}"
    assert all(hasattr(tables, name) for name in tables.__all__)


def test_the_example_of_the_module_makes_a_scenario() -> None:
    code = "\n".join(
        line.removeprefix("    ") for line in (tables.__doc__ or "").splitlines() if line.startswith("    ")
    )
    names: dict[str, Any] = {}
    exec(code, names)
    scenario = names["scenario"]
    assert scenario == planetfall.Scenario.from_dict(scenario.to_dict())
    assert scenario.vehicle.points[0].name == "foot"


def test_tables_go_where_dictionaries_go() -> None:
    """Beside built-in tables, which are filled in by name, and in lists."""
    plane = tables.TerrainPlane(model="plane", slope_deg=5.0)
    drop = planetfall.load("msl-drop")
    assert drop.with_values({"terrain": plane}).terrain == plane
    values = {**drop.to_dict(), "target": tables.Target(name="moon"), "vehicle": {"name": "msl-rover"}}
    built = planetfall.Scenario.from_dict(values)
    assert built.target.gm == planetfall.Scenario.from_dict({**values, "target": {"name": "moon"}}).target.gm > 0.0
    point = tables.ContactPoint(name="skid", position=(0.0, 0.0, -1.0))
    assert drop.with_values({"vehicle.points": [point]}).vehicle.points == (point,)


def test_dir_has_what_is_public() -> None:
    names = set(dir(planetfall))
    assert names == {*planetfall.__all__, "__doc__", "__version__"}
    assert not [name for name in names if re.fullmatch(r"_[^_].*|TYPE_CHECKING|Any", name)]
    assert all(getattr(planetfall, name) is not None for name in names)
