"""The reference of an entry: its path, its drag over speed, and how far small changes move its end."""

import io

import numpy as np

from planetfall.flight.entry.reference import EntryReference
from planetfall.report.style import COLORS, DASHES, as_written, new_panels


def reference_figure(name: str, found: EntryReference) -> bytes:
    """The PNG of a reference."""
    figure, panels = new_panels(3, width=11.4, height=4.6)
    figure.subplots_adjust(top=0.83, wspace=0.3)
    panels[0].plot(found.range_to_go / 1e3, found.height / 1e3, color=COLORS[0])
    panels[0].invert_xaxis()
    panels[0].set_xlabel("range to go [km]")
    panels[0].set_ylabel("height over the ellipsoid [km]")
    panels[1].plot(found.speed, found.drag, color=COLORS[0], linestyle=DASHES[0], label="drag [m/s²]")
    panels[1].plot(found.speed, -found.height_rate / 10, color=COLORS[1], linestyle=DASHES[1], label="descent [10 m/s]")
    panels[1].set_xlabel("speed [m/s]")
    for i, (values, label) in enumerate(
        (
            (-found.of_drag / 100, "-F1: range per drag [100 s²]"),
            (found.of_height_rate, "F2: range per climb [s]"),
            (found.of_lift / 1e4, "F3: range per u [10 km]"),
        )
    ):
        panels[2].plot(found.speed, values, color=COLORS[i], linestyle=DASHES[i], label=label)
    panels[2].set_xlabel("speed [m/s]")
    for axes in panels[1:]:
        axes.invert_xaxis()
        axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), fontsize=8, frameon=False)  # over no curve
    for axes in panels:
        axes.grid(alpha=0.3)
    title = f"Reference of {name}: bank {np.degrees(found.bank):.1f} deg, {found.start_range / 1e3:.0f} km"
    figure.text(0.5, 0.99, as_written(title), ha="center", va="top", fontsize=11)
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=150)
    return stream.getvalue()
