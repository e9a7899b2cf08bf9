"""Which mechanisms the chain of a body calls: those alone that act on it."""

import planetfall
from planetfall.engine.build import build
from planetfall.engine.mechanisms.chain import owners_of

CARRIER, SHIELD = 2, 3
"""Backshell and heat shield among the bodies of `msl-edl`."""


def test_a_chain_of_one_body_leaves_out_what_acts_on_others() -> None:
    """The chain of all bodies calls what the chains of single bodies call between them, and each of those less."""
    assembly = build(planetfall.load("msl-edl"), "cpu").assembly
    names = [mechanism.name for mechanism in assembly.mechanisms]

    def called(hook: str, i_body: int | None = None) -> set[str]:
        return {names[i] for i in owners_of(assembly, hook, i_body)}

    assert called("wrench", CARRIER) == {f"aerodynamics of body {CARRIER}", "parachutes"}
    assert called("wrench", SHIELD) == {f"aerodynamics of body {SHIELD}"}
    assert called("after_step", SHIELD) == set()
    for hook in ("wrench", "rates", "margin", "after_step"):
        assert set.union(*(called(hook, i) for i in range(assembly.n_bodies))) == called(hook)


def test_what_has_a_margin_there_says_whether_anything_is_ahead() -> None:
    """Else the surroundings of the carrier would be looked at three times in every step."""
    assembly = build(planetfall.load("msl-edl"), "cpu").assembly
    assert owners_of(assembly, "margin", CARRIER) == owners_of(assembly, "awaits", CARRIER) != []
