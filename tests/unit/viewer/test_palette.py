"""Curves have one colour in figures and on the page."""

from __future__ import annotations

import re
from pathlib import Path

from planetfall.report.style import COLORS

PALETTE = Path(__file__).parents[3] / "page" / "src" / "palette.ts"


def test_the_page_has_the_colours_of_the_figures() -> None:
    match = re.search(r"COLORS = \[(.*?)\]", PALETTE.read_text(encoding="utf-8"))
    assert match is not None
    assert tuple(re.findall(r'"(#\w+)"', match[1])) == COLORS
