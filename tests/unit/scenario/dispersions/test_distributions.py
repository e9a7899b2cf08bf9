"""Dispersions: what their tables accept, and that their values follow the distributions they name."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomli_w
from scipy import stats

import planetfall
from planetfall import InputError
from planetfall.scenario.dispersions.correlations import correlate, correlated_groups
from planetfall.scenario.dispersions.distributions import (
    DispersionCategorical,
    DispersionCone,
    DispersionLogNormal,
    DispersionNormal,
    DispersionTriangular,
    DispersionUniform,
    DispersionVector,
)
from planetfall.scenario.dispersions.keys import place_of
from planetfall.scenario.tables.run.attitude import rotation_matrix

U = (np.arange(1000) + 0.5)[:, None] / 1000
"""A ladder of probabilities: quantiles there pin a distribution down without any luck."""


def dispersed(key: str, **table: Any) -> planetfall.Scenario:
    return planetfall.load("msl-drop").with_values({f"dispersions.{key}": table})


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("terrain.slope_deg", {"distribution": "normal", "sigma": 12.0}, r"percentile 3\.34; it has to be at least 0 deg"),
    (
        "terrain.slope_deg",
        {"distribution": "normal", "mean": 80.0, "sigma": 8.0},
        r"percentile 89\.4.*less than 90",
    ),
    ("terrain.slope_deg", {"distribution": "uniform", "low": -1.0, "high": 3.0}, r"percentile 25;"),
    ("terrain.slope_deg", {"distribution": "normal", "mean": -5, "sigma": 1.0}, r"percentile 50; .*at least 0 deg"),
    (
        "terrain.slope_deg",
        {"distribution": "norml"},
        r"slope_deg\.distribution: unknown 'norml'; expected one of normal, ",
    ),
    ("terrain.slope_deg", {"distribution": "normal"}, r"slope_deg\.sigma: missing; meaning: standard deviation"),
    (
        "terrain.slope_deg",
        {"distribution": "normal", "sigma": 0},
        r"slope_deg\.sigma: is .*; it must be greater than 0",
    ),
    ("terrain.slope_deg", {"distribution": "normal", "sigma": 1, "sgma": 2}, r"unknown key; did you mean sigma\?"),
    ("terrain.slope_deg", {"distribution": "normal", "sigma": 1, "low": 9, "high": 8}, r"low: 9 must be less than"),
    ("terrain.slope_deg", {"distribution": "normal", "sigma": 0.1, "low": 80, "high": 81}, r"nothing of the distrib"),
    ("terrain.slope_deg", {"distribution": "grid", "steps": [1.0, 95.0]}, r"95 deg is not allowed.*less than 90 deg"),
    ("terrain.slope_deg", {"distribution": "grid", "steps": []}, r"at least one value"),
    (
        "terrain.slope",
        {"distribution": "normal", "sigma": 1},
        r"no such key \('slope'\); did you mean slope_deg\? legal here: added, aspect_deg, ",
    ),
    ("terrain.model", {"distribution": "normal", "sigma": 1}, r"is not a number"),
    ("contact.clamp", {"distribution": "uniform", "low": 0, "high": 1}, r"is not a number"),
    ("record.interval", {"distribution": "uniform", "low": 1, "high": 2}, r"no part in the motion"),
    ("scenario.seed", {"distribution": "categorical", "options": [1, 2]}, r"no part in the motion"),
    ("contact.loaded_points", {"distribution": "uniform", "low": 2, "high": 4}, r"takes whole numbers; use"),
    ("contact.loaded_points", {"distribution": "grid", "steps": [2, 2.5]}, r"takes whole numbers, and 2\.5 is not one"),
    ("contact.reference_gravity", {"distribution": "normal", "sigma": 0.1}, r"gives no value to disperse"),
    ("initial.velocity", {"distribution": "normal", "sigma": 1}, r"component such as initial\.velocity\.0"),
    ("initial.velocity.3", {"distribution": "normal", "sigma": 1}, r"'3' is not an index of a list of 3"),
    ("initial.velocity.0.x", {"distribution": "normal", "sigma": 1}, r"would lie inside a value"),
    ("initial.velocity", {"distribution": "multivariate-normal"}, r"give either sigma or covariance"),
    (
        "initial.velocity",
        {"distribution": "multivariate-normal", "covariance": [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]},
        r"not semidefinite",
    ),
    ("gravity.direction.0", {"distribution": "normal", "sigma": 1}, r"one component of a direction"),
    ("gravity.direction", {"distribution": "multivariate-normal", "sigma": [1, 1, 1]}, r"for three numbers together"),
    ("vehicle.mass", {"distribution": "cone", "half_angle_deg": 1}, r"a cone is for directions"),
    ("target.attitude", {"distribution": "cone", "half_angle_deg": 1}, r"only initial\.attitude can be dispersed"),
    ("vehicle.mass", {"distribution": "table", "file": "no/such.csv"}, r"no such file \S*/no/such\.csv"),
    ("vehicle.mass", {"distribution": "table", "samples": [900.0, -1.0]}, r"-1 kg is not allowed.*greater than 0 kg"),
    ("vehicle.mass", {"distribution": "table"}, r"give either samples or a file"),
    ("vehicle.mass", {"distribution": "table", "samples": [1.0], "column": "a"}, r"column: belongs to a file"),
    ("vehicle.mass", {"distribution": "categorical", "options": [1, 2], "weights": [1]}, r"1 weights for 2 options"),
    ("vehicle.mass", {"distribution": "categorical", "options": [1, 2], "weights": [0, 0]}, r"some must be positive"),
    ("initial.height", {"distribution": "triangular", "low": 1, "high": 1.5}, r"mode: 2 does not lie between"),
    ("vehicle.mass", {"distribution": "normal", "sigma": 1, "correlated": {"a": 0.5}}, r"a is not another dispersed"),
    ("initial.velocity.0", {"distribution": "normal", "sigma": float("nan")}, r"must be a finite number"),
    ("initial.velocity.0", {"distribution": "normal", "sigma": 1e60}, r"1e-40 to 1e40 in magnitude"),
    ("../escape", {"distribution": "normal", "sigma": 1}, r"no such key"),
    ("", {"distribution": "normal", "sigma": 1}, r"no such key"),
]


@pytest.mark.parametrize(("key", "table", "said"), BAD)
def test_bad_dispersions_are_refused(key: str, table: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        planetfall.load("msl-drop").with_values({"dispersions": {key: table}})
    assert str(caught.value).startswith("dispersions.")
    assert "\n" not in str(caught.value)


def test_a_shared_ground_cannot_be_dispersed() -> None:
    with pytest.raises(InputError, match=r"all runs share ground that is not just a plane"):
        planetfall.load("morpheus-static-kinetic").with_values(
            {"dispersions": {"terrain.scale": {"distribution": "uniform", "low": 1.0, "high": 2.0}}}
        )


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        (
            {
                "initial.velocity": {"distribution": "multivariate-normal", "sigma": [0.1, 0.1, 0.1]},
                "initial.velocity.0": {"distribution": "normal", "sigma": 0.1},
            },
            r"dispersions\.initial\.velocity\.0: initial\.velocity is dispersed as well, and decides it",
        ),
        (
            {
                "initial.attitude": {"distribution": "cone", "half_angle_deg": 5.0},
                "initial.euler_ned_deg.2": {"distribution": "normal", "sigma": 0.1},
            },
            r"dispersions\.initial\.euler_ned_deg\.2: initial\.attitude is dispersed as well, and decides it",
        ),
    ],
)
def test_nothing_is_dispersed_twice(tables: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        planetfall.load("msl-drop").with_values({"dispersions": tables})


def test_errors_survive_the_way_from_a_worker() -> None:
    import pickle

    error = InputError("key", "is wrong", "right ones", "change it")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.advice) == (str(error), "change it")


def test_both_spellings_of_a_key_are_one() -> None:
    text = """
    [dispersions.terrain.slope_deg]
    distribution = "normal"
    sigma = 1.0
    [dispersions."contact.breakaway_angle_deg"]
    distribution = "uniform"
    low = 30.0
    high = 33.0
    [dispersions.contact.sliding_angle_deg]
    distribution = "uniform"
    low = 26.0
    high = 28.0
    correlated = { contact.breakaway_angle_deg = 0.5 }
    """
    scenario = planetfall.load("msl-drop").with_values(tomllib.loads(text))
    keys = ["terrain.slope_deg", "contact.breakaway_angle_deg", "contact.sliding_angle_deg"]
    assert sorted(scenario.dispersions) == sorted(keys)
    assert scenario.to_dict()["dispersions"][keys[2]]["correlated"] == {keys[1]: 0.5}
    written = tomllib.loads(tomli_w.dumps(scenario.to_dict()))
    assert planetfall.load("msl-drop").with_values({"dispersions": written["dispersions"]}) == scenario


def test_keys_of_a_dispersion_can_be_set_one_by_one() -> None:
    scenario = dispersed("terrain.slope_deg", distribution="normal", sigma=1.0)
    wider = scenario.with_values({"dispersions.terrain.slope_deg.sigma": 2.0})
    assert wider.dispersions["terrain.slope_deg"] == DispersionNormal(distribution="normal", sigma=2.0)
    other = scenario.with_values({"dispersions.terrain.slope_deg": {"distribution": "grid", "steps": [1.0]}})
    assert other.to_dict()["dispersions"] == {"terrain.slope_deg": {"distribution": "grid", "steps": [1.0]}}
    assert scenario.with_values({"dispersions": {}}).dispersions == {}


def test_places_know_unit_and_value() -> None:
    scenario = planetfall.load("msl-drop")
    assert place_of(scenario, "vehicle.points.2.position.1").nominal == 1.0625
    assert place_of(scenario, "vehicle.points.2.position.1").unit == "m"
    assert place_of(scenario, "contact.breakaway_angle_deg").unit == "deg"
    assert place_of(scenario, "initial.attitude").width == 4
    assert place_of(scenario, "contact.loaded_points").is_whole


@pytest.mark.parametrize(
    ("dispersion", "law"),
    [
        (DispersionNormal(distribution="normal", sigma=2.0), stats.norm(5.0, 2.0)),
        (
            DispersionNormal(distribution="normal", mean=1.0, sigma=2.0, low=0.0),
            stats.truncnorm(-0.5, np.inf, 1.0, 2.0),
        ),
        (
            DispersionNormal(distribution="normal", mean=0.0, sigma=1.0, low=7.0, high=9.0),
            stats.truncnorm(7.0, 9.0),
        ),
        (
            DispersionNormal(distribution="normal", mean=0.0, sigma=1.0, low=-9.0, high=-7.0),
            stats.truncnorm(-9.0, -7.0),
        ),
        (DispersionUniform(distribution="uniform", low=-1.0, high=3.0), stats.uniform(-1.0, 4.0)),
        (DispersionLogNormal(distribution="log-normal", sigma_log=0.3), stats.lognorm(0.3, scale=5.0)),
        (DispersionTriangular(distribution="triangular", low=1.0, mode=2.0, high=5.0), stats.triang(0.25, 1.0, 4.0)),
        (DispersionTriangular(distribution="triangular", low=5.0, high=9.0), stats.triang(0.0, 5.0, 4.0)),
    ],
)
def test_values_are_the_quantiles_of_the_distribution(dispersion: Any, law: Any) -> None:
    """SciPy's own quantiles to rounding: 1e-12 leaves room for the different tails in which the two count."""
    np.testing.assert_allclose(dispersion.values(U, 5.0), law.ppf(U[:, 0]), rtol=1e-12, atol=1e-12)


def test_a_cut_lognormal_stays_within_its_ends() -> None:
    cut = DispersionLogNormal(distribution="log-normal", median=2.0, sigma_log=1.0, low=1.0, high=3.0)
    values = cut.values(U, None)
    assert values.min() >= 1.0
    assert values.max() <= 3.0
    inside = stats.norm(np.log(2.0), 1.0)
    share = (inside.cdf(np.log(values)) - inside.cdf(0.0)) / (inside.cdf(np.log(3.0)) - inside.cdf(0.0))
    np.testing.assert_allclose(share, U[:, 0], atol=1e-12)


def test_a_lognormal_beyond_all_numbers_is_refused() -> None:
    wide = {"vehicle.mass": {"distribution": "log-normal", "sigma_log": 1e6}}
    with pytest.raises(InputError, match=r"dispersions\.vehicle\.mass: leaves the legal range at percentile 50"):
        planetfall.load("msl-drop").with_values({"dispersions": wide})
    assert DispersionLogNormal(distribution="log-normal", median=1.0, sigma_log=1e6).values(U[-1:], None) == np.inf


def test_categories_come_by_weight() -> None:
    plain = DispersionCategorical(distribution="categorical", options=(1.0, 2.0, 4.0, 8.0))
    assert [int(np.count_nonzero(plain.values(U, None) == option)) for option in plain.options] == [250] * 4
    weighed = DispersionCategorical(distribution="categorical", options=(1.0, 2.0, 4.0), weights=(1.0, 0.0, 3.0))
    assert [int(np.count_nonzero(weighed.values(U, None) == option)) for option in weighed.options] == [250, 0, 750]


def test_vectors_have_their_covariance() -> None:
    """The root squares to the covariance, so that any independent deviates of variance 1 give it."""
    covariance = ((2.0, 0.6, 0.0), (0.6, 1.0, -0.2), (0.0, -0.2, 0.06))
    vector = DispersionVector(distribution="multivariate-normal", covariance=covariance)
    mean = np.array([1.0, 2.0, 3.0])
    at_one = stats.norm.cdf(1.0)
    steps = vector.values(np.where(np.eye(3) == 1, at_one, 0.5), mean) - mean
    np.testing.assert_allclose(steps.T @ steps, covariance, atol=1e-12)
    np.testing.assert_allclose(vector.values(np.full((1, 3), 0.5), mean), mean[None], atol=1e-15)


def directions(n: int = 40) -> np.ndarray:
    ladder = (np.arange(n) + 0.5) / n
    return np.array(np.meshgrid(ladder, ladder, [0.5])).reshape(3, -1).T


def test_a_cone_is_even_over_its_cap() -> None:
    """By Archimedes, 1 - cos of the tilt is uniform up to the edge; tilt and azimuth do not hang together."""
    cone = DispersionCone(distribution="cone", half_angle_deg=30.0)
    middle = np.array([0.6, 0.0, 0.8])
    found = cone.values(directions(), middle)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-15)
    share = (1.0 - found @ middle) / (1.0 - np.cos(np.radians(30.0)))
    np.testing.assert_allclose(np.sort(share), np.sort(directions()[:, 0]), atol=1e-12)
    np.testing.assert_allclose(np.cross(found.mean(axis=0), middle), 0.0, atol=1e-12)


def test_a_tiny_cone_has_no_rounding() -> None:
    cone = DispersionCone(distribution="cone", half_angle_deg=1e-6)
    middle = np.array([0.0, 0.0, 1.0])
    across = np.linalg.norm(cone.values(directions(), middle)[:, :2], axis=1)
    np.testing.assert_allclose(across, np.radians(1e-6) * np.sqrt(directions()[:, 0]), rtol=1e-12)


def test_attitudes_tilt_an_axis_and_twist_about_it() -> None:
    cone = DispersionCone(distribution="cone", half_angle_deg=20.0, twist_deg=40.0)
    nominal, up = planetfall.load("msl-drop").initial.quaternion, np.array([-1.0, 0.0, 0.0])
    u = np.column_stack([directions()[:, :2], np.linspace(0.01, 0.99, len(directions()))])
    found = rotation_matrix(cone.attitudes(u, nominal, up))
    axes, upright = found @ up, rotation_matrix(nominal) @ up
    share = (1.0 - axes @ upright) / (1.0 - np.cos(np.radians(20.0)))
    np.testing.assert_allclose(share, u[:, 0], atol=1e-12)
    only_twist = rotation_matrix(cone.attitudes(np.column_stack([np.full(3, 1e-30), [0.2] * 3, [0.0, 0.5, 1.0]]),
                                                nominal, up))  # fmt: skip
    turns = [
        np.degrees(np.arccos(np.clip((np.trace(rotation_matrix(nominal).T @ R) - 1) / 2, -1, 1))) for R in only_twist
    ]
    np.testing.assert_allclose(turns, [40.0, 0.0, 40.0], atol=1e-5)


def test_correlations_are_those_of_the_deviates() -> None:
    """Of 40,000 independent pairs the correlation has a standard error of (1 - r^2)/200: 5 of them allowed."""
    scenario = planetfall.load("msl-drop").with_values(
        {
            "dispersions": {
                "vehicle.mass": {"distribution": "normal", "sigma": 5.0, "correlated": {"initial.height": -0.8}},
                "initial.height": {"distribution": "uniform", "low": 1.9, "high": 2.1},
                "terrain.slope_deg": {"distribution": "normal", "sigma": 1.0},
            }
        }
    )
    ((keys, root),) = correlated_groups(scenario.dispersions)
    assert keys == ("initial.height", "vehicle.mass")
    u = np.random.Generator(np.random.Philox(key=3)).random((40_000, 2))
    mixed = stats.norm.ppf(correlate(u, root))
    assert abs(np.corrcoef(mixed.T)[0, 1] + 0.8) < 5 * (1 - 0.64) / 200
    np.testing.assert_allclose(np.sort(correlate(u, root)[:, 0]), np.sort(u[:, 0]), atol=1e-12)


def test_contradicting_correlations_are_refused() -> None:
    table = {"distribution": "normal", "sigma": 0.1}
    with pytest.raises(InputError, match=r"contradict each other"):
        planetfall.load("msl-drop").with_values(
            {
                "dispersions": {
                    "initial.velocity.0": {
                        **table,
                        "correlated": {"initial.velocity.1": 0.9, "initial.velocity.2": 0.9},
                    },
                    "initial.velocity.1": {**table, "correlated": {"initial.velocity.2": -0.9}},
                    "initial.velocity.2": table,
                }
            }
        )


def test_samples_come_from_a_column(tmp_path: Path) -> None:
    path = tmp_path / "samples.csv"
    path.write_text("mass, vehicle.mass\n1,900\n2,905.5\n", encoding="utf-8")
    table = {"distribution": "table", "file": str(path)}
    assert dispersed("vehicle.mass", **table).to_dict()["dispersions"]["vehicle.mass"]["file"] == str(path)
    with pytest.raises(InputError, match=r"has no column 'weight'; it has mass, vehicle\.mass"):
        dispersed("vehicle.mass", **table, column="weight")
    path.write_text("vehicle.mass\n900\nheavy\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 3 of .* has no number in column"):
        dispersed("vehicle.mass", **table)
    path.write_text("vehicle.mass\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"has no rows"):
        dispersed("vehicle.mass", **table)


def test_a_whole_number_may_stand_where_any_number_is_legal() -> None:
    """The type of a component is the declared one, not that of its value."""
    key = "vehicle.shape.center_of_mass.2"
    shape = {"kind": "box", "size": [1, 1, 2], "center_of_mass": [0, 0, 0]}
    given = {"vehicle": {"name": "x", "mass": 1, "inertia": [1, 1, 1], "shape": shape}}
    offset = {"distribution": "grid", "steps": [0.0, 0.05]}
    scenario = planetfall.load("settle-sweep").with_values({**given, f"dispersions.{key}": offset})
    assert scenario.dispersions[key].steps == (0.0, 0.05)
    assert not place_of(scenario, key).is_whole
