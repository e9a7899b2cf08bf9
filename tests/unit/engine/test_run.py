"""Launches are as long as suits who waits for them, whatever a step takes."""

import pytest

from planetfall.engine.run import FIRST, GROWTH, MOST, MOST_CUDA, SECONDS, LaunchSize


def sizes(step: float, n: int, device: str = "cpu", n_live: int = 1, threads: int = 1) -> list[int]:
    """Steps of the first launches where each takes some time [s]."""
    size, made = LaunchSize(device, threads), list[int]()
    for _ in range(n):
        made.append(size.steps(n_live))
        size.note(made[-1], made[-1] * step)
    return made


def test_cheap_steps_soon_have_the_longest_launches() -> None:
    assert sizes(1e-9, 3) == [FIRST, GROWTH * FIRST, GROWTH**2 * FIRST]
    assert sizes(1e-9, 9)[-1] == MOST
    assert sizes(1e-9, 9, n_live=100, threads=2)[-1] == 2 * MOST // 100
    assert sizes(1e-9, 9, "cuda:0", 200_000)[-1] == MOST_CUDA // 200_000


@pytest.mark.parametrize("step", [1e-5, 1e-3, 0.07])
def test_dear_steps_have_launches_of_half_a_second(step: float) -> None:
    """0.07 s is a step in the exact gravity of 200,000 facets."""
    assert sizes(step, 9)[-1] * step == pytest.approx(SECONDS, rel=0.1)
    assert sizes(step, 9)[0] * step < 2.0


def test_there_is_always_a_step() -> None:
    assert sizes(100.0, 3)[1:] == [1, 1]
    assert sizes(1e-9, 2, n_live=10**9) == [1, 1]
