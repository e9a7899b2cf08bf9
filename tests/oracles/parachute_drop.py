"""A probe that falls straight down under a parachute, by SciPy: one dimension, written anew from the equations."""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import PchipInterpolator


@dataclass(frozen=True)
class Drop:
    """Mass [kg], gravity [m/s^2], drag area [m^2], air rho_0 [kg/m^3] over a scale height [m], sound [m/s].

    The canopy: area [m^2], drag over Mach, speed at which it is fired, delay [s], filling distance [m], exponent,
    opening factor, settling.
    """

    mass: float
    gravity: float
    drag_area: float
    density: float
    scale_height: float
    sound_speed: float
    area: float
    mach: tuple[float, ...]
    drag_coefficient: tuple[float, ...]
    fire_speed: float
    delay: float
    filling_length: float
    exponent: float
    opening_factor: float
    settling: float

    def density_at(self, height: float) -> float:
        """[kg/m^3]."""
        return self.density * np.exp(-height / self.scale_height)

    def load(self, height: float, speed: float, share: float) -> float:
        """Force of the canopy [N] at a share of its steady drag."""
        c_d = PchipInterpolator(self.mach, self.drag_coefficient)(min(speed / self.sound_speed, self.mach[-1]))
        return 0.5 * self.density_at(height) * speed**2 * self.area * float(c_d) * share

    def fly(self, height: float, speed: float, end: float) -> dict[str, float]:
        """Times, state at the end [s] and the load when the canopy is first full [N]."""

        def rates(t, y, share):
            drag = 0.5 * self.density_at(y[0]) * y[1] ** 2 * self.drag_area
            return [-y[1], self.gravity - (drag + self.load(y[0], y[1], share(t))) / self.mass]

        def leg(t0, t1, y0, share, event=None):
            return solve_ivp(
                rates, (t0, t1), y0, args=(share,), events=event, method="DOP853", rtol=1e-12, atol=1e-9, max_step=0.5
            )

        def slow_enough(t, y, share):
            return y[1] - self.fire_speed

        slow_enough.terminal = True  # type: ignore[attr-defined]
        first = leg(0.0, end, [height, speed], lambda t: 0.0, slow_enough)
        fired = float(first.t_events[0][0])
        second = leg(fired, fired + self.delay, first.y_events[0][0], lambda t: 0.0)
        stretch, at_stretch = fired + self.delay, second.y[:, -1]
        filling = self.filling_length / at_stretch[1]

        def filling_share(t):
            return self.opening_factor * max((t - stretch) / filling, 0.0) ** self.exponent

        def full_share(t):
            return 1 + (self.opening_factor - 1) * np.exp(-((t - stretch) / filling - 1) / self.settling)

        third = leg(stretch, stretch + filling, at_stretch, filling_share)
        last = leg(stretch + filling, end, third.y[:, -1], full_share)
        full = third.y[:, -1]
        return {
            "fired": fired, "fired_height": float(first.y_events[0][0][0]), "stretch": stretch, "filling": filling,
            "first_full_load": self.load(full[0], full[1], self.opening_factor),
            "height": float(last.y[0, -1]), "speed": float(last.y[1, -1]),
        }  # fmt: skip
