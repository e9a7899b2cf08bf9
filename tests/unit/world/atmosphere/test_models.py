"""Air of every model: published digits, layers, hydrostatic balance, tables and what is laid over them."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import PchipInterpolator

from planetfall.errors import InputError
from planetfall.scenario.tables.world.atmosphere import (
    AtmosphereExponential,
    AtmosphereMars,
    AtmosphereNone,
    AtmosphereTable,
    AtmosphereUsStandard,
    Perturbation,
    Wind,
)
from planetfall.world.atmosphere.from_scenario import air_at
from planetfall.world.atmosphere.mars import MARS
from planetfall.world.atmosphere.us1976 import US1976
from support.shared_data import DATA

MARS_ROWS = [
    (-8.0, 228.43, 1231.9, 0.028176, 241.15),
    (-4.5, 222.11, 910.55, 0.021419, 237.78),
    (-2.5, 218.50, 763.35, 0.018252, 235.85),
    (0.0, 214.00, 610.0, 0.014893, 233.40),
    (2.5, 209.50, 485.30, 0.012103, 230.94),
    (5.0, 205.01, 384.32, 9.7941e-3, 228.45),
    (7.5, 200.53, 302.89, 7.8915e-3, 225.94),
    (10.0, 196.05, 237.51, 6.3295e-3, 223.40),
    (15.0, 187.12, 143.73, 4.0133e-3, 218.25),
    (20.0, 178.21, 85.006, 2.4921e-3, 212.99),
    (25.0, 169.33, 49.018, 1.5124e-3, 207.62),
    (30.0, 160.47, 27.487, 8.9492e-4, 202.12),
    (35.0, 151.64, 14.943, 5.1484e-4, 196.48),
    (40.0, 142.84, 7.8469, 2.8702e-4, 190.69),
    (50.0, 140.15, 2.0594, 7.6774e-5, 188.88),
    (60.0, 138.21, 0.53457, 2.0208e-5, 187.57),
    (70.0, 136.28, 0.13723, 5.2610e-6, 186.26),
    (80.0, 134.37, 0.034831, 1.3543e-6, 184.95),
    (100.0, 134.00, 2.2373e-3, 8.7231e-8, 184.69),
    (125.0, 134.00, 7.5554e-5, 2.9459e-9, 184.69),
]
"""Height [km], T [K], p [Pa], rho [kg/m^3], a [m/s] of the three layers, worked out apart; to the digits given."""
US_FILE = DATA / "atmosphere" / f"USStandardAtmosphere{1976}.csv"


def mars(**keys: Any) -> AtmosphereMars:
    return AtmosphereMars(model="mars", **keys)


def us1976(**keys: Any) -> AtmosphereUsStandard:
    return AtmosphereUsStandard(model="us1976", **keys)


def table(**keys: Any) -> AtmosphereTable:
    rows = {
        "heights": (0.0, 1e4, 3e4, 5e4),
        "density": (1.2, 0.4, 0.018, 0.001),
        "temperature": (288.0, 223.0, 226.0, 270.0),
    }
    return AtmosphereTable(model="table", **{**rows, "gas_constant": 287.0, "heat_ratio": 1.4, **keys})


def geometric(geopotential: np.ndarray, radius: float) -> np.ndarray:
    return radius * geopotential / (radius - geopotential)


def test_mars_to_its_digits() -> None:
    """Half a unit of the last of five digits."""
    rows = np.array(MARS_ROWS)
    air = air_at(mars(), rows[:, 0] * 1e3)
    np.testing.assert_allclose(air["temperature"], rows[:, 1], atol=0.0051)
    np.testing.assert_allclose(air["pressure"], rows[:, 2], rtol=5.1e-5)
    np.testing.assert_allclose(air["density"], rows[:, 3], rtol=5.1e-5)
    np.testing.assert_allclose(air["sound_speed"], rows[:, 4], atol=0.0051)


@pytest.mark.parametrize(("model", "layers"), [(us1976(), US1976), (mars(), MARS)], ids=["us1976", "mars"])
def test_pressure_by_quadrature(model: Any, layers: Any) -> None:
    """p = p_0 exp(-g_0/R int dH/T) over the temperatures between the bases, by Gauss's rule to 1e-13."""
    bases = np.array([*layers.bases, 95e3])
    temperatures = [layers.temperature]
    for low, high, lapse in zip(bases[:-1], bases[1:], layers.lapse_rates, strict=True):
        temperatures.append(temperatures[-1] + lapse * (high - low))
    heights = np.array([5e3, 15e3, 30e3, 45e3, 50e3, 65e3, 80e3, 90e3])
    air = air_at(model, geometric(heights, layers.radius))
    np.testing.assert_allclose(air["temperature"], np.interp(heights, bases, temperatures), rtol=1e-13)
    for height, pressure in zip(heights, air["pressure"], strict=True):
        breaks = [base for base in bases if 0 < base < height]
        total = quad(lambda x: 1 / np.interp(x, bases, temperatures), 0, height, points=breaks or None, epsabs=1e-13)[0]
        expected = layers.pressure * np.exp(-layers.gravity / layers.gas_constant * total)
        assert pressure == pytest.approx(expected, rel=1e-11)


def test_us1976_at_sea_level() -> None:
    air = air_at(us1976(), np.zeros(1))[0]
    assert air["density"] == pytest.approx(1.2250, abs=5e-5)
    assert air["sound_speed"] == pytest.approx(340.294, abs=5e-4)


@pytest.mark.skipif(not US_FILE.is_file(), reason=f"{US_FILE} is not here")
def test_us1976_against_a_published_table() -> None:
    """Rows at geopotential heights, density to six digits and temperature to five or six."""
    rows = np.loadtxt(US_FILE, delimiter=",", skiprows=2)
    rows = rows[rows[:, 0] <= 84.8e3]
    air = air_at(us1976(), geometric(rows[:, 0], US1976.radius))
    np.testing.assert_allclose(air["temperature"], rows[:, 1], atol=5.1e-4)
    np.testing.assert_allclose(air["density"], rows[:, 2], rtol=2e-5)


@pytest.mark.parametrize(("model", "layers"), [(us1976(), US1976), (mars(), MARS)], ids=["us1976", "mars"])
def test_hydrostatic_balance(model: Any, layers: Any) -> None:
    """dp/dh = -rho g_0 dH/dh, by central differences of 20 m: their error is (h/H)^2/6 of the slope, 2e-6."""
    h = np.concatenate([np.linspace(b + 100.0, b + 9000.0, 40) for b in (-5e3, 12e3, 21e3, 52e3, 90e3)])
    step = 20.0
    low, middle, high = (air_at(model, h + d) for d in (-step, 0.0, step))
    slope = (high["pressure"] - low["pressure"]) / (2 * step)
    dH_dh = (layers.radius / (layers.radius + h)) ** 2
    np.testing.assert_allclose(slope, -middle["density"] * layers.gravity * dH_dh, rtol=3e-6)
    gas = middle["density"] * layers.gas_constant * middle["temperature"]
    np.testing.assert_allclose(middle["pressure"], gas, rtol=1e-14)


@pytest.mark.parametrize("layers", [US1976, MARS], ids=["us1976", "mars"])
def test_layers_join(layers: Any) -> None:
    """Pressure and temperature have no jump at a base: the ends of each layer by its own formula."""
    rows = layers.rows
    for (base, temperature, lapse, pressure), above in pairwise(rows):
        rise, scale = above[0] - base, layers.gravity / layers.gas_constant
        top = temperature + lapse * rise
        factor = np.exp(-scale * rise / temperature) if lapse == 0 else (top / temperature) ** (-scale / lapse)
        np.testing.assert_allclose([above[1], above[3]], [top, pressure * factor], rtol=1e-14)


def test_density_factor_scales_pressure_too() -> None:
    h = np.array([-4.5e3, 10e3, 60e3])
    one, other = air_at(mars(), h), air_at(mars(density_factor=0.8), h)
    for name in ("density", "pressure"):
        np.testing.assert_allclose(other[name], 0.8 * one[name], rtol=1e-15)
    np.testing.assert_array_equal(other["temperature"], one["temperature"])


def test_exponential() -> None:
    given: dict[str, Any] = {
        "density": 0.0158,
        "scale_height": 9354.0,
        "temperature": 210.0,
        "gas_constant": 191.4,
        "heat_ratio": 1.33,
    }
    h = np.array([-1e3, 0.0, 9354.0, 1.3e5])
    air = air_at(AtmosphereExponential(model="exponential", **given), h)
    np.testing.assert_allclose(air["density"], 0.0158 * np.exp(-h / 9354.0), rtol=1e-14)
    np.testing.assert_allclose(air["pressure"], air["density"] * 191.4 * 210.0, rtol=1e-15)
    np.testing.assert_allclose(air["sound_speed"], np.sqrt(1.33 * 191.4 * 210.0), rtol=1e-15)


def test_none_is_a_vacuum() -> None:
    air = air_at(AtmosphereNone(model="none"), np.array([0.0, 1e5]))
    assert np.all(air["density"] == 0) and np.all(air["pressure"] == 0) and np.all(np.isinf(air["sound_speed"]))


@pytest.mark.parametrize("interpolation", ["linear", "log-linear", "log-cubic"])
def test_table_between_its_rows(interpolation: str) -> None:
    made = table(interpolation=interpolation)
    h = np.linspace(0.0, 5e4, 101)
    air, x, rho = air_at(made, h), np.array(made.heights), np.array(made.density)
    expected = {
        "linear": np.interp(h, x, rho),
        "log-linear": np.exp(np.interp(h, x, np.log(rho))),
        "log-cubic": np.exp(PchipInterpolator(x, np.log(rho))(h)),
    }[interpolation]
    np.testing.assert_allclose(air["density"], expected, rtol=1e-13)
    np.testing.assert_allclose(air["temperature"], np.interp(h, x, np.array(made.temperature)), rtol=1e-14)
    np.testing.assert_allclose(air["pressure"], air["density"] * 287.0 * air["temperature"], rtol=1e-14)


@pytest.mark.parametrize("interpolation", ["linear", "log-linear", "log-cubic"])
def test_table_beyond_its_ends(interpolation: str) -> None:
    """Not a number unless continued; continued, ln rho is a straight line without a jump, and the rest is held."""
    outside = np.array([-3e3, -1e3, 6e4, 7e4])
    assert np.all(np.isnan(air_at(table(interpolation=interpolation), outside)["density"]))
    made = table(interpolation=interpolation, below="continue", above="continue")
    air, edge = air_at(made, outside), air_at(made, np.array([0.0, 5e4]))
    log, ends = np.log(air["density"]), np.log(edge["density"])
    assert (log[0] - ends[0]) / -3e3 == pytest.approx((log[1] - ends[0]) / -1e3, rel=1e-12)
    assert (log[2] - ends[1]) / 1e4 == pytest.approx((log[3] - ends[1]) / 2e4, rel=1e-12)
    assert air["density"][0] > air["density"][1] > edge["density"][0]
    np.testing.assert_array_equal(air["temperature"], [288.0, 288.0, 270.0, 270.0])
    if interpolation != "linear":  # C1 through the end: the slope inside is the slope beyond
        inside = np.log(air_at(made, np.array([5e4 - 0.5]))["density"][0])
        assert (ends[1] - inside) / 0.5 == pytest.approx((log[2] - ends[1]) / 1e4, rel=1e-4)


def test_a_table_holds_at_its_very_ends() -> None:
    """Altitudes of a start at the table's end are rounded, to 1e-9 m or so: it is inside; a millimetre is not."""
    made = table()
    air = air_at(made, np.array([-1e-8, 5e4 + 1e-8, 5e4 + 1e-3]))
    np.testing.assert_allclose(air["density"][:2], [1.2, 0.001], rtol=1e-14)
    np.testing.assert_allclose(air["pressure"][:2], [1.2 * 287.0 * 288.0, 0.001 * 287.0 * 270.0], rtol=1e-14)
    assert np.isnan(air["density"][2])


def test_table_with_pressure_and_sound() -> None:
    """ln p in straight lines, the speed of sound too; beyond the end pressure falls with density."""
    pressure, sound = (1e5, 2.6e4, 1.1e3, 80.0), (340.0, 300.0, 301.0, 330.0)
    made = table(pressure=pressure, sound_speed=sound, gas_constant=None, heat_ratio=None, above="continue")
    h = np.array([0.0, 5e3, 2e4, 5e4])
    air, x = air_at(made, h), np.array(made.heights)
    np.testing.assert_allclose(air["pressure"], np.exp(np.interp(h, x, np.log(pressure))), rtol=1e-13)
    np.testing.assert_allclose(air["sound_speed"], np.interp(h, x, sound), rtol=1e-14)
    last, beyond = air[-1], air_at(made, np.array([6e4]))[0]
    assert beyond["pressure"] / last["pressure"] == pytest.approx(beyond["density"] / last["density"], rel=1e-13)


def test_perturbation() -> None:
    """Formulas written out again; pressure and sound by the gas law."""
    change = Perturbation(
        density_shift=0.05, wave=-1.5, wave_length=17e3, wave_phase_deg=40.0, temperature_factor=0.97,
        wind_east=12.0, wind_north=-8.0,
    )  # fmt: skip
    h = np.linspace(-4e3, 1.4e5, 37)
    plain, air = air_at(mars(), h), air_at(mars(perturbation=change, wind=Wind(heights=(0.0, 1e4), east=(2.0, 6.0))), h)
    amplitude = -1.5 * np.interp(h, [0.0, 30e3, 70e3, 130e3], [0.01, 0.025, 0.08, 0.12])
    factor = np.exp(0.05) * (1 + amplitude * np.sin(2 * np.pi * h / 17e3 + np.radians(40.0)))
    np.testing.assert_allclose(air["density"], plain["density"] * factor, rtol=1e-13)
    np.testing.assert_allclose(air["pressure"], plain["pressure"] * factor * 0.97, rtol=1e-13)
    np.testing.assert_allclose(air["sound_speed"], plain["sound_speed"] * np.sqrt(0.97), rtol=1e-14)
    scale = np.clip((h + 5e3) / 15e3, 0.2, 1.0)
    np.testing.assert_allclose(air["wind_east"], np.interp(h, [0, 1e4], [2.0, 6.0]) + 12.0 * scale, rtol=1e-13)
    np.testing.assert_allclose(air["wind_north"], -8.0 * scale, rtol=1e-13)


def test_a_temperature_that_differs_near_the_ground() -> None:
    """A profile over height: all of it at -4 km, half of it between, none over 20 km; density is left as it is."""
    change = Perturbation(temperature_factor=1.08, temperature_heights=(-4e3, 20e3), temperature_scales=(1.0, 0.0))
    h = np.array([-6e3, -4e3, 8e3, 20e3, 9e4])
    plain, air = air_at(mars(), h), air_at(mars(perturbation=change), h)
    factor = np.array([1.08, 1.08, 1.04, 1.0, 1.0])
    np.testing.assert_array_equal(air["density"], plain["density"])
    np.testing.assert_allclose(air["temperature"], plain["temperature"] * factor, rtol=1e-14)
    np.testing.assert_allclose(air["pressure"], plain["pressure"] * factor, rtol=1e-14)
    np.testing.assert_allclose(air["sound_speed"], plain["sound_speed"] * np.sqrt(factor), rtol=1e-14)
    with pytest.raises(ValueError, match=r"temperature by the factor -0\.5 somewhere; it must stay > 0"):
        Perturbation(temperature_factor=0.5, temperature_heights=(0.0, 1e4), temperature_scales=(1.0, 3.0))


def test_refused_numbers() -> None:
    with pytest.raises(InputError, match=r"density is -0.4 kg/m\^3 at 10000 m; expected density greater than 0"):
        air_at(table(density=(1.2, -0.4, 0.018, 0.001)), np.zeros(1))
    with pytest.raises(InputError, match="10000 m follows 30000 m in row 3; expected heights that increase"):
        air_at(table(heights=(0.0, 3e4, 1e4, 5e4)), np.zeros(1))
    with pytest.raises(InputError, match="has 3 numbers for 4 heights"):
        air_at(table(density=(1.2, 0.4, 0.018)), np.zeros(1))
    with pytest.raises(InputError, match="no column of pressure, and nothing that it follows from; give that column"):
        air_at(table(gas_constant=None), np.zeros(1))
    kilopascals = table(pressure=(101325e3, 26436e3, 1197e3, 79.8e3), gas_constant=None)
    with pytest.raises(InputError, match=r"gas constant p/\(rho T\) is 293186 J/\(kg K\) at 0 m; expected 20 to 10000"):
        air_at(kilopascals, np.zeros(1))
    with pytest.raises(InputError, match=r"heat ratio a\^2 rho/p is 1\.39\d*e\+06 at 0 m; expected 0\.5 to 5"):
        air_at(table(sound_speed=(340e3, 300e3, 301e3, 330e3)), np.zeros(1))
    with pytest.raises(ValueError, match="greater than or equal to 20"):
        table(gas_constant=0.28705)
    with pytest.raises(ValueError, match=r"density changes by up to 1\.2 of itself"):
        Perturbation(wave=10.0)
    with pytest.raises(ValueError, match="do not increase"):
        Wind(heights=(0.0, 0.0), east=(1.0, 2.0))
