"""`[comparison]`: published numbers of a mission, which the page of a campaign sets beside its own.

They have no part in the motion, and nothing is judged by them.
"""

from typing import Self

from pydantic import model_validator

from planetfall.scenario.tables.table import Table, choice, quantity


class Comparison(Table):
    """What was published of a landing: an ellipse about the site, and how far from it the mission came down."""

    ellipse_length: float | None = quantity("m", "whole longer axis of the published landing ellipse", None, gt=0)
    ellipse_width: float | None = quantity("m", "whole shorter axis of the published landing ellipse", None, gt=0)
    ellipse_azimuth_deg: float = quantity("deg", "direction of the longer axis, clockwise from north", 90.0)
    miss: float | None = quantity("m", "distance from the site to where the mission landed", None, ge=0)
    source: str = choice("where the numbers come from", "")

    @model_validator(mode="after")
    def _has_a_whole_ellipse(self) -> Self:
        if (self.ellipse_length is None) != (self.ellipse_width is None):
            missing = "ellipse_width" if self.ellipse_width is None else "ellipse_length"
            raise ValueError(f"{missing}: missing; an ellipse has a length and a width")
        if self.ellipse_length is not None and self.ellipse_width is not None:
            if self.ellipse_length < self.ellipse_width:
                raise ValueError(
                    f"ellipse_length: {self.ellipse_length:g} m is less than ellipse_width, {self.ellipse_width:g} m"
                )
        return self
