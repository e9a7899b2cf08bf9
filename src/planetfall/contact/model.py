"""What a contact law is to the engine.

A law sees one contact point at a time, and the point's *mode*, a small integer that names the smooth branch of the law
it is on. There are two kinds of law.

An *instant* law knows nothing but the present state, in the body's axes: where the ground is, and how fast the point
moves over it. `mode` says which branch a state belongs to; `contact` evaluates one branch, smoothly continued beyond
its border. An integrator that locates events locks the modes during a step; a fixed-step one evaluates them in every
stage.

An instant law may also have a *resultant*: from what all points of a body feel together, `resultant` makes friction and
rolling resistance at one place.

It may also keep *dents* (`keeps_dent`): how deep each point has been since it came into the ground, as `ground.dent`.
That changes between steps, to the present depth where that is more.

An *anchored* law saves for each point a place (the anchor) and the plane of the ground there. `anchored_contact`
evaluates it from that memory alone, in the surface frame; `renew` brings the memory up to date, once per step and never
in a stage, and says by how much this changed the energy that the law stores. That makes a fixed step part of the law; a
method that locates events takes its limit for ever shorter steps (`located`), in which saved places are states.

The law's table in a scenario (`scenario.tables.contact`) has `sink`, `stop_speed` and `needs_gravity` beside its keys
(`laws.OF_TABLE`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.draft import Draft
from planetfall.contact.normal_response import BodyOnGround, NormalResponse, SlidingPoints
from planetfall.scenario.tables.table import Table
from planetfall.scenario.tables.vehicle.vehicle import ContactPoint

MODE_APART = wp.constant(0)
"""The mode that every law uses for a point that carries no load and is out of the ground."""

CONTACT_NONE = wp.constant(0)
CONTACT_STATIC = wp.constant(1)
CONTACT_KINETIC = wp.constant(2)
CONTACT_LOST = wp.constant(3)
"""Status, beside those of the terrain, of a point in the ground that none of its lines of sight finds."""
CONTACT_CRASHED = wp.constant(4)
"""Status of a judged vehicle that hit the ground faster than `outcome.crash_speed`."""


@wp.struct
class ContactMemory:
    """What is kept between steps for each contact point; arrays [point, run], surface frame.

    `modes` of the law. For laws that keep dents: `dent` [m], how deep each point has been since it came into the
    ground. For anchored laws: `anchor` [m], a place on the ground; the outward `normal` of the ground
    there; `facet` that it belongs to. The two together are the plane that a point feels during a step. Where stages
    pass over points far from the ground: `listed`, points of each body that the last evaluation found near it, listed
    from the place of the body's first point on; [body, run] `n_listed` of them, and the `clearance` of the others: how
    far they can go without touching [m]; and `stage_travel`: how far any point may have gone from there in this stage
    [m]. Over terrains with views: `views` [row, run], what each body saw at the last evaluation, in the rows after
    those of the bodies before it. Where bodies may crash: when each did [body, run], `crash` [s], NaN if it did not.
    """

    modes: wp.array2d(dtype=wp.int32)
    dent: wp.array2d(dtype=wp.float64)
    anchor: wp.array2d(dtype=wp.vec3d)
    normal: wp.array2d(dtype=wp.vec3d)
    facet: wp.array2d(dtype=wp.int32)
    listed: wp.array2d(dtype=wp.int32)
    n_listed: wp.array2d(dtype=wp.int32)
    clearance: wp.array2d(dtype=wp.float64)
    stage_travel: wp.float64
    views: wp.array2d(dtype=wp.vec4d)
    crash: wp.array2d(dtype=wp.float64)


@wp.struct
class AnchorGround:
    """The ground as an anchored law finds it for one point, surface frame.

    `is_touching`: 1 or 0; `place` [m]: where the point meets the ground, on the facet's plane; `normal`, outward;
    `facet` index.
    """

    is_touching: wp.int32
    place: wp.vec3d
    normal: wp.vec3d
    facet: wp.int32


@wp.struct
class AnchorMemory:
    """An anchored law's memory of one point, taken out of `ContactMemory`, and the energy [J] that renewing it made.

    `booked` > 0: stored energy that the vehicle did not pay for; < 0: lost without being given back.
    """

    mode: wp.int32
    anchor: wp.vec3d
    normal: wp.vec3d
    facet: wp.int32
    booked: wp.float64


@wp.struct
class PointContact:
    """What the ground does to one contact point.

    `force` [N] on the vehicle, in the axes that the law was given; `normal_force` [N], positive away from the ground;
    `friction_force` magnitude [N]; `depth` [m] that a resultant law weighs the point by; `elastic` energy stored [J];
    `damper_power` and `friction_power` [W], negative where energy leaves the vehicle; `memory_power` [W], what a law
    with a memory makes or loses beside these.
    """

    force: wp.vec3d
    normal_force: wp.float64
    friction_force: wp.float64
    depth: wp.float64
    elastic: wp.float64
    damper_power: wp.float64
    friction_power: wp.float64
    memory_power: wp.float64


@wp.struct
class PointResultant:
    """What the points of a body feel together, in the body's axes, before friction.

    `load` [N]: sum of the normal forces; `arm` [m]: the application point, from the centre of mass; `normal` there,
    unit; `velocity` [m/s] of that point over the ground; `omega` [rad/s] relative to the ground; `drift` [m/s^2] of
    that point and `spin_up` [rad/s^2], the accelerations without friction; `mass` [kg], `inertia` [kg m^2], and one
    over each. Where a body has something inside that yields to a push, `inertia` is what resists a torque with that
    free, and in place of 1/mass `give` [1/kg] is the acceleration of the reference point per force there and `couple`
    [1/(kg m)] that per torque.
    """

    load: wp.float64
    arm: wp.vec3d
    normal: wp.vec3d
    velocity: wp.vec3d
    omega: wp.vec3d
    drift: wp.vec3d
    spin_up: wp.vec3d
    mass: wp.float64
    mass_inverse: wp.float64
    inertia: wp.mat33d
    inertia_inverse: wp.mat33d
    give: wp.mat33d
    couple: wp.mat33d


@wp.struct
class ResultantForce:
    """What a resultant law adds, in the body's axes.

    `friction` [N] at the application point; `rolling_torque` [N m]; `rolling_force` [N] at the centre of mass; `slip`,
    the share of sliding in the blend, 0 to 1.
    """

    friction: wp.vec3d
    rolling_torque: wp.vec3d
    rolling_force: wp.vec3d
    slip: wp.float64


@dataclass(frozen=True)
class ContactLaw:
    """A contact law, whole: what kernels compute, what checks ask before a run, what users may write and read.

    Attributes:
        name: Name in scenario files; also part of the kernel cache key.
        table: The table of the scenario that has its keys; `law` is its first.
        params: Function from the number of bodies to the `@wp.struct` class that holds every number of the law.
        fill: `(params, table, responses, points)`: writes the numbers of that struct, from the table, the coefficients
            of each body, and the contact points of all bodies.
        coefficients: `(table, body) -> NormalResponse`: the coefficients for one body, with the slopes of the normal
            force (`tangent`) for the step limit, and what an impact and a rest are like.
        friction_rate: `(table, sliding) -> rate [1/s]` at which friction slows points that slide slowly, which a fixed
            step has to follow; 0 where friction is a spring or a limit.
        friction_keys: The keys that this rate depends on, for messages.
        live_keys: Keys of the table that may change while a run is live: they enter forces alone.
        reported: `@wp.func (mode) -> 0 none | 1 static | 2 kinetic`, the modes in the terms of the result files.
        mode: Instant laws: function from that struct class to `@wp.func (params, body, ground, velocity) -> mode`;
            MODE_APART wherever the gap is not negative.
        contact: Instant laws: function from that struct class to
            `@wp.func (params, body, mode, ground, velocity) -> PointContact`.
        resultant: Instant laws that have one: function from that struct class, whether a body has something inside
            that yields, and whether inertias are diagonal, to `@wp.func (params, together) -> ResultantForce`.
        anchored_contact: Anchored laws: function from that struct class to
            `@wp.func (params, body, saved, position, velocity) -> PointContact`.
        renew: Anchored laws: function from that struct class to
            `@wp.func (params, body, saved, ground, position, velocity) -> AnchorMemory`.
        located: Anchored laws that a method with located events can take: function from that struct class to the
            functions of its continuous limit (`contact.anchor_located` has one); None: with a fixed step only.
        returned: Laws with a resultant that may give energy back: function from that struct class to
            `@wp.func (params) -> power [W] that they give back at most, for each N of load`.
        is_sighted: Anchored laws: whether ground is found along lines of sight instead of by its gap.
        keeps_dent: Instant laws: whether `ground.dent` is filled in. `mode` is then a function from the struct class
            and from whether modes are held during a step, whose ends are located: a branch on which the depth grows
            has to end where its rate changes sign, since the dent follows between steps only.
        work: Name and meaning of the account of `memory_power`, for laws that keep dents.
        rounds_alike: Whether all of it is made of operations that every device rounds alike: no powers, no logarithms.
        holds_sideways: Whether springs of the same stiffness act across the normal as well.
        has_true_rest: Whether friction holds a vehicle without any creep.
        variant: `(table, has_unit_normals) -> ContactLaw`: this law as a table and a ground ask for it, where its
            functions differ with them; None: they do not.
    """

    name: str
    table: type[Table]
    params: Callable[[int], Any]
    fill: Callable[[Draft, Any, Sequence[Any], Sequence[ContactPoint]], None]
    coefficients: Callable[[Any, BodyOnGround], NormalResponse]
    friction_rate: Callable[[Any, SlidingPoints], float]
    friction_keys: str
    live_keys: tuple[str, ...]
    reported: Any
    mode: Callable[..., Any] | None = None
    contact: Callable[[Any], Any] | None = None
    resultant: Callable[[Any, bool, bool], Any] | None = None
    anchored_contact: Callable[[Any], Any] | None = None
    renew: Callable[[Any], Any] | None = None
    located: Callable[[Any], Any] | None = None
    returned: Callable[[Any], Any] | None = None
    is_sighted: bool = False
    keeps_dent: bool = False
    work: tuple[str, str] | None = None
    rounds_alike: bool = False
    holds_sideways: bool = False
    has_true_rest: bool = False
    variant: Callable[[Any, bool], "ContactLaw"] | None = None

    def __post_init__(self) -> None:
        """Keeps what the functions of a law make: asked again, they give the same classes and the same kernels."""
        for name in ("params", "mode", "contact"):
            made = getattr(self, name)
            if callable(made) and not hasattr(made, "cache_info"):
                object.__setattr__(self, name, lru_cache(made))

    @property
    def is_anchored(self) -> bool:
        """Whether the law keeps a memory that changes once per step."""
        return self.renew is not None
