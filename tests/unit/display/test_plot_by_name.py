"""`plot`: every figure that a result's folder gets, by name, as axes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes

import planetfall
from planetfall.cli.output.saving import draw_all
from planetfall.report.campaign.ensemble_figures import draw_ensemble


def test_the_kinds_are_the_figures_that_are_saved(
    landing: planetfall.Trajectory, driven: planetfall.Trajectory[Any], campaign: planetfall.Ensemble, tmp_path: Path
) -> None:
    for result in (landing, driven):
        assert sorted(result.plot_kinds()) == sorted(path.stem for path in draw_all(result, tmp_path))
    assert campaign.plot_kinds() == [path.stem for path in draw_ensemble(campaign, tmp_path)]


@pytest.mark.parametrize(("result", "first"), [("landing", "track"), ("driven", "plan"), ("campaign", "landing")])
def test_each_kind_gives_axes(result: str, first: str, request: pytest.FixtureRequest) -> None:
    shown = request.getfixturevalue(result)
    title = shown.plot().get_title(loc="left")
    assert title == shown.plot(first).get_title(loc="left") != ""
    for kind in shown.plot_kinds():
        axes = shown.plot(kind)
        every = [axes] if isinstance(axes, Axes) else list(axes)
        assert all(isinstance(one, Axes) and one.has_data() for one in every[:1])


def test_a_figure_is_that_of_pyplot(landing: planetfall.Trajectory) -> None:
    axes = landing.plot("normal force")
    assert pyplot.gcf() is axes.figure


def test_nothing_is_cut_off_when_the_figure_is_saved_as_it_is(landing: planetfall.Trajectory, tmp_path: Path) -> None:
    """The legend is beside the axes; a picture of the figure's own size has white on all sides."""
    landing.plot("track").figure.savefig(tmp_path / "track.png")
    picture = pyplot.imread(tmp_path / "track.png")[..., :3]
    for edge in (picture[0], picture[-1], picture[:, 0], picture[:, -1]):
        assert np.all(edge == 1.0)


def test_a_wrong_name_is_told_the_nearest(landing: planetfall.Trajectory) -> None:
    with pytest.raises(planetfall.InputError, match=r"no figure 'normal_forse'; did you mean normal_force\?") as caught:
        landing.plot("normal_forse")
    assert "expected one of energy, track, normal_force" in str(caught.value)
    with pytest.raises(planetfall.InputError, match="kind: got the number 3"):
        landing.plot(3)  # type: ignore[arg-type]
