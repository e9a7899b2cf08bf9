"""Constants of gravity."""

GRAVITATIONAL_CONSTANT = 6.67430e-11
"""G [m^3/(kg s^2)], CODATA 2018 (Tiesinga2021), its last digits uncertain by 15; needed only with a density."""
