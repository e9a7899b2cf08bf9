"""The page, and results put into it."""

import base64
from importlib import resources

from planetfall.viewer.pack import Pack

PLACE = "<!--PLANETFALL_DATA-->"
"""Where in the page results are put."""


def page_text() -> str:
    """The page without results, as it was built from the folder `page` of the sources."""
    return (resources.files("planetfall.viewer") / "page.html").read_text(encoding="utf-8")


def page_with(pack: Pack) -> str:
    """One file that shows results by itself; what it holds is base64, so no name in it can end the element."""
    text = base64.b64encode(pack.to_bytes()).decode()
    before, _, after = page_text().partition(PLACE)
    return f'{before}<script id="planetfall-data" type="text/plain">{text}</script>{after}'
