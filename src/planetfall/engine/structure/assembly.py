"""What a kernel is assembled from: the choice of models. Every number is in its `params` (`structure.run_params`)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from planetfall.contact.model import ContactLaw
from planetfall.engine.structure.code_plan import CodePlan
from planetfall.engine.structure.mechanism import Mechanism, PeakNumber, account_of, accounts_with
from planetfall.engine.structure.run_params import run_params
from planetfall.engine.structure.state_layout import StateLayout, layout
from planetfall.engine.structure.state_sizes import JOINT_SIZE
from planetfall.engine.structure.work_accounts import WORK_ANCHOR, WorkAccount
from planetfall.flight.detectors.detector import DETECTOR_NONE, DetectorModel
from planetfall.flight.model import FLIGHT_NONE, FlightModel
from planetfall.flight.sensors.model import SensorModel
from planetfall.world.environment import AIR_NONE, AirModel
from planetfall.world.gravity.model import GravityModel
from planetfall.world.terrain.model import TerrainModel


@dataclass(frozen=True)
class Assembly:
    """The choice of models from which a kernel is compiled; equal assemblies share one kernel.

    Attributes:
        gravity: Gravity field.
        terrain: Terrain.
        law: Contact law.
        mechanisms: What acts on the bodies beside gravity and ground, in the order of the state.
        air: Of the target.
        points_per_body: Number of contact points on each body, in order.
        has_spin: Whether the surface frame rotates.
        has_diagonal_inertia: Whether every body's inertia is diagonal in its own axes.
        method: `rk4` or `adaptive`.
        is_recorded: Whether frames, events and the energy account are kept along the way.
        sensors: Kinds of the sensors, in order.
        detector: Landing detector.
        flight: Controller.
        is_split: Whether each part of a step is a kernel of its own (see `gpu.split_method`).
        has_end_altitude: Whether a height over the ellipsoid ends the run (see `solver.end_altitude`).
        may_crash: Whether bodies that hit the ground too fast are stopped (see `motion.crash`).
        configured_by: Which of the vehicles that start attached something counts by (see `scenario.configurations`).
        point_conditions: Bits of those that must be attached and released for each contact point to count; empty
            where all of them count always.
    """

    gravity: GravityModel
    terrain: TerrainModel
    law: ContactLaw
    points_per_body: tuple[int, ...]
    has_spin: bool
    has_diagonal_inertia: bool
    method: str
    is_recorded: bool
    mechanisms: tuple[Mechanism, ...] = ()
    air: AirModel = AIR_NONE
    sensors: tuple[SensorModel, ...] = ()
    detector: DetectorModel = DETECTOR_NONE
    flight: FlightModel = FLIGHT_NONE
    is_split: bool = False
    has_end_altitude: bool = False
    may_crash: bool = False
    configured_by: tuple[int, ...] = ()
    point_conditions: tuple[tuple[int, int], ...] = ()

    def is_drained(self, i_body: int) -> bool:
        """Whether mass leaves a body as time goes on: propellant."""
        return any(m.mass is not None and m.on_bodies[i_body] for m in self.mechanisms)

    def has_joint(self, i_body: int) -> bool:
        """Whether something swings in a body, such as an eccentric arm."""
        return any(m.joint is not None and m.on_bodies[i_body] for m in self.mechanisms)

    def loses_mass(self, i_body: int) -> bool:
        """Whether mass leaves a body: propellant, or a vehicle that was attached."""
        return self.is_drained(i_body) or self.carries(i_body)

    def carries(self, i_body: int) -> bool:
        """Whether other bodies may be fixed to a body."""
        return any(m.carried is not None and m.on_bodies[i_body] for m in self.mechanisms)

    def is_attachable(self, i_body: int) -> bool:
        """Whether a body may be fixed to another."""
        return any(bool(m.carried_bodies) and m.carried_bodies[i_body] for m in self.mechanisms)

    @property
    def has_attachable(self) -> bool:
        """Whether some body may be fixed to another."""
        return any(self.is_attachable(i) for i in range(self.n_bodies))

    def is_held(self, i_body: int) -> bool:
        """Whether a mechanism prescribes the attitude of a body."""
        return any(mechanism.held_body == i_body for mechanism in self.mechanisms)

    @property
    def switches(self) -> tuple[tuple[str, int], ...]:
        """What flight software may command of mechanisms, by name, with the index in the state that becomes 1."""
        return tuple(
            (name, self.layout.mechanism_offset(i) + number)
            for i, mechanism in enumerate(self.mechanisms)
            for name, number in mechanism.switches
        )

    @property
    def peaks(self) -> tuple[PeakNumber, ...]:
        """The numbers of mechanisms of which a record has a frame where they are extreme, with indices in the state."""
        return tuple(
            PeakNumber(first + peak.sample, first + peak.extreme, peak.sign)
            for first, mechanism in ((self.layout.mechanism_offset(i), m) for i, m in enumerate(self.mechanisms))
            for peak in mechanism.peaks
        )

    def moves_center(self, i_body: int) -> bool:
        """Whether the centre of mass of a body moves in it."""
        return self.loses_mass(i_body) or self.has_joint(i_body)

    def joint_offset(self, i_body: int) -> int:
        """Index in the state of the angle of a body's joint, or of the first joint after it; -1 where there is none."""
        for i, mechanism in enumerate(self.mechanisms):
            if mechanism.joint is not None:
                return self.layout.mechanism_offset(i) + JOINT_SIZE * sum(mechanism.on_bodies[:i_body])
        return -1

    @property
    def n_joints(self) -> int:
        """Number of joints in bodies; their numbers in the state stand side by side."""
        return sum(self.has_joint(i) for i in range(self.n_bodies))

    @property
    def yields(self) -> bool:
        """Whether a push at the reference point of some body turns it, or moves something inside."""
        return any(self.moves_center(i) for i in range(self.n_bodies))

    @property
    def n_bodies(self) -> int:
        """Number of rigid bodies."""
        return len(self.points_per_body)

    @property
    def keeps_forces(self) -> bool:
        """Whether a sensor reads the forces on contact points."""
        return any(sensor.reads_forces for sensor in self.sensors)

    @property
    def n_points(self) -> int:
        """Number of contact points over all bodies."""
        return sum(self.points_per_body)

    @property
    def point_starts(self) -> tuple[int, ...]:
        """Index of the first point of each body, and the total."""
        return tuple(sum(self.points_per_body[:i]) for i in range(self.n_bodies + 1))

    @property
    def is_mode_locked(self) -> bool:
        """Whether contact modes stay fixed during a step (event location) instead of being judged in every stage."""
        return self.method == "adaptive"

    @property
    def locates_peaks(self) -> bool:
        """Whether peaks of force and depth are located inside steps; else they are the largest of samples."""
        return self.is_mode_locked and not self.law.is_anchored

    @property
    def has_torques(self) -> bool:
        """Whether anything but the ground turns a body."""
        return bool(self.mechanisms)

    @property
    def n_columns(self) -> int:
        """Numbers that mechanisms add to a frame when it is observed, of all bodies and then of parts."""
        return self.n_body_columns + sum(mechanism.n_part_columns for mechanism in self.mechanisms)

    @property
    def n_body_columns(self) -> int:
        """Numbers that mechanisms add to a frame when it is observed, of all bodies."""
        return self.n_bodies * sum(mechanism.n_columns for mechanism in self.mechanisms)

    @property
    def has_links(self) -> bool:
        """Whether something pulls on several bodies at once, such as a tether."""
        return any(mechanism.link is not None for mechanism in self.mechanisms)

    @property
    def has_rotors(self) -> bool:
        """Whether parts turn inside bodies and hold angular momentum."""
        return any(mechanism.momentum is not None for mechanism in self.mechanisms)

    @property
    def changes_after_steps(self) -> bool:
        """Whether a mechanism changes its numbers between steps."""
        return any(mechanism.after_step is not None for mechanism in self.mechanisms)

    @property
    def rounds_alike(self) -> bool:
        """Whether a run is made of operations that every device rounds alike: no logarithm, no function of an angle.

        Noise of sensors, detectors and controllers have some.
        """
        of_models = self.law.rounds_alike and self.gravity.rounds_alike and self.air.rounds_alike
        of_mechanisms = all(mechanism.rounds_alike for mechanism in self.mechanisms)
        return of_models and of_mechanisms and not (self.sensors or self.flight.is_flown)

    @property
    def has_configured_points(self) -> bool:
        """Whether contact points count in some configurations only (see `contact.configured_points`)."""
        return bool(self.point_conditions)

    def configures_points(self, i_body: int) -> bool:
        """Whether some of them are on a body."""
        first, last = self.point_starts[i_body], self.point_starts[i_body + 1]
        return any(condition != (0, 0) for condition in self.point_conditions[first:last])

    @property
    def books(self) -> bool:
        """Whether evaluations make or take stored energy, which goes into the energy account.

        By renewing the law's memory, and by contact points that begin or cease to count.
        """
        return self.law.is_anchored or self.has_configured_points

    @property
    def booked_index(self) -> int:
        """Index in the state of the account of that energy: of a law with a memory its own, else of separations."""
        carried = (m.account for m in self.mechanisms if m.carried is not None)
        account = WORK_ANCHOR if self.law.is_anchored else next(carried, None)
        return -1 if account is None else self.layout.work_index(account)

    @property
    def memory_account(self) -> WorkAccount:
        """Under which the power of the law's memory is booked."""
        return account_of(self.law) or WORK_ANCHOR

    @property
    def works(self) -> tuple[WorkAccount, ...]:
        """Accounts of work whose integrals are part of the state: all in a recorded run, else those that put energy in.

        Work of what can only take energy has no part in whether energy rises.
        """
        accounts = accounts_with(self.mechanisms, self.law)
        if self.is_recorded:
            return accounts
        used = {mechanism.account for mechanism in self.mechanisms} | ({WORK_ANCHOR} if self.law.is_anchored else set())
        return tuple(account for account in accounts if account.puts_in and account in used)

    @cached_property
    def plan(self) -> CodePlan:
        """How its kernels are compiled."""
        return CodePlan(self)

    @cached_property
    def layout(self) -> StateLayout:
        """State vector of this assembly."""
        n_states = tuple(mechanism.n_states for mechanism in self.mechanisms)
        if not self.configured_by:
            return layout(self.n_bodies, n_states, self.works)
        plain = layout(self.n_bodies, n_states, self.works)
        attached = [plain.mechanism_offset(i) + at for i, m in enumerate(self.mechanisms) for at in m.attached_at]
        return layout(self.n_bodies, n_states, self.works, tuple(attached[k] for k in self.configured_by))

    @cached_property
    def law_mode(self) -> Any:
        """The law's `mode` function for this number of bodies."""
        if self.law.keeps_dent and self.law.mode is not None:
            return self.law.mode(self.law.params(self.n_bodies), self.is_mode_locked)
        return self._of_law(self.law.mode)

    @cached_property
    def law_contact(self) -> Any:
        """The law's `contact` function for this number of bodies."""
        return self._of_law(self.law.contact)

    @cached_property
    def law_resultant(self) -> Any:
        """The law's `resultant` function for this number of bodies."""
        if self.law.resultant is None:
            return None
        return self.law.resultant(self.law.params(self.n_bodies), self.yields, self.has_diagonal_inertia)

    @cached_property
    def law_returned(self) -> Any:
        """The law's `returned` function for this number of bodies; None where it gives nothing back."""
        return self._of_law(self.law.returned)

    @property
    def has_moving_anchors(self) -> bool:
        """Whether saved places of an anchored law are numbers of the state, which move as time goes on."""
        return self.law.is_anchored and self.is_mode_locked

    @property
    def anchor_offset(self) -> int:
        """Index in the state of the first saved place, three numbers for each point; -1 where they are not in it."""
        for i, mechanism in enumerate(self.mechanisms):
            if mechanism.holds_anchors:
                return self.layout.mechanism_offset(i)
        return -1

    @cached_property
    def law_located(self) -> Any:
        """The functions of an anchored law for a method that locates events."""
        return self._of_law(self.law.located)

    @cached_property
    def law_anchored(self) -> Any:
        """The law's `anchored_contact` function for this number of bodies and this method."""
        return self.law_located.contact if self.has_moving_anchors else self._of_law(self.law.anchored_contact)

    @cached_property
    def law_renew(self) -> Any:
        """The law's `renew` function for this number of bodies and this method."""
        return self.law_located.renew if self.has_moving_anchors else self._of_law(self.law.renew)

    def _of_law(self, function: Callable[[Any], Any] | None) -> Any:
        return function(self.law.params(self.n_bodies)) if function is not None else None

    @cached_property
    def params(self) -> Any:
        """The `@wp.struct` class that holds every number of a run."""
        return run_params(
            self.gravity.params, self.terrain.params, self.law.params(self.n_bodies), self.mechanisms, self.air,
            self.sensors, self.detector, self.flight, self.n_bodies,
        )  # fmt: skip
