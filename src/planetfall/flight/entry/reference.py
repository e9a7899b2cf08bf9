"""The reference of an entry: the planar flight at one bank angle that ends over the place where the trigger is to fire.

The bank angle is held down to the speed at which heading alignment begins, where that of the alignment takes its
place; it is found so that the range to the speed of the trigger is the range to the target less what is flown after.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np

from planetfall.errors import InputError
from planetfall.flight.entry.influence import influence
from planetfall.flight.entry.planar import PlanarEntry, planar_entry
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.flight.guidance import EntryReferenceTable, GuidanceEntry

N_POINTS = 160
"""Points of a reference, evenly in time: between two of them range is off by some 30 m on a line."""
TOLERANCE = 1e-9
"""Of the integration, relative."""
N_TRIED = 8
"""Bank angles from the least to the largest at which the range is flown before the root is sought."""
LOWEST_FLIGHT, LATEST = -9e3, 3000.0
"""Height [m] below which, and time [s] after which, a planar flight is given up: no ground of Mars lies lower."""
WHERE = "flight.phases"


@dataclass(frozen=True)
class EntryReference:
    """A reference, from the speed of the end up to the largest: arrays [n] over rising speed.

    Attributes:
        bank: That is held down to heading alignment [rad].
        start_range: From the entry interface to the end [m].
        speed: [m/s].
        range_to_go: To the end [m].
        drag: [m/s^2].
        height_rate: [m/s].
        lift_ratio: u = (L/D) cos(bank) [-].
        of_drag: F1, range per drag [s^2].
        of_height_rate: F2, range per rate of height [s].
        of_lift: F3, range per u [m].
        height: [m].
        path: Flight path angle [rad].
        time: From the entry interface [s].
    """

    bank: float
    start_range: float
    speed: np.ndarray
    range_to_go: np.ndarray
    drag: np.ndarray
    height_rate: np.ndarray
    lift_ratio: np.ndarray
    of_drag: np.ndarray
    of_height_rate: np.ndarray
    of_lift: np.ndarray
    height: np.ndarray
    path: np.ndarray
    time: np.ndarray

    def table(self) -> EntryReferenceTable:
        """As a scenario keeps it."""
        keys = EntryReferenceTable.model_fields
        given = {f.name: getattr(self, f.name) for f in fields(self) if f.name in keys}
        lists = {key: value.tolist() for key, value in given.items() if key != "bank"}
        return EntryReferenceTable(bank_deg=float(np.degrees(self.bank)), **lists)


def entry_phase(scenario: Scenario) -> tuple[int, GuidanceEntry] | None:
    """Number and guidance of the phase that is guided through the air; None where there is none.

    Raises:
        InputError: There are several.
    """
    sequence = None if scenario.flight is None else scenario.flight.sequence
    phases = () if sequence is None else sequence.phases
    found = [(i, phase.guidance) for i, phase in enumerate(phases) if isinstance(phase.guidance, GuidanceEntry)]
    if len(found) > 1:
        raise InputError(
            f"{WHERE}.{found[1][0]}.guidance", "is the second phase with law = 'entry'", "one such phase",
            "a single phase flies from the first bank angle to heading alignment",
        )  # fmt: skip
    return found[0] if found else None


def entry_reference(scenario: Scenario) -> EntryReference:
    """The reference of a scenario's entry guidance, computed.

    Raises:
        InputError: The scenario has no such guidance, its target is out of reach, or the flight does not get as slow
            as the trigger.
    """
    found = entry_phase(scenario)
    if found is None:
        raise InputError(
            WHERE, "no phase has guidance with law = 'entry'", "a scenario with entry guidance, such as msl-edl",
            "add guidance = { law = 'entry', ... } to the phase of the entry",
        )  # fmt: skip
    i, law = found
    return reference_of(planar_entry(scenario), law, f"{WHERE}.{i}.guidance")


def reference_of(entry: PlanarEntry, law: GuidanceEntry, where: str) -> EntryReference:
    """The reference of a planar entry: its bank angle by root finding, then its points and influence coefficients."""
    from scipy.optimize import brentq  # here, or every run would wait for it

    wanted = entry.target_range - law.range_after
    banks = np.radians(np.linspace(law.bank_min_deg, law.bank_max_deg, N_TRIED))
    tried = [(float(bank), _flown_range(entry, law, float(bank))) for bank in banks]
    reached = [(bank, flown) for bank, flown in tried if flown is not None]
    if not reached:
        raise _too_fast(law, where)
    brackets = [(a, b) for (a, far), (b, near) in pairwise(reached) if (far - wanted) * (near - wanted) <= 0.0]
    if not brackets:
        ranges = [flown / 1e3 for _, flown in reached]
        raise InputError(
            f"{where}.range_after" if wanted < 0.0 else "target.site",
            f"the target is out of reach: the trigger at {law.trigger_speed:g} m/s has to fire {wanted / 1e3:.1f} km "
            f"from the start (the site is {entry.target_range / 1e3:.1f} km away, {law.range_after / 1e3:.1f} km are "
            "flown after it)",
            f"in reach, at bank angles from {law.bank_max_deg:g} to {law.bank_min_deg:g} deg: "
            f"{min(ranges):.1f} to {max(ranges):.1f} km",
            "move target.site, or change the flight path angle or azimuth of the start",
        )

    def missed(bank: float) -> float:
        flown = _flown_range(entry, law, bank)
        return (0.0 if flown is None else flown) - wanted

    bank: float = brentq(missed, *brackets[-1], xtol=1e-8)  # type: ignore[assignment]
    out = _points(entry, law, bank)
    check_signs(out.table(), law, where)
    return out


def check_signs(table: EntryReferenceTable, law: GuidanceEntry, where: str) -> None:
    """Refuses influence coefficients that would steer the wrong way, above the speed to which they are used.

    Raises:
        InputError: More drag than the reference must shorten the range, a faster climb and more lift must lengthen it.
    """
    for key, sign, said in (
        ("of_drag", -1.0, "F1 < 0, since more drag shortens the range"),
        ("of_height_rate", 1.0, "F2 > 0, since a faster climb lengthens the range"),
        ("of_lift", 1.0, "F3 > 0, since more lift lengthens the range"),
    ):
        values, speed = np.asarray(getattr(table, key)), np.asarray(table.speed)
        wrong = np.flatnonzero((values * sign <= 0.0) & (speed > law.heading_speed))
        if len(wrong):
            i = wrong[-1]
            raise InputError(
                f"{where}.reference.{key}", f"{values[i]:.4g} at {speed[i]:.0f} m/s has the wrong sign", said,
                "leave reference out, so that it is computed, or compute it again with planetfall entry reference",
            )  # fmt: skip


def bank_cosine(law: GuidanceEntry, bank: float) -> Callable[[float], float]:
    """Cosine of the reference's bank angle over speed [m/s]."""
    above, below = float(np.cos(bank)), float(np.cos(np.radians(law.heading_reference_deg)))
    return lambda speed: above if speed > law.heading_speed else below


def fly(
    entry: PlanarEntry, law: GuidanceEntry, start: np.ndarray, bank: float, extra: float = 0.0, begin: float = 0.0
) -> tuple[list[tuple[np.ndarray, np.ndarray]], float | None]:
    """Flies from a state [4] to the speed of the trigger: pieces (times, states [n, 4]) between kinks, and the end.

    The end is the instant [s] at which the speed is reached; None if it is given up before.
    """
    from scipy.integrate import solve_ivp

    cosine, pieces, y, t = bank_cosine(law, bank), [], np.asarray(start, dtype=float), begin
    for speed in (law.heading_speed, law.trigger_speed):
        if y[1] <= speed:
            continue

        def slow(_: float, y: np.ndarray, speed: float = speed) -> float:
            return y[1] - speed

        def low(_: float, y: np.ndarray) -> float:
            return y[3] - LOWEST_FLIGHT

        slow.terminal = low.terminal = True  # type: ignore[attr-defined]
        slow.direction = low.direction = -1.0  # type: ignore[attr-defined]
        held = cosine(0.5 * (speed + y[1]) if speed == law.trigger_speed else y[1])
        solved = solve_ivp(
            lambda _, y, held=held: entry.rates(y, held, extra), (t, LATEST), y, method="DOP853",
            events=(slow, low), rtol=TOLERANCE, atol=1e-6, dense_output=True,
        )  # fmt: skip
        if not len(solved.t_events[0]):
            return pieces, None
        times = np.linspace(t, solved.t[-1], max(2, int(np.ceil((solved.t[-1] - t) / 0.5)) + 1))
        pieces.append((times, solved.sol(times).T))
        t, y = float(solved.t[-1]), solved.y[:, -1]
    return pieces, t


def _flown_range(entry: PlanarEntry, law: GuidanceEntry, bank: float) -> float | None:
    """Range [m] to the speed of the trigger; None where that is not reached."""
    pieces, end = fly(entry, law, np.array(entry.start), bank)
    return None if end is None else float(pieces[-1][1][-1, 0])


def _too_fast(law: GuidanceEntry, where: str) -> InputError:
    return InputError(
        f"{where}.trigger_speed",
        f"the reference does not get as slow as {law.trigger_speed:g} m/s before it is "
        f"{-LOWEST_FLIGHT / 1e3:g} km below the ellipsoid or {LATEST:g} s have passed, at any bank angle",
        "a speed that the capsule reaches in flight",
        "raise trigger_speed, or make the entry shallower",
    )


def _points(entry: PlanarEntry, law: GuidanceEntry, bank: float) -> EntryReference:
    """The reference at a bank angle, from its largest speed on."""
    pieces, end = fly(entry, law, np.array(entry.start), bank)
    assert end is not None
    times = np.concatenate([piece[0][: None if piece is pieces[-1] else -1] for piece in pieces])
    states = np.concatenate([piece[1][: None if piece is pieces[-1] else -1] for piece in pieces])
    fastest = int(np.argmax(states[:, 1]))
    times, states = times[fastest:], states[fastest:]
    kinks = tuple(float(piece[0][-1]) for piece in pieces[:-1])
    found = influence(entry, times, states, bank_cosine(law, bank), kinks)
    loads = np.array([entry.loads(y[1], y[3]) for y in states])
    cosine = np.array([bank_cosine(law, bank)(y[1]) for y in states])
    kept = np.unique(np.linspace(0, len(times) - 1, N_POINTS).round().astype(int))[::-1]
    s, speed, path, height = states[kept].T
    return EntryReference(
        bank=float(bank),
        start_range=float(states[-1, 0]),
        speed=speed,
        range_to_go=float(states[-1, 0]) - s,
        drag=loads[kept, 0],
        height_rate=speed * np.sin(path),
        lift_ratio=(loads[:, 1] * cosine)[kept],
        of_drag=found.of_drag[kept],
        of_height_rate=found.of_height_rate[kept],
        of_lift=found.of_lift[kept],
        height=height,
        path=path,
        time=times[kept],
    )
