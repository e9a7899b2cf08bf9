"""A campaign of guided entries: the reference is that of the nominal flight, in the plan and in every run."""

from typing import Any

from planetfall.campaign.plan import make_plan
from planetfall.flight.entry.reference import entry_reference
from support.guided_capsule import guided_capsule


def test_the_plan_holds_the_nominal_reference() -> None:
    """Draws of the start change the reference of a scenario that holds none, and not that of a campaign's."""
    nominal = guided_capsule(dispersions={"initial": {"flight_path_deg": {"distribution": "normal", "sigma": 0.1}}})
    plan: Any = make_plan(nominal, 4, 1, "random", None, "cpu", "")
    held = plan.scenario.flight.phases[0].guidance.reference
    assert held == entry_reference(nominal).table()
    drawn = {"initial.flight_path_deg": -16.0}
    assert entry_reference(nominal.with_values(drawn)).table() != held
    assert plan.scenario.with_values(drawn).flight.phases[0].guidance.reference == held
