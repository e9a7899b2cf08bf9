"""Gravity of real shapes and real gravity files against independent solutions and published values.

The files are not part of the repository: see `support.shared_data`.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from planetfall import load
from planetfall.world.gravity.harmonics.build import harmonics_field, shape_harmonics
from planetfall.world.gravity.harmonics.data import truncated
from planetfall.world.gravity.polyhedron.build import ask_polyhedron, polyhedron_field
from planetfall.world.gravity.readers.load import load_gravity_file
from planetfall.world.shape.shape_file import load_shape
from support.bodies import cube
from support.peer_gravity import assert_peer_agrees
from support.shared_data import DATA

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no shared data at {DATA} (set PLANETFALL_SHARED_DATA)")

EROS = "shapes/eros/EROS856Vert1708Fac.txt"
EROS_GM = 4.46275472004e5  # [m^3/s^2], of the reference orbit and of the N15A field


def shape(name: str):
    return load_shape(DATA / name, "shape", scale=1000.0)


def test_cube_of_the_closed_form_at_all_its_points() -> None:
    """Columns x y z, -U, g for density 1 and the cube [-1, 1]^3; 14 digits are printed. Facets and edges included."""
    rows = np.loadtxt(DATA / "shapes/analytic/analytic_cube_solution_density1.txt", skiprows=1)
    assert len(rows) == 21**3
    potential, acceleration = polyhedron_field(*cube(2.0), "cpu", density=1000.0).at(rows[:, :3])
    np.testing.assert_allclose(potential, -1000.0 * rows[:, 3], rtol=2e-13)
    np.testing.assert_allclose(acceleration, 1000.0 * rows[:, 4:], rtol=0, atol=1e-13 * 3.5e-7)


def test_orbit_about_eros_is_the_published_one() -> None:
    """A day in the rotating frame, every 300 s; period 5.27 h, GM 4.46275472004e5.

    The reference was integrated by another code with a relative tolerance of 1e-12 and printed with 15 digits: some
    thousand steps leave 1e-9 of 3e4 m.
    """
    mesh = shape(EROS)
    field = polyhedron_field(mesh.vertices, mesh.facets, "cpu", gm=EROS_GM)
    rows = np.loadtxt(DATA / "shapes/eros/basilisk_polyTestData.csv", delimiter=",")
    omega = np.array([0.0, 0.0, 2.0 * np.pi / (5.27 * 3600.0)])

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        turn = -2.0 * np.cross(omega, y[3:]) - np.cross(omega, np.cross(omega, y[:3]))
        return np.concatenate([y[3:], field.acceleration(y[:3])[0] + turn])

    found = solve_ivp(
        rate, (0.0, rows[-1, 0]), rows[0, 1:], "DOP853", t_eval=rows[:, 0], rtol=1e-12, atol=[1e-8] * 3 + [1e-11] * 3
    )
    np.testing.assert_allclose(found.y[:3].T, rows[:, 1:4], atol=1e-4, rtol=0)
    np.testing.assert_allclose(found.y[3:].T, rows[:, 4:], atol=1e-7, rtol=0)


@pytest.mark.parametrize(
    "name", ["shapes/67p/67P_smallbodygravity.obj", "shapes/itokawa/ItokawaHayabusa_basilisk.obj", EROS]
)
def test_divergence_tells_inside_from_outside_of_real_shapes(name: str) -> None:
    """Duplicate vertices of Itokawa included. A facet's height from its centroid is known to rounding of 1e-16 R."""
    mesh = shape(name)
    field = polyhedron_field(mesh.vertices, mesh.facets, "cpu", density=1500.0)
    corners = mesh.vertices[mesh.facets[:: max(1, len(mesh.facets) // 20)]]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    steps = 1e-3 * normals / np.sqrt(np.linalg.norm(normals, axis=1))[:, None]
    outside = ask_polyhedron(field, corners.mean(axis=1) + steps)
    inside = ask_polyhedron(field, corners.mean(axis=1) - steps)
    full = 4.0 * np.pi * float(field.params.strength)
    np.testing.assert_allclose(outside.divergence / full, 0.0, atol=1e-11)
    np.testing.assert_allclose(inside.divergence / full, -1.0, atol=1e-11)
    assert inside.is_inside.all() and not outside.is_inside.any()


def test_harmonics_of_the_shape_of_eros_are_the_polyhedron_outside_its_sphere() -> None:
    """Degree 20 at twice the circumscribing radius: 2^-21 of coefficients of 1e-2."""
    mesh = shape(EROS)
    data = shape_harmonics(mesh.vertices, mesh.facets, EROS_GM, 20)
    points = np.random.default_rng(0).normal(size=(200, 3))
    points *= 2.0 * data.radius / np.linalg.norm(points, axis=1)[:, None]
    exact = polyhedron_field(mesh.vertices, mesh.facets, "cpu", gm=EROS_GM).acceleration(points)
    found = harmonics_field(data, "cpu").acceleration(points)
    assert np.linalg.norm(found - exact, axis=1).max() < 2e-8 * np.linalg.norm(exact, axis=1).mean()


def test_eros_as_measured_is_nearly_its_shape() -> None:
    """N15A as tracked against the uniform shape: C20 and C22 agree to some percent if Eros is nearly homogeneous.

    A wrong normalisation, a wrong sign or a mirrored axis would be off by tens of percent.
    """
    measured = load_gravity_file(DATA / "gravity/eros_n15acoeff_15x15.cof")
    assert (measured.gm, measured.radius, measured.degree) == (EROS_GM, 16000.0, 15)
    mesh = shape("shapes/eros/eros007790.tab")
    uniform = shape_harmonics(mesh.vertices, mesh.facets, EROS_GM, 4)
    scale = (uniform.radius / 16000.0) ** 2
    assert uniform.cosine[2, 0] * scale == pytest.approx(measured.cosine[2, 0], rel=0.02)
    assert uniform.cosine[2, 2] * scale == pytest.approx(measured.cosine[2, 2], rel=0.02)


@pytest.mark.parametrize(
    ("name", "gm", "radius", "degree", "j2", "at_equator"),
    [
        ("gravity/mars_MRO110B2_trunc50.sha", 4.2828374527e13, 3.396e6, 50, 1.95661e-3, 3.7245),
        ("gravity/mars_gmm3_120_sha.tab", 4.282837285418775e13, 3.396e6, 120, 1.95661e-3, 3.7245),
        ("gravity/moon_GRAIL150_trunc50.sha", 4.9027998069316904e12, 1.738e6, 50, 2.03216e-4, 1.6236),
    ],
)
def test_planets(name: str, gm: float, radius: float, degree: int, j2: float, at_equator: float) -> None:
    """GM and R of the headers; J2 as published, to 1e-4 as tide systems differ.

    g on the equator is GM/R^2 (1 + 3/2 J2) on average; higher zonals are below 3e-4 of it.
    """
    data = load_gravity_file(DATA / name)
    assert data.gm == pytest.approx(gm, rel=1e-14)
    assert (data.radius, data.degree) == (radius, degree)
    assert data.cosine[2, 0] == pytest.approx(-j2 / np.sqrt(5.0), rel=1e-4)
    turn = np.linspace(0.0, 2.0 * np.pi, 181)[:-1]
    equator = radius * np.column_stack([np.cos(turn), np.sin(turn), 0.0 * turn])
    gravity = np.linalg.norm(harmonics_field(data, "cpu").acceleration(equator), axis=1)
    assert gravity.mean() == pytest.approx(at_equator, rel=3e-4)


@pytest.mark.parametrize(
    ("latitude_deg", "longitude_deg", "height"),
    [(4.502, 135.623, -370.0), (-4.5965, 137.4019, -418.0), (-2.05, 353.79, -638.0)],
)
def test_areoid_of_mars(latitude_deg: float, longitude_deg: float, height: float) -> None:
    """Heights over the ellipsoid of the level surface with a mean radius of 3396.0 km at the equator, to a metre.

    They stand in docs/models/atmosphere.md, Which height.
    """
    data, target = truncated(load_gravity_file(DATA / "gravity/mars_gmm3_120_sha.tab"), 30), load("insight-edl").target
    field, shape = harmonics_field(data, "cpu"), target.ellipsoid

    def level(places: np.ndarray) -> np.ndarray:
        return field.at(places)[0] - 0.5 * target.spin_rate**2 * (places[:, 0] ** 2 + places[:, 1] ** 2)

    turn = np.linspace(0.0, 2.0 * np.pi, 361)[:-1]
    mean = level(3.396e6 * np.column_stack([np.cos(turn), np.sin(turn), 0.0 * turn])).mean()
    latitude, longitude = np.radians([latitude_deg, longitude_deg])
    geodetic = shape.geodetic_latitude(latitude, 0.0)
    heights = np.array([-1000.0, 1000.0])
    excess = level(np.array([shape.position(geodetic, longitude, h) for h in heights])) - mean
    found = heights[0] - excess[0] * (heights[1] - heights[0]) / (excess[1] - excess[0])
    assert found == pytest.approx(height, abs=1.0)


def test_two_fields_of_mars_agree() -> None:
    """MRO110B2 and GMM-3, both to degree 50, at 300 km: Mars's gravity is known to some mGal there (1e-5 m/s^2)."""
    points = np.random.default_rng(1).normal(size=(200, 3))
    points *= 3.696e6 / np.linalg.norm(points, axis=1)[:, None]
    fields = [
        harmonics_field(truncated(load_gravity_file(DATA / name), 50), "cpu")
        for name in ("gravity/mars_MRO110B2_trunc50.sha", "gravity/mars_gmm3_120_sha.tab")
    ]
    one, other = (field.acceleration(points) for field in fields)
    assert np.linalg.norm(one - other, axis=1).max() < 2e-5


@pytest.mark.parametrize(
    "name", [EROS, "shapes/itokawa/ItokawaHayabusa_basilisk.obj", "shapes/67p/67P_smallbodygravity.obj"]
)
def test_peer_package_agrees(name: str) -> None:
    mesh = shape(name)
    assert_peer_agrees(mesh.vertices, mesh.facets, 50)
