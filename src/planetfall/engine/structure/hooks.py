"""The hooks of a mechanism that run in kernels: what each takes, and how the answers of several mechanisms make one.

A hook is a line of `HOOKS`. `mechanisms.chain` makes the function that calls it on all mechanisms of an assembly from
that line, and `Mechanism.function` refuses a function that does not take what its hook is given.
"""

from dataclasses import dataclass

EACH, SUM, SMALLEST, LARGEST, PASSED_ON, ONLY = "each", "sum", "smallest", "largest", "passed on", "only"
"""How answers make one: none given; added up; the smallest or largest; the last argument goes through all; only one."""


@dataclass(frozen=True)
class HookShape:
    """What the function of a hook takes, by name and in order, how answers of several make one, and their Warp type."""

    takes: tuple[str, ...]
    fold: str = EACH
    gives: str = ""


def _shape(takes: str, fold: str = EACH, gives: str = "") -> HookShape:
    return HookShape(tuple(takes.split()), fold, gives)


HOOKS = {
    "wrench": _shape("params y body t t_branch state environment", SUM, "Wrench"),
    "power": _shape("params y body t t_branch state environment", SUM, "wp.float64"),
    "rates": _shape("dy params y body t t_branch state environment"),
    "inner_rates": _shape("dy params y body t t_branch turning"),
    "momentum": _shape("params y body", SUM, "wp.vec3d"),
    "energy": _shape("params y body energy", PASSED_ON, "wp.float64"),
    "joint": _shape("params body mass center_B state", ONLY, "ArmGeometry"),
    "joint_torque": _shape("params body t t_branch state", ONLY, "wp.float64"),
    "push": _shape("params y body push", PASSED_ON, "Wrench"),
    "mass": _shape("params y body mass inertia", ONLY, "MassProperties"),
    "outflow": _shape("params y body", ONLY, "MassFlow"),
    "carried": _shape("params y body properties", PASSED_ON, "MassProperties"),
    "carrier": _shape("params y body", ONLY, "int"),
    "carried_rates": _shape("dy params y"),
    "state_rates": _shape("dy params y t t_branch"),
    "link": _shape("dy params y t t_branch wrenches"),
    "stored": _shape("params y t", SUM, "wp.float64"),
    "put_in": _shape("y params energy", PASSED_ON, "wp.float64"),
    "after_frame": _shape("y params t"),
    "observe_parts": _shape("params y t values frame column"),
    "before_step": _shape("y params"),
    "check_commands": _shape("params commands run"),
    "obey": _shape("y params t commands run"),
    "stop": _shape("numbers params body"),
    "after_step": _shape("y params body t state environment"),
    "observe": _shape("params y body t state environment values frame column"),
    "next_break": _shape("params t", SMALLEST, "wp.float64"),
    "margin": _shape("params y body t t_branch state environment", SMALLEST, "wp.float64"),
    "awaits": _shape("params y body", LARGEST, "int"),
    "error": _shape("params y error step", LARGEST, "wp.float64"),
}
"""Every hook of a `Mechanism` that is called in kernels; its docstring says what each is for."""
