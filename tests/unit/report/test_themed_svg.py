"""Figures that follow a dark page: ink and curves change, colours with a meaning of their own do not."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import numpy as np
import pytest

from planetfall.report.page import figure_element
from planetfall.report.style import COLORS, curve, label_axes, new_figure, save_figure
from planetfall.report.themed_svg import dark_of, svg_text, themed


def luminance(color: str) -> float:
    """Relative luminance of sRGB, as the contrast of WCAG 2 is defined by."""
    parts = [int(color[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize("color", COLORS)
def test_every_curve_stands_out_on_a_dark_page(color: str) -> None:
    """WCAG 2 asks for a contrast of 3 for graphics."""
    contrast = (luminance(dark_of(color.lower())) + 0.05) / (luminance(dark_of("#ffffff")) + 0.05)
    assert contrast > 3.0


def test_black_and_white_change_places_in_order() -> None:
    levels = [int(dark_of(f"#{level:02x}{level:02x}{level:02x}")[1:3], 16) for level in range(256)]
    assert levels == sorted(levels, reverse=True)


def drawn() -> str:
    figure, axes = new_figure(3.0, 2.0)
    axes.plot([0.0, 1.0], [0.0, 1.0], label="a", **curve(0))
    label_axes(axes, "x [m]", "y [m]", "title")
    return svg_text(figure)


def test_ink_follows_the_system_or_the_text() -> None:
    svg = drawn()
    system, text = themed(svg, "system"), themed(svg, "text")
    assert "prefers-color-scheme: dark" in system and "var(--c0072b2, #0072b2)" in system
    assert "prefers-color-scheme" not in text and "currentColor" in text and "#0072b2" in text
    for made in (system, text):
        body = made[made.index("</style>") :]
        assert not re.search(r"(?<!, )#(000000|ffffff)", body)


def test_a_map_keeps_its_colours() -> None:
    figure, axes = new_figure(3.0, 2.0)
    axes.imshow(np.eye(3), cmap="cividis")
    svg = themed(svg_text(figure), "system")
    assert "prefers-color-scheme" not in svg and "var(" not in svg


def test_the_viewer_has_the_same_colours_on_dark() -> None:
    text = (Path(__file__).parents[3] / "page" / "src" / "palette.ts").read_text(encoding="utf-8")
    found = re.search(r"COLORS_ON_DARK = \[(.*?)\]", text)
    assert found is not None
    assert re.findall(r"#\w+", found[1]) == [dark_of(color.lower()) for color in COLORS]


def test_a_page_holds_a_large_figure_as_pixels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure, axes = new_figure(3.0, 2.0)
    axes.plot([0.0, 1.0], [0.0, 1.0])
    path = save_figure(figure, tmp_path, "one")
    small = figure_element.figure_element(path, "a <line>")
    held = base64.b64decode(re.search(r"svg\+xml;base64,([^\"]+)", small)[1]).decode()  # type: ignore[index]
    assert "prefers-color-scheme: dark" in held and 'alt="a &lt;line&gt;"' in small
    monkeypatch.setattr(figure_element, "MOST_LETTERS", 10)
    assert "data:image/png" in figure_element.figure_element(path, "a line")
