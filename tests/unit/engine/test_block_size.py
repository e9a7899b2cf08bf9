"""How many threads make a block on a GPU."""

from planetfall.engine.assembly import KERNEL_OPTIONS
from planetfall.engine.run import LARGE_BLOCK, SMALL_BLOCK, block_size


def test_blocks_are_small_where_large_ones_would_leave_multiprocessors_idle() -> None:
    assert block_size(10_000, 132) == SMALL_BLOCK
    assert block_size(200_000, 132) == LARGE_BLOCK == KERNEL_OPTIONS["launch_bounds"][0]
    assert -(-10_000 // SMALL_BLOCK) >= 132  # every multiprocessor of an H200 has one
