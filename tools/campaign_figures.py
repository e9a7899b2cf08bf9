"""Draws the figures of the page on campaigns from the folder of one.

    .venv/bin/planetfall montecarlo msl-dispersed -n 10000 --seed 1 --out runs/msl
    .venv/bin/python tools/campaign_figures.py runs/msl   # rewrites docs/assets/campaign-*.svg

Every so-manieth place is drawn one by one; ellipses, hull, shares and curves are those of all runs.
"""

import sys
import tempfile
from pathlib import Path

import planetfall
from planetfall.report.campaign import ensemble_figures

ASSETS = Path(__file__).parent.parent / "docs" / "assets"
MAX_DOTS = 1500


def main() -> None:
    """Draws into a folder of its own and keeps the SVGs."""
    ensemble = planetfall.open(sys.argv[1])
    assert isinstance(ensemble, planetfall.Ensemble)
    ensemble_figures.MAX_DOTS = MAX_DOTS
    draw = (ensemble_figures.draw_landing, ensemble_figures.draw_convergence, ensemble_figures.draw_sensitivity)
    for figure in draw:
        with tempfile.TemporaryDirectory() as folder:
            drawn = figure(ensemble, Path(folder))
            lines = [line.rstrip() for line in drawn.with_suffix(".svg").read_text(encoding="utf-8").splitlines()]
        (ASSETS / f"campaign-{drawn.stem}.svg").write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
