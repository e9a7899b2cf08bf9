"""From a phase's guidance `entry` to what the kernel takes; and a scenario whose reference is held fast."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from planetfall.compute.draft import Draft
from planetfall.errors import InputError
from planetfall.flight.entry.bank_command import EntryGuidanceParams, no_entry_guidance
from planetfall.flight.entry.planar import entering
from planetfall.flight.entry.reference import WHERE, check_signs, entry_phase, entry_reference
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.flight.guidance import EntryReferenceTable

COLUMNS = ("range_to_go", "drag", "height_rate", "lift_ratio", "of_drag", "of_height_rate", "of_lift")
"""Of a row of the reference, in the kernel's order."""


@dataclass(frozen=True, eq=False)
class _SameTables:
    """Tables that are told from others by identity: they are frozen, and to compare them takes longer."""

    tables: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _SameTables) or len(other.tables) != len(self.tables):
            return False
        return all(own is given for own, given in zip(self.tables, other.tables, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.tables)))


def reference_table(scenario: Scenario) -> EntryReferenceTable | None:
    """The reference that a scenario's entry guidance flies by: the one that it holds, or its own; None without any."""
    found = entry_phase(scenario)
    if found is None:
        return None
    i, law = found
    if law.reference is None:
        return _computed(_SameTables((scenario,)))
    _check_signs(_SameTables((law,)), f"{WHERE}.{i}.guidance")
    return law.reference


@lru_cache(maxsize=64)
def _check_signs(same: _SameTables, where: str) -> None:
    (law,) = same.tables
    check_signs(law.reference, law, where)


@lru_cache(maxsize=8)
def _computed(same: _SameTables) -> EntryReferenceTable:
    return entry_reference(*same.tables).table()


def with_reference(scenario: Scenario) -> Scenario:
    """The scenario with its reference held fast, as campaigns need it: draws must not change what guidance knows."""
    found, table = entry_phase(scenario), reference_table(scenario)
    if found is None or found[1].reference is not None:
        return scenario
    i, law = found
    flight = scenario.flight
    assert flight is not None and flight.sequence is not None
    phases = list(flight.sequence.phases)
    phases[i] = phases[i].model_copy(update={"guidance": law.model_copy(update={"reference": table})})
    return scenario.model_copy(update={"flight": flight.model_copy(update={"phases": tuple(phases)})})


def entry_guidance_params(scenario: Scenario) -> Draft:
    """`EntryGuidanceParams`; empty where no phase has entry guidance.

    Raises:
        InputError: Nothing can be guided, or a plan gives the bank angle.
    """
    found = entry_phase(scenario)
    if found is None:
        return no_entry_guidance()
    i, law = found
    aerodynamics = entering(scenario).aerodynamics
    assert aerodynamics is not None
    if aerodynamics.bank_plan is not None:
        raise InputError(
            "vehicle.aerodynamics.bank_plan", f"a plan and the guidance of {WHERE}.{i} give the bank angle",
            "one of them", "leave bank_plan out",
        )  # fmt: skip
    table = reference_table(scenario)
    assert table is not None
    return _params(_SameTables((law, table, scenario.target)))


@lru_cache(maxsize=64)  # runs of a campaign share these tables
def _params(same: _SameTables) -> Draft:
    law, table, target = same.tables
    p = Draft(EntryGuidanceParams)
    p.center, p.site = target.center_S, -target.center_S / np.linalg.norm(target.center_S)
    p.radius, p.period, p.range_after = target.radius, 1.0 / law.rate, law.range_after
    p.start_drag, p.gain = law.start_drag, law.gain
    p.bank, p.bank_min, p.bank_max = (
        float(np.radians(a)) for a in (table.bank_deg, law.bank_min_deg, law.bank_max_deg)
    )
    p.band, p.band_fast = law.cross_range, law.cross_range_fast / law.cross_range_speed**2
    p.heading_speed, p.heading_gain = law.heading_speed, law.heading_gain
    p.heading_bank_max = float(np.radians(law.heading_bank_max_deg))
    p.speed, p.rows = np.array(table.speed), np.column_stack([getattr(table, key) for key in COLUMNS])
    return p
