"""What a mechanism is: a thing that adds states, forces or variables to bodies, described by one record.

The hooks of a record are *factories*: they are called with a `StateSlot`, which says where the mechanism's numbers
stand in the state vector, and give a `@wp.func`. Every hook has one signature for all mechanisms (`structure.hooks`),
and a function that differs from it is refused when the kernel is put together. The hooks of a scenario's mechanisms are
called one after the other (`engine.mechanisms.chain`); a hook that is absent costs nothing.

The record is made by a factory of its own that is cached on whatever changes the code (number of bodies, kinds of
tables), so that equal mechanisms are the same object and share a kernel. No physical number may be in it: those are in
`params`, filled in by `fill`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from planetfall.compute.draft import Draft
from planetfall.contact.model import ContactLaw
from planetfall.engine.structure.hooks import HOOKS
from planetfall.engine.structure.start import Start
from planetfall.engine.structure.state_sizes import JOINT_SIZE
from planetfall.engine.structure.work_accounts import ACCOUNTS, WorkAccount
from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario


@dataclass(frozen=True)
class StateSlot:
    """Where the numbers of a mechanism stand: from `offset` on in a state of the Warp type `vector`.

    `work`: index of the integral of its own account, for energy that `after_step` puts in or takes; -1 if not kept.
    `body`: `@wp.func (y, body) -> BodyState` of any body, for what acts between bodies.
    """

    vector: Any
    offset: int
    work: int = -1
    body: Any = None


@dataclass(frozen=True)
class RecordedVariable:
    """A history that a mechanism adds to datasets, of every body.

    Attributes:
        name: In the dataset, with the dimensions (time, body), or (time, body, axis) for a vector.
        unit: SI.
        meaning: Its `long_name`.
        frame: "S" for components in the surface frame, "B" in the body's, "" for what has no direction.
        size: 1, or 3 for a vector.
        is_of_free: Whether it is NaN while its body is fixed to another one, which then feels the forces on both.
    """

    name: str
    unit: str
    meaning: str
    frame: str = ""
    size: int = 1
    is_of_free: bool = False


@dataclass(frozen=True)
class StateVariable:
    """A history of numbers that a mechanism has in the state, along a dimension of its own.

    Attributes:
        name: In the dataset, with the dimensions time and `dim`.
        unit: SI.
        meaning: Its `long_name`.
        frame: As of `RecordedVariable`.
        dim: Name of the dimension, one place for each part.
        labels: `(scenario) -> names` of the parts.
        first: Which number of a part it is.
        step: How many numbers a part has.
    """

    name: str
    unit: str
    meaning: str
    frame: str
    dim: str
    labels: Callable[[Scenario], list[str]]
    first: int = 0
    step: int = 1


@dataclass(frozen=True)
class PartVariable:
    """A history that a mechanism observes of its parts, along a dimension of their own.

    Attributes:
        name: In the dataset, with the dimensions time and `dim`.
        unit: SI.
        meaning: Its `long_name`.
        dim: Name of the dimension, one place for each part.
    """

    name: str
    unit: str
    meaning: str
    dim: str


@dataclass(frozen=True)
class LocatedEvent:
    """Events of one kind, one for each of `count` parts: numbers whose fall to zero ends an adaptive step.

    A mechanism that is on one smooth branch at a time (a tether that is slack or taut, a tank that has propellant or
    has none) says by them how far the end of its branch is. The branch is locked during a step. Where a trial step
    would carry a number through zero, the step is taken anew, to end there (`solver.events.mechanism_events`); the next
    one begins with `act`, on the new branch. What happens at an instant that is known beforehand is no event but a
    *break* (`next_break`): a step ends there without a search. Contact points have modes of their own and are searched
    for together, since most of them are far from the ground (`solver.events.contact_events`); how a step is taken anew
    is the same for both.

    Attributes:
        name: For readers and messages.
        count: How many there are: of a scenario's tethers, say, one each.
        value: `@wp.func (i, t, t_branch, y, params) -> number`, positive until event i happens; `params` are those of
            its mechanism. A continuous function of time and state while the branch is locked, in any unit.
        act: `@wp.func (i, t, t_branch, y, params)`: puts event i into effect. Called at the beginning of every step at
            which its value is not positive; after it, the value is positive again.
    """

    name: str
    count: int
    value: Any
    act: Any


@dataclass(frozen=True)
class ResultNumber:
    """A number that a mechanism adds to what is told of a finished run.

    Attributes:
        name: In summaries, with its unit at the end (`peak_heating_W_m2`); a dot puts it into a table of the summary.
            In the rows of a campaign it stands after `out.`.
        unit: SI.
        meaning: For people; says what NaN stands for.
    """

    name: str
    unit: str
    meaning: str


@dataclass(frozen=True)
class PeakNumber:
    """A number of a mechanism's state that it samples in `after_step`, with the extreme of its samples so far.

    A record has a frame at the sample that is the extreme, so that the histories that are observed reach it.

    Attributes:
        sample: Index of the last sample in the mechanism's part of the state.
        extreme: Index of the extreme so far; not beyond the sample where that is the extreme.
        sign: 1 where the largest is kept, -1 where the least is.
    """

    sample: int
    extreme: int
    sign: int = 1


Hook = Callable[[StateSlot], Any]


@dataclass(frozen=True)
class Mechanism:
    """A mechanism of a scenario.

    Attributes:
        name: Of its kind, for messages.
        params: `@wp.struct` class of its numbers.
        fill: `(scenario, start) -> Draft` of `params`.
        reads: How the keys of a scenario begin that `fill` reads (`vehicle.` for any vehicle): what is dispersed there
            is made anew for every run of a campaign. The start itself is not among them.
        n_states: How many numbers it has in the state, of all bodies together.
        initial: `(scenario) -> [n_states]` their values at time zero.
        rates: Factory of `@wp.func (dy, params, y, body, t, t_branch, state, environment)`, called once for each body:
            fills in the rates of what belongs to that body. A rate that is not filled in is zero: numbers that change
            between steps alone, in `after_step`, need no rates.
        wrench: Factory of `@wp.func (params, y, body, t, t_branch, state, environment) -> Wrench`: the force [N] on a
            body, surface frame, and the torque [N m] about its reference point, body axes; zero for a body without it.
        account: Under which the power of the wrench is booked.
        power: Factory of `@wp.func (params, y, body, t, t_branch, state, environment) -> float64` [W]: what is booked
            in place of the wrench's own power, where parts inside a body are driven.
        momentum: Factory of `@wp.func (params, y, body) -> vec3d`: angular momentum [N m s], body axes, that parts
            inside a body hold beside it.
        energy: Factory of `@wp.func (params, y, body, energy) -> float64`: `energy` [J] and that which those parts have
            by turning in the body.
        inner_rates: Factory of `@wp.func (dy, params, y, body, t, t_branch, turning)`: fills in rates that depend on
            how the body turns, `turning` being its inertial angular acceleration [rad/s^2], body axes.
        push: Factory of `@wp.func (params, y, body, push: Wrench) -> Wrench`: `push` and the force [N] that it has on a
            body whose mass may change, in *body* axes, with the torque about its reference point.
        mass: Factory of `@wp.func (params, y, body, mass, inertia) -> MassProperties` of the bodies `on_bodies`, from
            the `mass` [kg] and `inertia` [kg m^2] at the start; only one mechanism of a scenario may have it.
        outflow: Factory of `@wp.func (params, y, body) -> MassFlow`: what leaves such a body.
        carried: Factory of `@wp.func (params, y, body, properties) -> MassProperties` of a body `on_bodies` with the
            other bodies that are fixed to it now; those have energies of their own.
        carrier: Factory of `@wp.func (params, y, body) -> int`: the body to which one is fixed now, or -1.
        carried_rates: Factory of `@wp.func (dy, params, y)`: gives these the rates that those of their carriers make.
        carried_bodies: Which bodies may be fixed to others, in order; empty where none may.
        attached_at: Index, in its part of the state, of the number of each of these that is 1 while it is fixed.
        state_rates: Factory of `@wp.func (dy, params, y, t, t_branch)`: fills in rates that depend on the state alone;
            called once for all bodies.
        link: Factory of `@wp.func (dy, params, y, t, t_branch, wrenches)`: what it does to several bodies at once,
            added to `wrenches` with the energy that it stores (`structure.link_wrenches`), and the rates of its own
            numbers, in which it books its work; called once for all bodies.
        stored: Factory of `@wp.func (params, y, t) -> float64`: the energy [J] that a `link` stores, for datasets.
        put_in: Factory of `@wp.func (y, params, energy) -> float64`: `energy` [J] less the work that a link has put in.
        after_frame: Factory of `@wp.func (y, params, t)`, called at the end of each fixed step when its frame has been
            recorded, for what is an event of an adaptive one.
        part_variables: What it adds to datasets of its `n_parts` parts.
        observe_parts: Factory of `@wp.func (params, y, t, values, frame, column)`: writes these from
            `values[frame, column]` on, the first variable of all parts, then the next.
        before_step: Factory of `@wp.func (y, params)`, called before each fixed step, for what is an event of an
            adaptive one.
        events: `(slot) -> events` that adaptive steps locate.
        check_commands: Factory of `@wp.func (params, commands, run)`: sets `commands.fault` where flight software asks
            for what cannot be.
        obey: Factory of `@wp.func (y, params, t, commands, run)`: takes up what flight software commands.
        joint: Factory of `@wp.func (params, body, mass, center_B, state) -> ArmGeometry` of a part that swings in a
            body, whose `mass` [kg] and centre of mass [m] are those with the joint at angle zero; `state` has the
            joint's angle and speed, which are the mechanism's numbers in the state, two for each body `on_bodies`.
        joint_torque: Factory of `@wp.func (params, body, t, t_branch, state) -> float64` [N m] of the joint's motor.
        on_bodies: Which bodies it changes the mass or the centre of mass of, in order; empty where it does not.
        stop: Factory of `@wp.func (numbers, params, body)`: sets to zero what of the state, or of its rates, moves in a
            body that is stopped at once.
        next_break: Factory of `@wp.func (params, t) -> time [s]`: first instant after t at which a rate or force has a
            kink in time, or one beyond any run; adaptive steps end there.
        margin: Factory of `@wp.func (params, y, body, t, t_branch, state, environment) -> number`, positive until
            `after_step` has something to do for a body, or until a force has a kink that depends on the state; adaptive
            steps end where it falls to zero. Continuous along the motion; beyond 1e299 where nothing is ahead.
        awaits: Factory of `@wp.func (params, y, body) -> int`: 1 where `margin` has something ahead for a body. Where
            no mechanism has, its surroundings are not looked at; without this hook there always may be.
        after_step: Factory of `@wp.func (y, params, body, t, state, environment)`, called between steps for each body:
            may change the mechanism's own numbers, such as a running maximum.
        acts_on: Bodies that `wrench`, `power`, `rates`, `margin`, `awaits` and `after_step` have something to do for;
            None: all of them. They are not called for others.
        error: Factory of `@wp.func (params, y, error, step: StepParams) -> float64`: the largest of the errors of its
            states, each over its own scale, for the control of adaptive steps. Without it its states have no say.
        variables: What it adds to datasets.
        observe: Factory of `@wp.func (params, y, body, t, state, environment, values, frame, column)`: writes the
            variables of a body from `values[frame, column]` on, in order, a vector as three numbers.
        holds_anchors: Whether its numbers are the saved places of an anchored contact law, three for each point.
        held_body: Index of a body whose attitude it prescribes between steps, so that nothing turns it in a step;
            forces on such a body act through its centre of mass.
        switches: What flight software may command of it, by name, each with the index of the number in its state that
            the command sets to 1; `after_step` does what is commanded.
        state_variables: Histories of its numbers in the state.
        results: Numbers that it adds to summaries and to the rows of campaigns.
        results_of: `(numbers [run, n_states]) -> [run]` by name of each of `results`, from its numbers when the runs
            ended; NaN for what did not happen.
        peaks: Numbers of its state of which a record has a frame where they are extreme.
        check: `(scenario)`: raises an `InputError` for what cannot be simulated.
        rounds_alike: Whether all of it is made of operations that every device rounds alike.

    `state` (a `BodyState`) is that of the body's reference point: the centre of mass at the start. `t_branch` is an
    instant inside the step, by which a row of a table is chosen, so that no stage sees the far side of a jump.
    """

    name: str
    params: Any
    fill: Callable[[Scenario, Start], Draft]
    reads: tuple[str, ...]
    n_states: int = 0
    initial: Callable[[Scenario], np.ndarray] | None = None
    rates: Hook | None = None
    wrench: Hook | None = None
    account: WorkAccount | None = None
    power: Hook | None = None
    momentum: Hook | None = None
    energy: Hook | None = None
    inner_rates: Hook | None = None
    push: Hook | None = None
    mass: Hook | None = None
    outflow: Hook | None = None
    carried: Hook | None = None
    carrier: Hook | None = None
    carried_rates: Hook | None = None
    carried_bodies: tuple[bool, ...] = ()
    attached_at: tuple[int, ...] = ()
    state_rates: Hook | None = None
    link: Hook | None = None
    stored: Hook | None = None
    put_in: Hook | None = None
    after_frame: Hook | None = None
    part_variables: tuple[PartVariable, ...] = ()
    n_parts: int = 0
    observe_parts: Hook | None = None
    before_step: Hook | None = None
    events: Callable[[StateSlot], tuple[LocatedEvent, ...]] | None = None
    check_commands: Hook | None = None
    obey: Hook | None = None
    joint: Hook | None = None
    joint_torque: Hook | None = None
    on_bodies: tuple[bool, ...] = ()
    stop: Hook | None = None
    next_break: Hook | None = None
    margin: Hook | None = None
    awaits: Hook | None = None
    after_step: Hook | None = None
    acts_on: tuple[int, ...] | None = None
    error: Hook | None = None
    variables: tuple[RecordedVariable, ...] = ()
    observe: Hook | None = None
    holds_anchors: bool = False
    held_body: int | None = None
    switches: tuple[tuple[str, int], ...] = ()
    state_variables: tuple[StateVariable, ...] = ()
    results: tuple[ResultNumber, ...] = ()
    results_of: Callable[[np.ndarray], dict[str, np.ndarray]] | None = None
    peaks: tuple[PeakNumber, ...] = ()
    check: Callable[[Scenario], None] | None = None
    rounds_alike: bool = False

    def __post_init__(self) -> None:
        """Refuses a record that misses a hook which others of its hooks need."""
        for needs, given, missing in (
            ("n_states", self.n_states > 0, "initial"),
            ("mass", self.mass is not None, "outflow"),
            ("link", self.link is not None, "stored"),
            ("link", self.link is not None, "put_in"),
            ("part_variables", bool(self.part_variables), "observe_parts"),
            ("carried", self.carried is not None, "carrier"),
            ("carried", self.carried is not None, "carried_rates"),
            ("push", self.push is not None, "account"),
            ("joint", self.joint is not None, "joint_torque"),
            ("joint", self.joint is not None, "account"),
            ("momentum", self.momentum is not None, "energy"),
            ("momentum", self.momentum is not None, "stop"),
            ("power", self.power is not None, "wrench"),
            ("wrench", self.wrench is not None, "account"),
            ("awaits", self.awaits is not None, "margin"),
            ("variables", bool(self.variables), "observe"),
            ("results", bool(self.results), "results_of"),
            ("peaks", bool(self.peaks), "after_step"),
            ("switches", bool(self.switches), "after_step"),
        ):
            if given and getattr(self, missing) is None:
                raise TypeError(f"mechanism {self.name!r} has {needs} and no {missing}; give {missing}, too")
        of_change = ("rates", "inner_rates", "state_rates", "joint", "link", "after_step", "error")
        if self.n_states > 0 and all(getattr(self, hook) is None for hook in of_change):
            raise TypeError(f"mechanism {self.name!r} has n_states and nothing changes them; give rates or after_step")
        if self.joint is not None and self.n_states != JOINT_SIZE * sum(self.on_bodies):
            raise TypeError(
                f"mechanism {self.name!r} has a joint on {sum(self.on_bodies)} bodies and {self.n_states} states"
            )
        of_states = (
            "initial", "rates", "inner_rates", "joint", "momentum", "energy", "stop", "margin", "after_step", "error",
        )  # fmt: skip
        for hook in (*of_states, "results_of"):
            if getattr(self, hook) is not None and self.n_states == 0:
                raise TypeError(f"mechanism {self.name!r} has {hook} and no states; give n_states, or leave {hook} out")
        if self.observe is not None and not self.variables:
            raise TypeError(f"mechanism {self.name!r} has observe and no variables; give variables, too")
        if self.n_states == 0 and all(hook is None for hook in (self.wrench, self.observe, self.push, self.link)):
            raise TypeError(f"mechanism {self.name!r} does nothing; give wrench, rates, joint or observe")

    @property
    def n_columns(self) -> int:
        """Numbers that `observe` writes for one body."""
        return sum(variable.size for variable in self.variables)

    @property
    def n_part_columns(self) -> int:
        """Numbers that `observe_parts` writes."""
        return self.n_parts * len(self.part_variables)

    def function(self, hook: str, slot: StateSlot) -> Any:
        """The function of a hook that is there; refused if it does not take what such a hook is given."""
        made = getattr(self, hook)(slot)
        expected = HOOKS[hook].takes
        if len(made.input_types) != len(expected):
            raise TypeError(
                f"mechanism {self.name!r}: the function of {hook} takes ({', '.join(made.input_types)}); it is called "
                f"with ({', '.join(expected)})"
            )
        return made


def results_of_mechanisms(mechanisms: tuple[Mechanism, ...], numbers: np.ndarray) -> dict[str, np.ndarray]:
    """What mechanisms tell of finished runs, by name, from `numbers` [run, number] as `BatchResult` has them."""
    out: dict[str, np.ndarray] = {}
    first = 0
    for mechanism in mechanisms:
        own = numbers[:, first : first + mechanism.n_states]
        first += mechanism.n_states
        if mechanism.results_of is not None:
            found = mechanism.results_of(own)
            out |= {result.name: found[result.name] for result in mechanism.results}
    return out


def account_of(law: ContactLaw) -> WorkAccount | None:
    """The account of what a contact law that keeps dents takes; None of the others."""
    return None if law.work is None else WorkAccount(*law.work, puts_in=False)


def accounts_with(mechanisms: tuple[Mechanism, ...], law: ContactLaw) -> tuple[WorkAccount, ...]:
    """All accounts of a recorded run, in the order of its state."""
    own = (*(mechanism.account for mechanism in mechanisms), account_of(law))
    return tuple(dict.fromkeys([*ACCOUNTS, *(account for account in own if account is not None)]))


def check_mechanisms(mechanisms: tuple[Mechanism, ...], scenario: Scenario) -> None:
    """Refuses what a mechanism cannot simulate, and sensors whose readings would take the name of a variable."""
    taken = {sensor.name: i for i, sensor in enumerate(scenario.sensors)}
    for mechanism in mechanisms:
        for variable in mechanism.variables:
            if variable.name in taken:
                where = f"sensors.{taken[variable.name]}.name"
                raise InputError(where, f"{variable.name} is taken by {mechanism.name}", advice="give it another name")
        if mechanism.check is not None:
            mechanism.check(scenario)
