"""How many runs are made safe together, where nobody says."""

import pytest

from planetfall.campaign.plan import default_shard_size


@pytest.mark.parametrize(
    ("n", "device", "is_adaptive", "size"),
    [
        (100, "cpu", False, 200),
        (50_000, "cpu", True, 500),
        (10**7, "cpu", False, 10_000),
        (100_000, "cuda:0", False, 20_000),
        (100_000, "cuda:0", True, 100_000),
        (10**9, "cuda:0", True, 200_000),
    ],
)
def test_about_a_hundred_shards_that_fill_the_device(n: int, device: str, is_adaptive: bool, size: int) -> None:
    assert default_shard_size(n, device, is_adaptive) == size
