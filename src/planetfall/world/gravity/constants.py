"""Constants of gravity."""

GRAVITATIONAL_CONSTANT = 6.67430e-11
"""G [m^3/(kg s^2)], CODATA2018; its last digit is uncertain by 15. Only a density given in place of GM needs it."""
