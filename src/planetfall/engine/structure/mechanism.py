"""What a mechanism is: a thing that adds states, forces or variables to bodies, described by one record.

The hooks of a record are *factories*: they are called with a `StateSlot`, which says where the mechanism's numbers
stand in the state vector, and give a `@wp.func`. Every hook has one signature for all mechanisms (`SIGNATURES`), and a
function that differs from it is refused when the kernel is put together. The mechanisms of a scenario are chained head
and tail (`engine.mechanisms.chain`); a hook that is absent costs nothing.

The record is made by a factory of its own that is cached on whatever changes the code (number of bodies, kinds of
tables), so that equal mechanisms are the same object and share a kernel. No physical number may be in it: those are in
`params`, filled in by `fill`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.contact.model import ContactLaw
from planetfall.engine.structure.start import Start
from planetfall.engine.structure.work_accounts import ACCOUNTS, WorkAccount
from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario

SIGNATURES = {
    "wrench": ("params", "y", "body", "t", "t_branch", "state", "environment"),
    "rates": ("dy", "params", "y", "body", "t", "t_branch", "state", "environment"),
    "after_step": ("y", "params", "body", "t", "state", "environment"),
    "observe": ("params", "y", "body", "t", "state", "environment", "values", "frame", "column"),
    "next_break": ("params", "t"),
    "power": ("params", "y", "body", "t", "t_branch", "state", "environment"),
    "momentum": ("params", "y", "body"),
    "energy": ("params", "y", "body", "energy"),
    "inner_rates": ("dy", "params", "y", "body", "t", "t_branch", "turning"),
    "stop": ("numbers", "params", "body"),
    "margin": ("params", "y", "body", "t", "t_branch", "state", "environment"),
    "error": ("y", "error", "step"),
}
"""What the function of each hook takes, in order."""


@dataclass(frozen=True)
class StateSlot:
    """Where the numbers of a mechanism stand: from `offset` on in a state of the Warp type `vector`.

    `work`: index of the integral of its own account, for energy that `after_step` puts in or takes; -1 if not kept.
    """

    vector: Any
    offset: int
    work: int = -1


@dataclass(frozen=True)
class RecordedVariable:
    """A history that a mechanism adds to datasets, of every body.

    Attributes:
        name: In the dataset, with the dimensions (time, body), or (time, body, axis) for a vector.
        unit: SI.
        meaning: Its `long_name`.
        frame: "S" for components in the surface frame, "B" in the body's, "" for what has no direction.
        size: 1, or 3 for a vector.
    """

    name: str
    unit: str
    meaning: str
    frame: str = ""
    size: int = 1


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
            fills in the rates of what belongs to that body. A rate that is not filled in must be zero.
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
        stop: Factory of `@wp.func (numbers, params, body)`: sets to zero what of the state, or of its rates, moves in a
            body that is stopped at once.
        next_break: Factory of `@wp.func (params, t) -> time [s]`: first instant after t at which a rate or force has a
            kink in time, or one beyond any run; adaptive steps end there.
        margin: Factory of `@wp.func (params, y, body, t, t_branch, state, environment) -> number`, positive until
            `after_step` has something to do for a body, or until a force has a kink that depends on the state; adaptive
            steps end where it falls to zero. Continuous along the motion; beyond 1e299 where nothing is ahead.
        after_step: Factory of `@wp.func (y, params, body, t, state, environment)`, called between steps for each body:
            may change the mechanism's own numbers, such as a running maximum.
        error: Factory of `@wp.func (y, error, step: StepParams) -> float64`: the largest of the errors of its states,
            each over its own scale, for the control of adaptive steps. Without it its states have no say.
        variables: What it adds to datasets.
        observe: Factory of `@wp.func (params, y, body, t, state, environment, values, frame, column)`: writes the
            variables of a body from `values[frame, column]` on, in order, a vector as three numbers.
        held_body: Index of a body whose attitude it prescribes between steps, so that nothing turns it in a step;
            forces on such a body act through its centre of mass.
        switches: What flight software may command of it, by name, each with the index of the number in its state that
            the command sets to 1; `after_step` does what is commanded.
        state_variables: Histories of its numbers in the state.
        results: Numbers that it adds to summaries and to the rows of campaigns.
        results_of: `(numbers [run, n_states]) -> [run]` by name of each of `results`, from its numbers when the runs
            ended; NaN for what did not happen.
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
    stop: Hook | None = None
    next_break: Hook | None = None
    margin: Hook | None = None
    after_step: Hook | None = None
    error: Hook | None = None
    variables: tuple[RecordedVariable, ...] = ()
    observe: Hook | None = None
    held_body: int | None = None
    switches: tuple[tuple[str, int], ...] = ()
    state_variables: tuple[StateVariable, ...] = ()
    results: tuple[ResultNumber, ...] = ()
    results_of: Callable[[np.ndarray], dict[str, np.ndarray]] | None = None
    check: Callable[[Scenario], None] | None = None
    rounds_alike: bool = False

    def __post_init__(self) -> None:
        """Refuses a record that misses a hook which others of its hooks need."""
        for needs, given, missing in (
            ("n_states", self.n_states > 0, "initial"),
            ("n_states", self.n_states > 0 and self.inner_rates is None, "rates"),
            ("momentum", self.momentum is not None, "energy"),
            ("momentum", self.momentum is not None, "stop"),
            ("power", self.power is not None, "wrench"),
            ("wrench", self.wrench is not None, "account"),
            ("variables", bool(self.variables), "observe"),
            ("results", bool(self.results), "results_of"),
            ("switches", bool(self.switches), "after_step"),
        ):
            if given and getattr(self, missing) is None:
                raise TypeError(f"mechanism {self.name!r} has {needs} and no {missing}; give {missing}, too")
        of_states = ("initial", "rates", "inner_rates", "momentum", "energy", "stop", "margin", "after_step", "error")
        for hook in (*of_states, "results_of"):
            if getattr(self, hook) is not None and self.n_states == 0:
                raise TypeError(f"mechanism {self.name!r} has {hook} and no states; give n_states, or leave {hook} out")
        if self.observe is not None and not self.variables:
            raise TypeError(f"mechanism {self.name!r} has observe and no variables; give variables, too")
        if self.wrench is None and self.rates is None and self.observe is None:
            raise TypeError(f"mechanism {self.name!r} does nothing; give wrench, rates or observe")

    @property
    def n_columns(self) -> int:
        """Numbers that `observe` writes for one body."""
        return sum(variable.size for variable in self.variables)

    def function(self, hook: str, slot: StateSlot) -> Any:
        """The function of a hook that is there; refused if it does not take what such a hook is given."""
        made = getattr(self, hook)(slot)
        expected = SIGNATURES[hook]
        if len(made.input_types) != len(expected):
            raise TypeError(
                f"mechanism {self.name!r}: the function of {hook} takes ({', '.join(made.input_types)}); it is called "
                f"with ({', '.join(expected)})"
            )
        return made


@wp.struct
class NoMechanisms:
    """The end of the chain; a struct needs a member."""

    count: wp.int32


@lru_cache
def chained_params(mechanisms: tuple[Mechanism, ...]) -> Any:
    """`@wp.struct` class with the numbers of the first mechanism as `head` and those of the others as `tail`."""
    if not mechanisms:
        return NoMechanisms
    own, rest = mechanisms[0].params, chained_params(mechanisms[1:])

    @wp.struct
    class MechanismParams:
        head: own
        tail: rest

    return MechanismParams


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
