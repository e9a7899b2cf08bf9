"""`[atmosphere]`: air over height, and what is laid over it in a campaign.

Heights are over the target's ellipsoid. Air at rest turns with the planet; wind is relative to that.
"""

from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import model_validator

from planetfall.scenario.files.paths import FileName
from planetfall.scenario.tables.open_union import OpenUnion
from planetfall.scenario.tables.table import Table, choice, quantity

MODELS = "kind of air: none | exponential | table | us1976 | mars"
Numbers = tuple[float, ...]


def _check_profile(of: str, heights: Numbers, **columns: Numbers) -> None:
    """Refuses heights that do not increase, and columns of another length; one number stands for all heights."""
    if len(heights) == 0 or not np.all(np.diff(heights) > 0):
        raise ValueError(f"{of}: {list(heights)} m do not increase from each to the next")
    for name, column in columns.items():
        if len(column) not in (1, len(heights)):
            raise ValueError(
                f"{name}: has {len(column)} numbers, and {of} has {len(heights)}; give as many, or one for all"
            )


class Wind(Table):
    """`[atmosphere.wind]`: steady wind over height, straight lines between heights, held beyond them.

    One number of `east` or `north` holds at all heights.
    """

    heights: Numbers = quantity(
        "m", "heights of the wind over the ellipsoid, increasing; one alone: the same wind everywhere", (0.0,)
    )
    east: Numbers = quantity("m/s", "speed of the wind towards the east at each height", (0.0,))
    north: Numbers = quantity("m/s", "speed of the wind towards the north at each height", (0.0,))

    @model_validator(mode="after")
    def _is_a_profile(self) -> Self:
        _check_profile("heights", self.heights, east=self.east, north=self.north)
        return self


class Perturbation(Table):
    """`[atmosphere.perturbation]`: how the air of one run differs from the model; every number can be dispersed.

    Density becomes rho e^s (1 + w A(h) sin(2 pi h/lambda + psi)), temperature T (1 + (f - 1) B(h)), wind gains its two
    numbers times a profile over height. Pressure and speed of sound follow by the gas law.
    """

    density_shift: float = quantity("-", "s: density times e^s at all heights", 0.0, ge=-3, le=3)
    wave: float = quantity("-", "w: the wave's amplitude in units of wave_amplitudes; a standard normal deviate", 0.0)
    wave_heights: Numbers = quantity("m", "heights of wave_amplitudes, increasing", (0.0, 30e3, 70e3, 130e3))
    wave_amplitudes: Numbers = quantity(
        "-",
        "A: relative amplitude of the wave in density at each height, straight lines between (assumed)",
        (0.01, 0.025, 0.08, 0.12),
    )
    wave_length: float = quantity("m", "vertical wavelength lambda of the wave (assumed: 10 to 30 km)", 20e3, gt=0)
    wave_phase_deg: float = quantity("deg", "phase psi of the wave", 0.0)
    temperature_factor: float = quantity("-", "f: temperature times this where temperature_scales is 1", 1.0, gt=0)
    temperature_heights: Numbers = quantity("m", "heights of temperature_scales, increasing", (0.0,))
    temperature_scales: Numbers = quantity(
        "-", "B: share of the change of temperature at each height, straight lines between, held beyond", (1.0,)
    )
    wind_east: float = quantity("m/s", "added wind towards the east, times wind_scales", 0.0)
    wind_north: float = quantity("m/s", "added wind towards the north, times wind_scales", 0.0)
    wind_heights: Numbers = quantity("m", "heights of wind_scales, increasing", (-2e3, 10e3))
    wind_scales: Numbers = quantity("-", "factor on the added wind at each height, held beyond (assumed)", (0.2, 1.0))

    @model_validator(mode="after")
    def _is_made_of_profiles(self) -> Self:
        _check_profile("wave_heights", self.wave_heights, wave_amplitudes=self.wave_amplitudes)
        _check_profile("temperature_heights", self.temperature_heights, temperature_scales=self.temperature_scales)
        _check_profile("wind_heights", self.wind_heights, wind_scales=self.wind_scales)
        if (least := min(1.0 + (self.temperature_factor - 1.0) * scale for scale in self.temperature_scales)) <= 0.0:
            raise ValueError(
                "temperature_scales: with temperature_factor they change temperature by the factor "
                f"{least:g} somewhere; it must stay > 0"
            )
        if (most := abs(self.wave) * max(map(abs, self.wave_amplitudes))) >= 1.0:
            raise ValueError(
                f"wave: with wave_amplitudes density changes by up to {most:g} of itself; it must stay > 0"
            )
        return self


class Described(Table):
    """What every atmosphere but none may have."""

    model: Any = choice(MODELS)
    wind: Wind = choice("steady wind over height", Wind())
    perturbation: Perturbation = choice("how the air of one run differs from the model", Perturbation())


class AtmosphereNone(Table):
    """A vacuum."""

    model: Literal["none"] = choice(MODELS)


class AtmosphereExponential(Described):
    """Density that falls by e with every scale height, at one temperature."""

    model: Literal["exponential"] = choice(MODELS)
    density: float = quantity("kg/m^3", "density of the air at reference_height", gt=0)
    reference_height: float = quantity("m", "height at which density is given", 0.0)
    scale_height: float = quantity("m", "height over which density falls by the factor e", gt=0)
    temperature: float = quantity("K", "temperature of the air at all heights", gt=0)
    gas_constant: float = quantity("J/(kg K)", "specific gas constant; 287.05 for air, 191.4 for Mars", ge=20, le=1e4)
    heat_ratio: float = quantity("-", "ratio of specific heats; 1.4 for air, 1.33 for Mars", gt=1)


class AtmosphereUsStandard(Described):
    """US Standard Atmosphere 1976 to 86 km; above, isothermal (assumed)."""

    model: Literal["us1976"] = choice(MODELS)
    density_factor: float = quantity("-", "factor on density and pressure", 1.0, gt=0)


class AtmosphereMars(Described):
    """A mean Mars of three layers (assumed); season and place enter as density_factor."""

    model: Literal["mars"] = choice(MODELS)
    density_factor: float = quantity("-", "factor on density and pressure, for season and place", 1.0, gt=0)


class AtmosphereTable(Described):
    """Air from a file, or from columns written out."""

    model: Literal["table"] = choice(MODELS)
    file: FileName | None = choice("CSV with named columns, Mars-GRAM or AMAT columns; in place of the lists", None)
    heights: Numbers | None = quantity("m", "heights over the ellipsoid, increasing", None)
    density: Numbers | None = quantity("kg/m^3", "density of the air at each height", None)
    temperature: Numbers | None = quantity("K", "temperature of the air at each height", None)
    pressure: Numbers | None = quantity("Pa", "pressure of the air at each height; rho R T if not given", None)
    sound_speed: Numbers | None = quantity("m/s", "speed of sound at each height; sqrt(gamma p/rho) if not given", None)
    wind_east: Numbers | None = quantity(
        "m/s", "speed of the wind towards the east at each height; 0 if not given", None
    )
    wind_north: Numbers | None = quantity(
        "m/s", "speed of the wind towards the north at each height; 0 if not given", None
    )
    interpolation: Literal["log-linear", "log-cubic", "linear"] = choice(
        "interpolation of density: ln rho in straight lines, in a monotone cubic with "
        "continuous slope, or rho in straight lines",
        "log-cubic",
    )
    below: Literal["refuse", "continue"] = choice(
        "what holds under the lowest height: a scenario that may come there is refused, or ln "
        "rho goes on with its slope",
        "refuse",
    )
    above: Literal["refuse", "continue"] = choice(
        "what holds over the highest height: a start there is refused, or ln rho goes on with its slope", "refuse"
    )
    density_factor: float = quantity("-", "factor on density and pressure", 1.0, gt=0)
    gas_constant: float | None = quantity(
        "J/(kg K)", "specific gas constant, for a table without pressure", None, ge=20, le=1e4
    )
    heat_ratio: float | None = quantity("-", "ratio of specific heats, for a table without speed of sound", None, gt=1)

    @model_validator(mode="after")
    def _has_one_table(self) -> Self:
        columns = ("heights", "density", "temperature", "pressure", "sound_speed", "wind_east", "wind_north")
        given = [key for key in columns if getattr(self, key) is not None]
        if self.file is not None and given:
            raise ValueError(f"{given[0]}: atmosphere.file has the columns; give one of the two")
        if self.file is None:
            for key in ("heights", "density"):
                if getattr(self, key) is None:
                    raise ValueError(f"{key}: missing; give atmosphere.file, or heights and density")
        return self


Atmosphere = Annotated[
    AtmosphereNone | AtmosphereExponential | AtmosphereTable | AtmosphereUsStandard | AtmosphereMars,
    OpenUnion("atmosphere"),
]
