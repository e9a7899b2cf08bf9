"""Air over height: density, temperature with the speed of sound, and wind side by side."""

import io

import numpy as np

from planetfall.report.style import COLORS, DASHES, as_written, new_panels


def profile_figure(name: str, heights: np.ndarray, air: np.ndarray) -> bytes:
    """The PNG of air [n] (members of `Air`) at heights [n] [m]."""
    is_windy = bool(np.any(air["wind_east"]) or np.any(air["wind_north"]))
    figure, panels = new_panels(3 if is_windy else 2, width=9.6 if is_windy else 7.2, height=4.6)
    km = heights / 1e3
    panels[0].semilogx(air["density"], km, color=COLORS[0], linestyle=DASHES[0], label="density [kg/m³]")
    panels[0].semilogx(air["pressure"], km, color=COLORS[1], linestyle=DASHES[1], label="pressure [Pa]")
    panels[0].set_xlabel("density [kg/m³], pressure [Pa]")
    panels[1].plot(air["temperature"], km, color=COLORS[0], linestyle=DASHES[0], label="temperature [K]")
    panels[1].plot(air["sound_speed"], km, color=COLORS[1], linestyle=DASHES[1], label="speed of sound [m/s]")
    panels[1].set_xlabel("temperature [K], speed of sound [m/s]")
    if is_windy:
        panels[2].plot(air["wind_east"], km, color=COLORS[0], linestyle=DASHES[0], label="to the east")
        panels[2].plot(air["wind_north"], km, color=COLORS[1], linestyle=DASHES[1], label="to the north")
        panels[2].set_xlabel("wind [m/s]")
    panels[0].set_ylabel("height over the ellipsoid [km]")
    for axes in panels:
        axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), fontsize=8, frameon=False)  # over no curve
        axes.grid(alpha=0.3)
    figure.subplots_adjust(top=0.83)
    figure.text(0.5, 0.97, as_written(f"Air of {name}"), ha="center", va="top", fontsize=11)
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=150)
    return stream.getvalue()
