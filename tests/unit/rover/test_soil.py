"""Wheel-soil laws against their closed forms, integrals and derivatives."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import gamma

from planetfall.errors import InputError
from planetfall.rover.soil.bekker import bekker_params
from planetfall.rover.soil.coulomb import coulomb_params
from planetfall.scenario.tables.rover import RoverWheels, SoilBekker
from support.rover_probes import bekker_curves

WHEELS = RoverWheels(radius=0.125, width=0.16, torque_max=10.0)
# Lunar soil as commonly tabulated: k_c 1.4 kN/m^2, k_phi 820 kN/m^3, n 1, c 170 Pa, phi 35 degrees, K 18 mm.
SOIL = {
    "law": "bekker", "cohesive_modulus": 1400.0, "frictional_modulus": 820e3, "exponent": 1.0, "cohesion": 170.0,
    "friction_angle_deg": 35.0, "shear_modulus": 0.018,
}  # fmt: skip
LOADS, SLIPS = np.geomspace(1.0, 300.0, 12), np.linspace(0.05, 1.0, 12)


def table(**changes: float) -> SoilBekker:
    return SoilBekker.model_validate({**SOIL, **changes})


@pytest.mark.parametrize("n", [0.5, 1.0, 1.3])
def test_sinkage_carries_the_load(n: float) -> None:
    """The load is the integral of b k z^n over half the chord, on the parabola x^2 = D (z_0 - z).

    Bekker keeps two terms of the binomial (1 - u^2)^n, whose integral is then 1 - n/3 in place of
    sqrt(pi)/2 Gamma(n + 1)/Gamma(n + 3/2): the same for n = 1, 6 % more for 0.5, 8 % less for 1.3.
    """
    curves, _ = bekker_curves(bekker_params(table(exponent=n), WHEELS), LOADS, SLIPS)
    k, b, r = 1400.0 / 0.16 + 820e3, 0.16, 0.125
    binomial = np.sqrt(np.pi) / 2 * gamma(n + 1) / gamma(n + 1.5) / (1 - n / 3)
    for load, z in zip(LOADS, curves[:, 0], strict=True):
        edge = np.sqrt(2 * r * z)
        carried = b * k * quad(lambda x, z=z: (z - x * x / (2 * r)) ** n, 0, edge)[0]
        assert carried == pytest.approx(binomial * load, rel=1e-5)  # of the quadrature at the edge


def test_plate_law_gives_the_resistance() -> None:
    """Work of the plate law over the sinkage, per metre: R = b times the integral of k z^n."""
    curves, _ = bekker_curves(bekker_params(table(exponent=1.1), WHEELS), LOADS, SLIPS)
    k = 1400.0 / 0.16 + 820e3
    expected = [0.16 * quad(lambda z: k * z**1.1, 0, depth)[0] for depth in curves[:, 0]]
    np.testing.assert_allclose(curves[:, 1], expected, rtol=1e-9)


def test_drawbar_pull_is_its_closed_form_and_the_integral_of_shear() -> None:
    """(A c + N tan phi) times the mean of 1 - exp(-i x/K) over the contact, less the resistance."""
    curves, _ = bekker_curves(bekker_params(table(), WHEELS), LOADS, SLIPS)
    for load, slip, (z, _, traction, _) in zip(LOADS, SLIPS, curves, strict=True):
        length = 0.125 * np.arccos(1 - z / 0.125)
        mean = quad(lambda x, i=slip: 1 - np.exp(-i * x / 0.018), 0, length)[0] / length
        strength = 0.16 * length * 170.0 + load * np.tan(np.radians(35.0))
        assert traction == pytest.approx(strength * mean, rel=1e-12)


def test_slip_is_the_inverse_of_traction() -> None:
    curves, _ = bekker_curves(bekker_params(table(), WHEELS), LOADS, SLIPS)
    np.testing.assert_allclose(curves[:, 3], SLIPS, rtol=1e-10)


def test_tangents_touch_the_curves() -> None:
    """Central differences at 1e-4 of the load: error 1e-8 of the slope, times the curvature of a power near 1."""
    law = bekker_params(table(slip_max=0.4), WHEELS)
    at = np.full(len(LOADS), 0.4)
    curves, grips = bekker_curves(law, LOADS, at)
    np.testing.assert_allclose(grips["hold"] + grips["hold_per_load"] * LOADS, curves[:, 2], rtol=1e-14)
    np.testing.assert_allclose(grips["drag"] + grips["drag_per_load"] * LOADS, curves[:, 1], rtol=1e-14)
    further, _ = bekker_curves(law, LOADS * 1.001, at)
    np.testing.assert_allclose(grips["drag_per_load"] * LOADS * 1e-3, further[:, 1] - curves[:, 1], rtol=1e-3)
    np.testing.assert_allclose(grips["hold_per_load"] * LOADS * 1e-3, further[:, 2] - curves[:, 2], rtol=1e-3)


def test_a_wheel_on_soil_needs_a_width() -> None:
    with pytest.raises(InputError, match="width"):
        bekker_params(table(), RoverWheels(radius=0.1, torque_max=1.0))


@pytest.mark.parametrize("friction", [0.0, -0.5, np.nan, [[0.5, 0.0]], np.ones((2, 2, 2))])
def test_friction_must_be_positive(friction: object) -> None:
    with pytest.raises(InputError, match=r"soil\.friction"):
        coulomb_params(friction, "cpu")  # type: ignore[arg-type]
