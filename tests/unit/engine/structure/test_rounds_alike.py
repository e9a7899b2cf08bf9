"""What `Assembly.rounds_alike` says of a kernel is true of the code that is generated for it.

IEEE 754 leaves one result to sums, products, quotients, square roots and fused multiply-adds, and contraction is off.
Logarithms and functions of angles are as each device's library has them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest
from warp._src.context import ModuleBuilder

from planetfall.contact.distributed import CONTACT_DISTRIBUTED
from planetfall.engine.gpu.split_kernels import kernels_of
from planetfall.engine.kernel import LARGE_BLOCK, kernel_of
from planetfall.engine.mechanisms.connections.tether import tethers_mechanism
from planetfall.engine.mechanisms.force import force_mechanism
from planetfall.engine.mechanisms.inside.eccentric_arm import arms_mechanism
from planetfall.engine.mechanisms.inside.engines import engines_mechanism
from planetfall.engine.mechanisms.inside.flywheel import flywheels_mechanism
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.forces import FORCES
from planetfall.world.gravity.field import MODELS
from planetfall.world.terrain.dem.nearest_gap import TERRAIN_DEM_GPU
from planetfall.world.terrain.plane import TERRAIN_DISC
from support.block_scene import block_model
from support.hoppers import hopper

HANDLING = {
    "address", "array_store", "assign", "assign_inplace", "block_dim", "copy", "extract", "float", "float64", "index",
    "indexref", "int", "int32", "iter_next", "load", "range", "store", "tid", "tuple", "uint32",
}  # fmt: skip
"""What Warp's code calls to hand values around."""
EXACT = {
    "abs", "add", "add_inplace", "bit_and", "clamp", "cross", "cw_mul", "div", "dot", "floor", "inverse", "isfinite",
    "isnan", "length", "length_sq", "max", "min", "mod", "mul", "neg", "normalize", "outer", "sign", "skew", "sqrt",
    "sub", "sub_inplace", "transpose", "unot", "where",
}  # fmt: skip
"""Rounded correctly, or not at all, or sums and products of such, in the same order on every device."""
OF_INTEGERS = {"atomic_max", "atomic_or", "floordiv", "lshift", "rshift"}
FORCES_AND_WHEELS = (*(force_mechanism(kind, i, 0) for i, kind in enumerate(FORCES)), flywheels_mechanism(3))
LINKS_TOO = (engines_mechanism((2, 1)), tethers_mechanism(2, 2, False), *FORCES_AND_WHEELS)
ON_TWO_BODIES: dict[str, Any] = {"points_per_body": (4, 4), "has_spin": True}


def called(assembly: Assembly) -> set[str]:
    """Functions of Warp that the code of an assembly's kernel calls."""
    return called_by(kernel_of(assembly, True, LARGE_BLOCK))


def called_by(kernel: Any) -> set[str]:
    """The same of one kernel."""
    code = ModuleBuilder(kernel.module, kernel.module.options).codegen("cpu")
    return {name for name in re.findall(r"wp::(\w+)\(", code) if not name.startswith("adj_")}


@lru_cache
def block() -> Assembly:
    return block_model("adaptive").assembly


@pytest.mark.parametrize("name", sorted(MODELS))
def test_of_gravity_fields(name: str) -> None:
    assembly = replace(block(), gravity=MODELS[name])
    others = called(assembly) - EXACT - HANDLING
    assert assembly.rounds_alike == (not others), others


@pytest.mark.parametrize(
    "values",
    [
        {"terrain": TERRAIN_DEM_GPU},
        {"law": CONTACT_DISTRIBUTED, "terrain": TERRAIN_DISC, "has_diagonal_inertia": False},
        {"mechanisms": LINKS_TOO, **ON_TWO_BODIES},
    ],
)
def test_of_ground_laws_and_forces(values: dict[str, Any]) -> None:
    assembly = replace(block(), **values)
    assert assembly.rounds_alike
    assert called(assembly) <= EXACT | HANDLING | OF_INTEGERS


def test_of_distance_fields() -> None:
    assert hopper().assembly.rounds_alike
    assert called(hopper().assembly) <= EXACT | HANDLING


def test_of_arms() -> None:
    assembly = replace(block(), mechanisms=(arms_mechanism((True,)),), law=CONTACT_DISTRIBUTED)
    assert not assembly.rounds_alike
    assert called(assembly) - EXACT - HANDLING == {"cos", "sin"}


def test_of_waves() -> None:
    """What a GPU does with a run before it is handed over is rounded as alike; integers and least numbers are not."""
    for assembly in (block(), hopper().assembly):
        for kernel in kernels_of(assembly).all:
            assert not called_by(kernel) - EXACT - HANDLING - OF_INTEGERS - {"atomic_min"}
