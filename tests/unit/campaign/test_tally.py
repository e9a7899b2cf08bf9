"""What is shown of a campaign along the way."""

import planetfall
from planetfall.campaign.tally import shown_along


def test_what_is_shown_is_how_runs_are_meant_to_end():
    """A descent that ends at an altitude never comes to rest."""
    assert str(shown_along(planetfall.load("mars-entry-ballistic"))) == "P(outcome=descended)"
    assert str(shown_along(planetfall.load("insight-edl"))) == "P(outcome=settled)"
