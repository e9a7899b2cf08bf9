"""What is refused together: each refusal holds, gives its reason, and what it offers instead is accepted."""

from __future__ import annotations

from typing import Any

import pytest

import planetfall
from planetfall.errors import InputError
from planetfall.scenario.combinations import REFUSALS

ADAPTIVE = {"integrator.method": "adaptive"}
TOGETHER: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "column": ("msl-gale-drop", {**ADAPTIVE, "terrain.gap": "column"}, {"terrain.gap": "nearest"}),
}
"""For each refusal: a scenario, what brings the features together, and what the message offers instead."""


def test_every_refusal_has_its_case() -> None:
    assert len(REFUSALS) == len(TOGETHER)


@pytest.mark.parametrize("name", TOGETHER)
def test_it_is_refused_with_the_reason_and_a_way_out(name: str) -> None:
    base, together, instead = TOGETHER[name]
    scenario = planetfall.load(base)
    with pytest.raises(InputError) as refused:
        scenario.with_values(together)
    said = str(refused.value)
    assert any(refusal.reason in said and refusal.instead in said for refusal in REFUSALS)
    scenario.with_values({**together, **instead} if instead else {})


def test_what_used_to_be_refused_is_accepted() -> None:
    """Tethers, controllers and discarded vehicles with error control, in one scenario; the small-body law on facets."""
    assert planetfall.load("msl-skycrane").runs_adaptively
    assert planetfall.load("msl-skycrane-gale").runs_adaptively
    assert planetfall.load("morpheus-incline").runs_adaptively
    law = {"law": "distributed", "stiffness": 1e5, "damping": 1e3, "friction": 0.5}
    assert planetfall.load("msl-gale-drop").with_values({**ADAPTIVE, "contact": law}).runs_adaptively
