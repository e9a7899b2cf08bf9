"""The Dormand-Prince pair against SciPy's table, and the step control against its formula."""

from __future__ import annotations

import numpy as np
from scipy.integrate import RK45

from planetfall.engine.solver.dopri5 import ERROR, NODES, STAGES
from support.warp_probes import step_factors


def test_stages_are_scipys() -> None:
    np.testing.assert_allclose(STAGES[:6, :5], RK45.A, rtol=1e-15)
    np.testing.assert_array_equal(STAGES[:6, 5], 0.0)
    np.testing.assert_allclose(STAGES[6], RK45.B, rtol=1e-15)


def test_nodes_are_scipys() -> None:
    """The nodes are sums of rows: 1e-14, as the terms of the fifth row are about ten."""
    np.testing.assert_allclose(NODES, [*RK45.C, 1.0], atol=1e-14)


def test_error_weights_are_scipys_with_the_other_sign() -> None:
    """The sign of an error estimate means nothing."""
    np.testing.assert_allclose(ERROR, -RK45.E, rtol=1e-14)


def test_step_factor_is_the_power_it_claims() -> None:
    errors = np.logspace(-3.5, 4.0, 200)
    np.testing.assert_allclose(step_factors(errors), np.clip(0.9 * errors ** (-3 / 16), 0.1, 5.0), rtol=1e-14)


def test_step_factor_is_bounded() -> None:
    np.testing.assert_array_equal(step_factors([0.0, 1e-30, 1e20, 1e30]), [5.0, 5.0, 0.1, 0.1])
