"""How many steps a launch takes: enough to be worth it, few enough that a batch can be shown and interrupted.

What a step takes differs by a factor of 10,000: a box on a plane, a polyhedron of 200,000 facets. So a batch begins
with few, and the time of each launch tells how many the next one may have. No result depends on it.
"""

from planetfall.compute.device import HOST

MOST, MOST_CUDA = 200_000, 400_000_000
"""Run-steps of a launch, on a CPU of each thread: about 0.1 s where a step is cheap."""
FIRST, FIRST_CUDA = 20, 500
"""Steps of the first launch; more on a GPU, where a launch costs more."""
SECONDS = 0.5
"""What a launch should take at most."""
GROWTH = 8
"""How many times longer the next launch may be."""


class LaunchSize:
    """Tells the steps of each launch.

    Args:
        device: Where they are.
        threads: That launch at the same time.
    """

    def __init__(self, device: str, threads: int) -> None:
        self._allowed, most = (FIRST, MOST) if device == HOST else (FIRST_CUDA, MOST_CUDA)
        self._run_steps = most * threads

    def steps(self, n_live: int) -> int:
        """For so many live runs."""
        return max(1, min(self._allowed, self._run_steps // n_live))

    def note(self, steps: int, seconds: float) -> None:
        """A launch of so many took some time [s]."""
        self._allowed = max(1, int(steps * min(GROWTH, SECONDS / max(seconds, 1e-9))))
