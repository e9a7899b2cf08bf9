"""What a notebook or a prompt shows of scenarios and results."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

import planetfall
from planetfall.display.cards import result_card


class Closed(HTMLParser):
    """Reads HTML, and complains of an element that is not closed."""

    VOID = ("meta", "br", "img")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def words_of(card: str) -> str:
    reader = Closed()
    reader.feed(card)
    assert not reader.open
    return " ".join(reader.words)


def test_a_line_for_each(
    landing: planetfall.Trajectory, driven: planetfall.Trajectory[Any], campaign: planetfall.Ensemble
) -> None:
    assert repr(planetfall.load("msl-drop")).startswith("<Scenario msl-drop: MSL rover dropped")
    assert repr(planetfall.load_drive("lsr1-step")).startswith("<DriveScenario lsr1-step: ")
    assert re.fullmatch(r"<Trajectory msl-drop: \w+, 1\.2 s; \d+ variables at \d+ times, \d+ events>", repr(landing))
    assert repr(driven).startswith("<Trajectory lsr1-step: arrived, ")
    assert repr(campaign).startswith("<Ensemble msl-dispersed: 24 runs: ")
    assert max(len(repr(each)) for each in (landing, driven, campaign)) < 120


def test_cards_tell_the_numbers_with_units_and_fetch_nothing(
    landing: planetfall.Trajectory, driven: planetfall.Trajectory[Any], campaign: planetfall.Ensemble
) -> None:
    scenario = planetfall.load("msl-drop")
    told = {
        "899.18 kg, 4 contact points": scenario,
        "2 waypoints, 2.2 m": planetfall.load_drive("lsr1-step"),
        "peak normal force": landing,
        "N m": driven,
        "with 95 % confidence": campaign,
    }
    for words, shown in told.items():
        card = shown._repr_html_()
        assert words in words_of(card)
        assert "<svg" in card and "<script" not in card
        assert not re.search(r'(src|href)="(?!#|data:)', card.replace('xlink:href="#', 'href="#')), words


def test_a_card_says_what_it_is_about_and_holds_no_words_of_the_figures_program(
    landing: planetfall.Trajectory, driven: planetfall.Trajectory[Any], campaign: planetfall.Ensemble
) -> None:
    scenario, drive = planetfall.load("msl-drop"), planetfall.load_drive("lsr1-step")
    kinds = ((landing, "run"), (driven, "drive"), (campaign, "campaign"), (scenario, "scenario"), (drive, "drive"))
    for shown, kind in kinds:
        words = words_of(shown._repr_html_())
        assert f"({kind})" in words and "Matplotlib" not in words


def test_a_card_escapes_what_a_user_wrote(landing: planetfall.Trajectory) -> None:
    title = "<b>bold</b> & more"
    card = replace(landing, scenario=landing.scenario.with_values({"scenario.title": title}))._repr_html_()
    assert "&lt;b&gt;bold&lt;/b&gt; &amp; more" in card


def test_a_figure_that_cannot_be_drawn_does_not_cost_the_card(landing: planetfall.Trajectory) -> None:
    card = result_card(replace(landing, data=landing.data.drop_vars("energy_total")))
    assert "The figure could not be drawn" in card and "peak normal force" in card


@pytest.mark.parametrize("name", ["free-top", "minerva-67p", "msl-edl", "mars-entry-lifting"])
def test_every_sort_of_scenario_has_a_card(name: str) -> None:
    assert name in words_of(planetfall.load(name)._repr_html_())
