"""How many threads make a block on a GPU."""

from planetfall.engine.assembly import KERNEL_OPTIONS
from planetfall.engine.kernel import LARGE_BLOCK, LEAST_BLOCK, SMALL_BLOCK, block_size


def test_blocks_are_small_where_large_ones_would_leave_multiprocessors_idle() -> None:
    assert block_size(False, 10_000, 132) == SMALL_BLOCK
    assert block_size(False, 200_000, 132) == LARGE_BLOCK == KERNEL_OPTIONS["launch_bounds"][0]
    assert -(-10_000 // SMALL_BLOCK) >= 132  # every multiprocessor of an H200 has one


def test_few_runs_of_a_large_kernel_are_spread_widely() -> None:
    assert block_size(True, 10_000, 132) == LEAST_BLOCK
    assert block_size(True, 200_000, 132) == LARGE_BLOCK
    assert LEAST_BLOCK == 32  # a warp, of which a multiprocessor executes four at a time
