"""Heights over an ellipsoid by minimising the distance: nothing of the package's formulas is in it."""

import numpy as np
from scipy.optimize import brentq


def nearest_on_ellipse(p: float, z: float, a: float, b: float) -> tuple[float, float, float]:
    """Signed distance of (p, z) from the ellipse p^2/a^2 + z^2/b^2 = 1 and the unit normal (p, z) at the foot.

    The foot is (a^2 p/(a^2 + t), b^2 z/(b^2 + t)) with the multiplier t that puts it on the ellipse (Lagrange).
    """
    if p == 0.0:
        return abs(z) - b, 0.0, float(np.sign(z))

    def excess(t: float) -> float:
        return (a * p / (a * a + t)) ** 2 + (b * z / (b * b + t)) ** 2 - 1.0

    top = 10.0 * max(a, b) * max(np.hypot(p, z), a)
    t = float(brentq(excess, -b * b * (1.0 - 1e-9) if z != 0.0 else -a * a * 0.99, top, xtol=1e-4, rtol=1e-15))
    foot = np.array([a * a * p / (a * a + t), b * b * z / (b * b + t)])
    normal = foot / np.array([a * a, b * b])
    normal /= np.linalg.norm(normal)
    return float((np.array([p, z]) - foot) @ normal), float(normal[0]), float(normal[1])
