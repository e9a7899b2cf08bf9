"""The registry of contact laws: what is incomplete or unknown is refused by name, and never taken for another law."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any, Literal

import pytest

import planetfall
from planetfall.contact.laws import LAWS, law_named, law_params, register
from planetfall.contact.marker import CONTACT_MARKER
from planetfall.errors import InputError
from planetfall.scenario.tables.table import Table, choice


class Bare(Table):
    """A table with a name and nothing that a law must say."""

    law: Literal["bare"] = choice("name")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        pytest.param({"mode": None}, "either mode and contact", id="half of an instant law"),
        pytest.param({"mode": None, "contact": None}, "anchored_contact and renew", id="no functions at all"),
        pytest.param({"coefficients": None}, "the function coefficients", id="no coefficients"),
        pytest.param({"friction_rate": None}, "the function friction_rate", id="no rate for the step limit"),
        pytest.param({"table": dict}, "a table", id="no table"),
        pytest.param({"name": "sand"}, "Literal['sand']", id="the table of another law"),
        pytest.param({"table": Bare}, "sink, stop_speed, needs_gravity", id="a table that says nothing"),
        pytest.param({"keeps_dent": True}, "work, the name and meaning of its account", id="dents without an account"),
        pytest.param({"live_keys": ("grip",)}, "the live key grip", id="a live key that no table has"),
    ],
)
def test_an_incomplete_law_is_refused_when_it_is_registered(changes: dict, named: str) -> None:
    law = replace(CONTACT_MARKER, **{"name": "bare" if changes.get("table") is Bare else "marker", **changes})
    before = dict(LAWS)
    LAWS.pop("marker")
    try:
        with pytest.raises(InputError, match="lacks") as caught:
            register(law)
    finally:
        LAWS.clear()
        LAWS.update(before)
    assert named in str(caught.value)


def test_a_name_is_given_once() -> None:
    with pytest.raises(InputError, match="the name is taken"):
        register(replace(CONTACT_MARKER, live_keys=()))


def test_an_unknown_law_is_no_other_law() -> None:
    with pytest.raises(
        InputError, match=r"'sand' has no contact law behind it; expected one of marker, anchor, distributed"
    ):
        law_named("sand")


@pytest.mark.parametrize("forgotten", ["damping", "friction", "friction.breakaway_speed"])
def test_a_member_that_fill_forgets_is_named(forgotten: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be zero without a word: a law without friction, for instance."""
    *outer, name = forgotten.split(".")

    def forgets(params: Any, *given: Any) -> None:
        CONTACT_MARKER.fill(params, *given)
        delattr(reduce(getattr, outer, params), name)

    scenario = planetfall.load("msl-drop")
    assert law_params(scenario, 3.71).unset() == []
    monkeypatch.setitem(LAWS, "marker", replace(CONTACT_MARKER, fill=forgets))
    with pytest.raises(InputError, match=rf"contact law 'marker': its fill does not set {forgotten};"):
        law_params(scenario, 3.71)


def test_a_law_keeps_what_its_functions_make() -> None:
    """Another class of the same struct would not be taken for it, and another function compiles again."""
    law = replace(CONTACT_MARKER, params=lambda n_bodies: type(f"Params{n_bodies}", (), {}))
    assert law.params(1) is law.params(1)
    assert law.params(1) is not law.params(2)
    assert CONTACT_MARKER.mode is replace(CONTACT_MARKER).mode
