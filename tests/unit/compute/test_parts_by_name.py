"""Parts by name: loaded when they are asked for, and otherwise a dict."""

from __future__ import annotations

import subprocess
import sys

import pytest

from planetfall.compute.parts_by_name import PartsByName
from planetfall.contact.laws import LAWS, check
from planetfall.engine.kernel import ADVANCE
from planetfall.world.gravity.field import MODELS


def test_a_part_is_loaded_when_it_is_asked_for() -> None:
    code = (
        "import sys\n"
        "from planetfall.world.gravity.field import MODELS\n"
        "home = 'planetfall.world.gravity.ellipsoid'\n"
        "assert 'ellipsoid' in MODELS and home not in sys.modules\n"
        "assert MODELS['ellipsoid'] is sys.modules[home].GRAVITY_ELLIPSOID\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_parts_of_ones_own_are_entered_as_in_any_dict() -> None:
    parts: PartsByName[object] = PartsByName({"sine": "math:sin"})
    parts["own"] = own = object()
    assert list(parts) == ["sine", "own"]
    assert len(parts) == 2
    assert parts["own"] is own
    del parts["own"]
    assert "own" not in parts
    with pytest.raises(KeyError):
        parts["own"]


@pytest.mark.parametrize("name", sorted(LAWS))
def test_every_law_that_is_built_in_is_whole_and_has_its_own_name(name: str) -> None:
    check(LAWS[name])
    assert LAWS[name].name == name


@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_field_of_gravity_is_where_it_is_said_to_be(name: str) -> None:
    assert MODELS[name].name == ("uniform" if name == "none" else name)


def test_every_method_is_where_it_is_said_to_be() -> None:
    assert {name: ADVANCE[name].__name__ for name in ADVANCE} == {"rk4": "rk4_advance", "adaptive": "adaptive_advance"}
