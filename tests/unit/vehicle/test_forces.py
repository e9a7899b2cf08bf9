"""Tables of force over time: lines between rows, nothing outside, and no look past a jump."""

from __future__ import annotations

import numpy as np

from support.warp_probes import tabled

TIMES, MAGNITUDES = [0.5, 1.5, 2.0, 4.0], [60.0, 180.0, 30.0, 10.0]
NEVER = 1e300


def test_inside_it_is_linear_interpolation() -> None:
    t = np.linspace(0.5, 4.0, 701)
    found = tabled(TIMES, MAGNITUDES, t)[0]
    np.testing.assert_allclose(found, np.interp(t, TIMES, MAGNITUDES), rtol=1e-14)


def test_outside_it_is_zero() -> None:
    t = [-1.0, 0.0, np.nextafter(0.5, 0.0), np.nextafter(4.0, 5.0), 1e9]
    np.testing.assert_array_equal(tabled(TIMES, MAGNITUDES, t)[0], 0.0)


def test_ends_belong_to_the_table() -> None:
    np.testing.assert_array_equal(tabled(TIMES, MAGNITUDES, [0.5, 4.0])[0], [60.0, 10.0])


def test_the_row_is_chosen_by_the_branch_not_by_the_instant() -> None:
    """A stage at the end of a step that stops at a jump or kink stays on the line of its step."""
    at_kink = tabled(TIMES, MAGNITUDES, [1.5, 1.5], branch=[1.0, 1.75])[0]
    np.testing.assert_allclose(at_kink, 180.0, rtol=1e-15)
    beyond = tabled(TIMES, MAGNITUDES, [1.75, 1.25], branch=[1.0, 1.75])[0]
    np.testing.assert_allclose(beyond, [210.0, 255.0], rtol=1e-15)
    at_start = tabled(TIMES, MAGNITUDES, [0.5, 0.5], branch=[0.25, 0.75])[0]
    np.testing.assert_array_equal(at_start, [0.0, 60.0])
    at_end = tabled(TIMES, MAGNITUDES, [4.0, 4.0], branch=[3.0, 5.0])[0]
    np.testing.assert_array_equal(at_end, [10.0, 0.0])


def test_next_break_is_the_first_row_after_now() -> None:
    now = [-1.0, 0.5, 0.75, 1.5, 3.9, 4.0, 9.0]
    np.testing.assert_array_equal(tabled(TIMES, MAGNITUDES, now)[1], [0.5, 1.5, 1.5, 2.0, 4.0, NEVER, NEVER])
