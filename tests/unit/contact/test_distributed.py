"""Friction and rolling resistance of whole bodies make no energy, whatever the inertia and the motion."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from planetfall.contact.distributed import COMPANION_CREEP
from support.gathered_probes import gathered, largest_return
from support.random_states import random_inertia

N = 4000
MU, MU_STATIC, SLIP_SPEED, ROLL_RATE = 0.6, 0.7, 2e-3, 5e-3
MASS, ROUNDING = 1.3, 1e-12  # relative, of powers that are sums of a dozen products
Bodies = dict[str, NDArray[np.float64]]


def bodies(seed: int, speeds: tuple[float, float], rates: tuple[float, float]) -> Bodies:
    """Bodies of unequal inertia, on one point each.

    `speeds` of that point over v*, and `rates` over omega*, between powers of ten.
    """
    rng = np.random.default_rng(seed)

    def directions() -> np.ndarray:
        v = rng.normal(size=(N, 3))
        return v / np.linalg.norm(v, axis=1)[:, None]

    inertia = np.array([random_inertia(rng) * 10.0 ** rng.uniform(-3, 0) for _ in range(N)])
    normal, arm = directions(), directions()
    across = np.cross(normal, directions())
    speed = SLIP_SPEED * 10.0 ** rng.uniform(*speeds, (N, 1))
    across *= speed / np.linalg.norm(across, axis=1)[:, None]
    return {
        "load": 10.0 ** rng.uniform(-4, 3, N), "arm": arm, "normal": normal,
        "velocity": across + normal * speed * rng.normal(size=(N, 1)),
        "omega": directions() * (ROLL_RATE * 10.0 ** rng.uniform(*rates, N))[:, None],
        "drift": directions() * 10.0 ** rng.uniform(-4, 4, (N, 1)),
        "spin_up": directions() * 10.0 ** rng.uniform(-4, 4, (N, 1)),
        "mass": np.full(N, MASS), "mass_inverse": np.full(N, 1.0 / MASS),
        "inertia": inertia, "inertia_inverse": np.linalg.inv(inertia),
    }  # fmt: skip


def with_something_that_yields(rigid: Bodies) -> Bodies:
    """The same with a random mobility, symmetric and positive, in place of mass and inertia."""
    rng = np.random.default_rng(99)
    root = rng.normal(size=(N, 6, 6))
    mobility = root @ root.transpose(0, 2, 1) + 0.1 * np.eye(6)
    answers = {"give": mobility[:, :3, :3], "couple": mobility[:, :3, 3:], "inertia_inverse": mobility[:, 3:, 3:]}
    return rigid | answers | {"inertia": np.linalg.inv(mobility[:, 3:, 3:])}


def law_of(bodies: Bodies) -> tuple[dict[str, float], Bodies]:
    """The law, and the bodies with arms so long that its C_RR is the largest that is allowed, mu I_min/(m r)."""
    resistance = 0.01
    longest = MU * np.linalg.eigvalsh(bodies["inertia"])[:, 0] / (MASS * resistance)
    arm = bodies["arm"] * (longest / np.linalg.norm(bodies["arm"], axis=1))[:, None]
    law = {
        "friction": MU, "friction_static": MU_STATIC, "rolling_resistance": resistance,
        "per_slip_speed": 1.0 / SLIP_SPEED, "per_roll_rate": 1.0 / ROLL_RATE,
    }  # fmt: skip
    return law, bodies | {"arm": arm}


def dots(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.sum(a * b, axis=1)


def tangential(v: np.ndarray, normal: np.ndarray) -> np.ndarray:
    return v - normal * dots(v, normal)[:, None]


class Powers:
    """Of one call of the law [W]: of friction, of the torque, of the force at the centre, their sum, and its size."""

    def __init__(self, b: Bodies, found: np.ndarray) -> None:
        center = b["velocity"] - np.cross(b["omega"], b["arm"])
        self.friction = dots(found["friction"], b["velocity"])
        self.torque = dots(found["rolling_torque"], b["omega"])
        self.force = dots(found["rolling_force"], center)
        self.total = self.friction + self.torque + self.force
        pairs = [(found["friction"], b["velocity"]), (found["rolling_torque"], b["omega"])]
        pairs.append((found["rolling_force"], center))
        self.size = sum(np.linalg.norm(f, axis=1) * np.linalg.norm(v, axis=1) for f, v in pairs)


def companion(b: Bodies, torque: np.ndarray) -> np.ndarray:
    """The paper's force, m T (r x I^-1 L), written down again."""
    turning = np.einsum("nij,nj->ni", b["inertia_inverse"], torque)
    return MASS * tangential(np.cross(b["arm"], turning), b["normal"])


def test_sliding_and_rolling_make_no_energy() -> None:
    """From v* and omega* on: never. Of these states the paper's force would make energy in some per cent."""
    law, b = law_of(bodies(1, (0.0, 3.0), (0.0, 3.0)))
    rigid, _ = gathered(law, b)
    powers = Powers(b, rigid)
    assert np.all(powers.total <= ROUNDING * powers.size)
    paper = companion(b, rigid["rolling_torque"])
    asked = dots(paper, b["velocity"] - np.cross(b["omega"], b["arm"]))
    paid = -powers.friction - powers.torque
    makes_energy = asked > paid * (1.0 + 1e-9)
    assert 0.005 < np.mean(makes_energy) < 0.5
    # it acts wherever it is paid for, and where it is not, as much of it as is
    np.testing.assert_allclose(rigid["rolling_force"][~makes_energy], paper[~makes_energy], rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(powers.force[makes_energy], paid[makes_energy], rtol=1e-11)


@pytest.mark.parametrize(
    ("speeds", "rates"), [((-3.0, 1.0), (-3.0, 1.0)), ((-4.0, -1.0), (0.0, 3.0)), ((0.0, 3.0), (-4.0, -1.0))]
)
def test_what_stick_gives_back_is_bounded(speeds: tuple[float, float], rates: tuple[float, float]) -> None:
    """Below v* and omega*, rolling and sliding: no more than the bound in `docs/models/distributed-contact.md`."""
    law, b = law_of(bodies(2, speeds, rates))
    rigid, _ = gathered(law, b)
    powers = Powers(b, rigid)
    slip = b["load"] * largest_return(MU, MU_STATIC) * SLIP_SPEED
    roll = b["load"] * largest_return(1.0, 1.0) * law["rolling_resistance"] * ROLL_RATE
    assert np.all(powers.friction <= slip * (1.0 + ROUNDING))
    assert np.all(powers.torque <= roll * (1.0 + ROUNDING))
    s, w = (
        np.minimum(np.linalg.norm(v, axis=1) / scale, 1.0)
        for v, scale in ((tangential(b["velocity"], b["normal"]), SLIP_SPEED), (b["omega"], ROLL_RATE))
    )
    paper = np.linalg.norm(companion(b, rigid["rolling_torque"]), axis=1)
    assert np.all(paper <= MU * b["load"] * (1.0 + ROUNDING))  # C_RR is within its bound
    creep = float(COMPANION_CREEP) * SLIP_SPEED * paper * ((1.0 - s) * (1.0 - w)) ** 2
    own = np.maximum(powers.friction + powers.torque, 0.0)
    assert np.all(powers.total <= own + creep + ROUNDING * powers.size)
    assert np.any(powers.total > 0.0) or rates[0] == 0.0  # there is something to bound


def test_the_bound_of_the_blend() -> None:
    """0.0671 where stick holds as much as slip takes: the largest of s (2 (1 - s)^2 - 1)."""
    s = np.linspace(0.0, 1.0, 100_001)
    for static in (0.6, 0.9):
        assert largest_return(0.6, static) == pytest.approx(np.max(s * ((1 - s) ** 2 * (0.6 + static) - 0.6)), rel=1e-8)
    assert largest_return(1.0, 1.0) == pytest.approx(0.0671, abs=5e-5)


def test_at_rest_stick_has_all_of_the_companion_force() -> None:
    """However little a body creeps and whichever way, or forces at rest would jump with the sign of a rounding."""
    law, b = law_of(bodies(3, (-9.0, -8.0), (-9.0, -8.0)))
    b["velocity"] = tangential(b["velocity"], b["normal"])
    rigid, _ = gathered(law, b)
    center = b["velocity"] - np.cross(b["omega"], b["arm"])
    slow = np.linalg.norm(center, axis=1) < 0.2 * SLIP_SPEED
    assert np.mean(slow) > 0.9
    paper = companion(b, rigid["rolling_torque"])
    np.testing.assert_allclose(rigid["rolling_force"][slow], paper[slow], rtol=1e-11, atol=1e-14)


def test_a_body_that_yields_makes_no_energy_either() -> None:
    """With something inside that swings freely: the pair acts on the body alone."""
    law, b = law_of(bodies(4, (0.0, 3.0), (0.0, 3.0)))
    b = with_something_that_yields(b)
    _, yielding = gathered(law, b)
    powers = Powers(b, yielding)
    assert np.all(powers.total <= 1e3 * ROUNDING * powers.size)  # by inverses of matrices of condition 1e3 and less
    assert np.mean(powers.total > -1e-9 * powers.size) > 0.005  # and some are at the limit
