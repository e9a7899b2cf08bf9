"""How many threads make a block on a GPU, and what is told while a kernel is compiled."""

from dataclasses import replace

import planetfall
from planetfall.engine.build import build
from planetfall.engine.kernel import (
    LARGE_BLOCK,
    LEAST_BLOCK,
    MIDDLE_BLOCK,
    SMALL_BLOCK,
    block_size,
    kernel_of,
    launch_bounds,
    load_kernel,
)
from planetfall.engine.structure.assembly import Assembly
from planetfall.world.preparations import listening
from planetfall.world.terrain.dem.nearest_gap import TERRAIN_DEM_GPU
from planetfall.world.terrain.sdf.sdf import TERRAIN_SDF


def assembly_of(name: str) -> Assembly:
    return build(planetfall.load(name), is_recorded=False).assembly


def test_blocks_are_small_where_large_ones_would_leave_multiprocessors_idle() -> None:
    box = assembly_of("box-bench")
    assert block_size(box, 10_000, 132) == SMALL_BLOCK
    assert block_size(box, 200_000, 132) == LARGE_BLOCK
    assert block_size(replace(box, method="adaptive"), 200_000, 132) == MIDDLE_BLOCK
    assert block_size(replace(box, terrain=TERRAIN_SDF), 200_000, 132) == MIDDLE_BLOCK
    assert launch_bounds(replace(box, terrain=TERRAIN_DEM_GPU), LARGE_BLOCK) == (MIDDLE_BLOCK, 3)
    assert -(-10_000 // SMALL_BLOCK) >= 132  # every multiprocessor of an H200 has one


def test_few_runs_of_a_large_kernel_are_spread_widely() -> None:
    crane = assembly_of("msl-skycrane")
    assert block_size(crane, 10_000, 132) == LEAST_BLOCK == 32  # a warp
    assert block_size(crane, 200_000, 132) == LARGE_BLOCK


def test_no_block_is_larger_than_its_kernel_allows() -> None:
    for name in ("box-bench", "msl-skycrane"):
        for assembly in (assembly_of(name), replace(assembly_of(name), method="adaptive")):
            for n_runs in (1, 10_000, 200_000):
                block = block_size(assembly, n_runs, 132)
                assert block <= launch_bounds(assembly, block)[0]


def test_compiling_is_told_to_who_listens() -> None:
    model, told = build(planetfall.load("box-bench"), is_recorded=False), []
    with listening(lambda what, share: told.append((what, share))):
        load_kernel(kernel_of(model.assembly), "cpu", LARGE_BLOCK)
    assert [share for _, share in told] == [0.0, 1.0]
    assert told[0][0] == "compiling, once for scenarios of this kind, about 2 to 20 s"
