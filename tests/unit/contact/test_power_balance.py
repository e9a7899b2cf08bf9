"""A law whose energies do not go with its force is told so before the first step, and on which ground."""

import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import warp as wp

import planetfall
from planetfall.contact.laws import contact_law, law_named
from planetfall.contact.model import ContactLaw
from planetfall.contact.power_balance import power_fault
from planetfall.engine.build import build
from support.command import planetfall as command

EXAMPLES = Path(__file__).parents[3] / "examples" / "plugins"
SAND = EXAMPLES / "soft-sand.toml"


def sand() -> Any:
    """The sand of the examples on a plane, made ready."""
    return build(planetfall.load(SAND))


def fault_of(law: ContactLaw, has_unit_normals: bool = True) -> str | None:
    model = sand()
    return power_fault(law, law.params(1), model.params.law, model.scenario.contact.sink, has_unit_normals)


@lru_cache
def altered(what: str) -> Any:
    """Factory of the sand's `contact` with one of its parts wrong."""
    right = law_named("soft-sand").contact

    @lru_cache
    def factory(struct: Any) -> Any:
        contact = right(struct)  # pyright: ignore[reportOptionalCall]

        @wp.func
        def sign(law: struct, body: int, mode: wp.int32, ground: Any, velocity: wp.vec3d):
            out = contact(law, body, mode, ground, velocity)
            out.friction_power = -out.friction_power
            return out

        @wp.func
        def stored(law: struct, body: int, mode: wp.int32, ground: Any, velocity: wp.vec3d):
            out = contact(law, body, mode, ground, velocity)
            out.elastic = wp.float64(1.5) * out.elastic  # K d^3/2 in the place of K d^3/3
            return out

        @wp.func
        def damper(law: struct, body: int, mode: wp.int32, ground: Any, velocity: wp.vec3d):
            out = contact(law, body, mode, ground, velocity)
            out.damper_power = wp.float64(0.0)
            return out

        return {"sign": sign, "stored": stored, "damper": damper}[what]

    return factory


@pytest.mark.parametrize("what", ["sign", "stored", "damper"])
def test_a_wrong_energy_is_told(what: str) -> None:
    sand()
    said = fault_of(replace(law_named("soft-sand"), contact=altered(what)))
    assert said is not None
    assert "its energies do not go with its force" in said and "elastic, damper_power and friction_power" in said
    assert "ground.normal" not in said


@pytest.mark.parametrize("has_unit_normals", [True, False])
def test_a_right_law_is_not(has_unit_normals: bool) -> None:
    sand()
    assert fault_of(law_named("soft-sand"), has_unit_normals) is None


@pytest.mark.parametrize("name", ["msl-drop", "hertz-drop", "regolith-dent"])
@pytest.mark.parametrize("has_unit_normals", [True, False])
def test_the_built_in_laws_are_right(name: str, has_unit_normals: bool) -> None:
    model = build(planetfall.load(name))
    law = contact_law(model.scenario, has_unit_normals)
    found = power_fault(law, law.params(1), model.params.law, model.scenario.contact.sink, has_unit_normals)
    assert found is None


def test_a_law_for_planes_is_told_on_a_distance_field() -> None:
    """The marker law has functions of its own there; those for planes take the normal for a unit vector."""
    model = build(planetfall.load("msl-drop"))
    law = contact_law(model.scenario, has_unit_normals=True)
    said = power_fault(law, law.params(1), model.params.law, model.scenario.contact.sink, has_unit_normals=False)
    assert said is not None and "where ground.normal has the length" in said


@pytest.mark.parametrize("arguments", [("run", "sand.toml", "--no-figures"), ("montecarlo", "sand.toml", "-n", "2")])
def test_runs_and_campaigns_say_it(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """A campaign keeps no account of each run: it is all that it says of that."""
    text = (EXAMPLES / "soft_sand.py").read_text()
    wrong = text.replace("out.friction_power = -drag", "out.friction_power = drag")
    assert wrong != text
    (tmp_path / "soft_sand.py").write_text(wrong)
    dispersed = '\n[dispersions.contact.friction]\ndistribution = "uniform"\nlow = 0.4\nhigh = 0.7\n'
    (tmp_path / "sand.toml").write_text(SAND.read_text() + dispersed)
    done = command(*arguments, "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(r"contact law 'soft-sand': its energies do not go", " ".join(done.stderr.split()))
