"""The mechanisms of an assembly as one: a hook of all of them, called one after the other.

The function that does so is written from the line of the hook in `structure.hooks`, with a call for each mechanism that
has it: for `rates` of the first and the third of three,

    def rates(dy, p, y, body, t, t_branch, state, environment):
        own_0(dy, p.head, y, body, t, t_branch, state, environment)
        own_2(dy, p.tail.tail.head, y, body, t, t_branch, state, environment)

It cannot be a loop over the mechanisms: Warp leaves a function that `wp.static` picks by a loop's index out of the
kernel's hash and would go on using a stale kernel. What a function calls by a name of its closure is in the hash.
"""

import linecache
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.draft import chained_params
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.hooks import EACH, HOOKS, LARGEST, ONLY, PASSED_ON, SMALLEST, SUM
from planetfall.engine.structure.link_wrenches import link_wrenches_vector
from planetfall.engine.structure.mechanism import LocatedEvent, StateSlot
from planetfall.engine.structure.run_params import StepParams
from planetfall.flight.commands import Commands
from planetfall.vehicle.arms import ArmGeometry
from planetfall.vehicle.body import BodyState, Wrench
from planetfall.vehicle.mass import MassFlow, MassProperties
from planetfall.world.environment import Environment

FAR = wp.constant(wp.float64(1.0e300))
"""A time [s] beyond any run."""
TYPES = dict.fromkeys(("dy", "y", "error", "numbers"), "wp.ref[vector]") | {
    "params": "wp.ref[params]",
    "body": "int",
    "t": "wp.float64",
    "t_branch": "wp.float64",
    "energy": "wp.float64",
    "state": "wp.ref[BodyState]",
    "environment": "wp.ref[Environment]",
    "turning": "wp.vec3d",
    "mass": "wp.float64",
    "inertia": "wp.mat33d",
    "push": "Wrench",
    "wrenches": "wp.ref[wrenches]",
    "properties": "MassProperties",
    "commands": "Commands",
    "run": "int",
    "center_B": "wp.vec3d",
    "step": "StepParams",
    "values": "wp.array2d(dtype=wp.float64)",
    "frame": "int",
    "column": "int",
}
"""Warp types of what hooks take."""
FIRST = {
    SUM: "{zero}",
    SMALLEST: "wp.float64(FAR)",
    LARGEST: "{zero}",
    PASSED_ON: "{last}",
    ONLY: "{zero}",
}
"""What the answer is before the first mechanism is asked."""
NEXT = {
    EACH: "{call}",
    SUM: "out += {call}",
    SMALLEST: "out = wp.min(out, {call})",
    LARGEST: "out = wp.max(out, {call})",
    PASSED_ON: "out = {call}",
    ONLY: "out = {call}",
}
"""What a mechanism's answer does to it."""
SUMMED_WRENCH = ["own = {call}", "out.force += own.force", "out.torque_B += own.torque_B"]
"""The same for a sum of wrenches."""
KNOWN = {
    "wp": wp, "BodyState": BodyState, "Environment": Environment, "StepParams": StepParams, "Wrench": Wrench,
    "ArmGeometry": ArmGeometry, "MassFlow": MassFlow, "MassProperties": MassProperties, "Commands": Commands,
    "FAR": FAR, "__name__": __name__,
}  # fmt: skip


@lru_cache
def all_mechanisms(assembly: Assembly, hook: str, i_body: int | None = None) -> Any:
    """`@wp.func` of a hook of all mechanisms that have it; takes what the hook takes, with the chained params.

    With `i_body`, of those alone that act on that body (`Mechanism.acts_on`): the code of others is not made for it.
    """
    shape, owners = HOOKS[hook], owners_of(assembly, hook, i_body)
    if shape.fold == ONLY and len(owners) > 1:
        names = " and ".join(assembly.mechanisms[i].name for i in owners)
        raise TypeError(f"{names} have {hook}; only one mechanism of a scenario may")
    return _compiled(assembly, hook, _taken(hook), shape.gives, _folded(hook, owners), {hook: owners})


def hook_of_parts(hook: str, functions: Sequence[Any], params: Any, slot: StateSlot) -> Any:
    """`@wp.func` of a hook of a mechanism of several parts, each with a function and a struct in its chained params."""
    closure = {"vector": slot.vector, "params": params, **{f"own_{i}": one for i, one in enumerate(functions)}}
    return _written(hook, _taken(hook), HOOKS[hook].gives, _folded(hook, range(len(functions))), closure)


def _taken(hook: str) -> list[tuple[str, str]]:
    """What a hook takes, with its types."""
    return [(name, TYPES[name]) for name in HOOKS[hook].takes]


def _folded(hook: str, owners: Iterable[int]) -> list[str]:
    """The body of the function of a hook that several have, each with its numbers in a chain of structs."""
    shape, body = HOOKS[hook], []
    passed = [*shape.takes[:-1], "out"] if shape.fold == PASSED_ON else list(shape.takes)
    if shape.fold != EACH:
        zero = {"wp.float64": "wp.float64(0.0)", "int": "int(-1)"}.get(shape.gives, f"{shape.gives}()")
        body.append("out = " + FIRST[shape.fold].format(zero=zero, last=shape.takes[-1]))
    step = SUMMED_WRENCH if shape.gives == "Wrench" and shape.fold == SUM else [NEXT[shape.fold]]
    body += [line.format(call=_call(i, passed)) for i in owners for line in step]
    return [*body, "return" if shape.fold == EACH else "return out"]


@lru_cache
def wrench_of_mechanisms(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (dy, chained params, y, body, t, t_branch, state, environment) -> Wrench` of all that act on a body.

    Their powers are added to the accounts of work in `dy`. The sum begins with the last mechanism.
    """
    shape, owners = HOOKS["wrench"], owners_of(assembly, "wrench", i_body)
    takes = [(name, TYPES[name]) for name in ("dy", *shape.takes)]
    body = ["out = Wrench()"]
    for i in reversed(owners):
        mechanism = assembly.mechanisms[i]
        assert mechanism.account is not None  # a record with a wrench has one
        booking = assembly.layout.work_index(mechanism.account)
        body += [line.format(call=_call(i, list(shape.takes))) for line in SUMMED_WRENCH]
        power = "wp.dot(own.force, state.velocity) + wp.dot(own.torque_B, state.omega_B)"
        if mechanism.power is not None:
            power = _call(i, list(shape.takes), "power")
        body += [f"dy[{booking}] += {power}"] if booking >= 0 else []
    body.append("return out")
    powers = owners_of(assembly, "power", i_body)
    return _compiled(assembly, "wrench", takes, "Wrench", body, {"wrench": owners, "power": powers})


@lru_cache
def observe_mechanisms(assembly: Assembly) -> Any:
    """`@wp.func (chained params, y, body, t, state, environment, values, frame)`: writes their variables.

    Those of a mechanism stand body by body, after those of the mechanisms before it.
    """
    takes, owners = HOOKS["observe"].takes[:-1], owners_of(assembly, "observe")
    body, first = [], 0
    for i in owners:
        n = assembly.mechanisms[i].n_columns
        body.append(_call(i, [*takes, f"{first} + body * {n}"]))
        first += n * assembly.n_bodies
    return _compiled(
        assembly, "observe", [(name, TYPES[name]) for name in takes], "", [*body, "return"], {"observe": owners}
    )


def columns_of_free(assembly: Assembly, i_body: int) -> tuple[int, ...]:
    """Where variables of a body stand that it does not have while it is fixed to another one."""
    columns, first = [], 0
    for i in owners_of(assembly, "observe"):
        place = first + i_body * assembly.mechanisms[i].n_columns
        for variable in assembly.mechanisms[i].variables:
            columns += range(place, place + variable.size) if variable.is_of_free else []
            place += variable.size
        first += assembly.mechanisms[i].n_columns * assembly.n_bodies
    return tuple(columns)


@lru_cache
def observe_parts_of_mechanisms(assembly: Assembly) -> Any:
    """`@wp.func (chained params, y, t, values, frame)`: writes variables of parts, after those of all bodies."""
    takes, owners = HOOKS["observe_parts"].takes[:-1], owners_of(assembly, "observe_parts")
    body, first = [], assembly.n_body_columns
    for i in owners:
        body.append(_call(i, [*takes, str(first)]))
        first += assembly.mechanisms[i].n_part_columns
    return _compiled(
        assembly, "observe_parts", [(name, TYPES[name]) for name in takes], "", [*body, "return"],
        {"observe_parts": owners},
    )  # fmt: skip


@lru_cache
def events_of_mechanisms(assembly: Assembly) -> tuple[LocatedEvent, ...]:
    """The events of all mechanisms, in their order, as functions of all parameters."""
    return tuple(
        _of_all_parameters(assembly, i, event)
        for i, mechanism in enumerate(assembly.mechanisms)
        if mechanism.events is not None
        for event in mechanism.events(_slot(assembly, i))
    )


def _of_all_parameters(assembly: Assembly, i: int, event: LocatedEvent) -> LocatedEvent:
    """An event of the i-th mechanism, whose functions take its own parameters."""
    takes = [("i", "int"), *((name, TYPES[name]) for name in ("t", "t_branch", "y", "params"))]
    own = f"own(i, t, t_branch, y, p.mechanisms.{'tail.' * i}head)"

    def written(name: str, function: Any, gives: str) -> Any:
        closure = {"vector": assembly.layout.vector, "params": assembly.params, "own": function}
        return _written(name, takes, gives, [f"return {own}"] if gives else [own, "return"], closure)

    value, act = written("value", event.value, "wp.float64"), written("act", event.act, "")
    return LocatedEvent(event.name, event.count, value, act)


def owners_of(assembly: Assembly, hook: str, i_body: int | None = None) -> list[int]:
    """Indices of the mechanisms that have a hook; with `i_body`, of those that act on that body."""
    return [
        i
        for i, mechanism in enumerate(assembly.mechanisms)
        if getattr(mechanism, hook) is not None
        and (i_body is None or mechanism.acts_on is None or i_body in mechanism.acts_on)
    ]


def _call(i: int, passed: list[str], hook: str = "own") -> str:
    """The call of the i-th mechanism's function with the arguments of that name; its numbers are in the i-th tail."""
    own = "p." + "tail." * i + "head"
    return f"{hook}_{i}({', '.join(own if name == 'params' else name for name in passed)})"


def _slot(assembly: Assembly, i: int) -> StateSlot:
    lay, account = assembly.layout, assembly.mechanisms[i].account
    return StateSlot(lay.vector, lay.mechanism_offset(i), -1 if account is None else lay.work_index(account), lay.body)


def _compiled(
    assembly: Assembly, hook: str, takes: list[tuple[str, str]], gives: str, body: list[str],
    hooks: dict[str, list[int]],
) -> Any:  # fmt: skip
    """The `@wp.func` with a body of some lines, in which `own_3` is the function of the hook of mechanism 3."""
    functions = {
        f"{'own' if name == hook else name}_{i}": assembly.mechanisms[i].function(name, _slot(assembly, i))
        for name, owners in hooks.items()
        for i in owners
    }
    closure = {
        "vector": assembly.layout.vector,
        "params": chained_params(tuple(mechanism.params for mechanism in assembly.mechanisms)),
        "wrenches": link_wrenches_vector(assembly.n_bodies),
        **functions,
    }
    return _written(hook, takes, gives, body, closure)


def _written(name: str, takes: list[tuple[str, str]], gives: str, body: list[str], closure: dict[str, Any]) -> Any:
    """The `@wp.func` with a name, arguments with their types, and a body of some lines in a closure."""
    arguments = ", ".join(f"{'p' if name == 'params' else name}: {kind}" for name, kind in takes)
    lines = [
        f"def make({', '.join(closure)}):",
        "    @wp.func",
        f"    def {name}({arguments}){f' -> {gives}' if gives else ''}:",
        *(f"        {line}" for line in body),
        f"    return {name}",
    ]
    source = "\n".join(lines) + "\n"
    file = f"<{name} of mechanisms, {zlib.crc32(source.encode()):x}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)  # where Warp reads it
    space = dict(KNOWN)
    exec(compile(source, file, "exec"), space)
    return space["make"](**closure)
