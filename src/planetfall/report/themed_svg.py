"""Figures as SVG text for pages, in the colours of the page: dark on light, or light on dark.

Greys and the palette of `style.COLORS` change with the page; colours of maps, whose meaning a colour bar tells, stay.
"""

import io
import re
from typing import Literal

from matplotlib import rc_context
from matplotlib.figure import Figure

from planetfall.report.silhouettes import GONE
from planetfall.report.style import COLORS

GREY = re.compile(r"#([0-9a-f]{2})\1\1\b")
LONG_NUMBER = re.compile(r"(\d\.\d\d)\d+")
"""A hundredth of a point is finer than any screen."""
NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))
"""A notebook that is not trusted yet shows the words of an SVG, and these are not worth reading."""
DARK_PAGE, LIGHT_INK = 0x16, 0xE8
"""Grey levels of a dark page, 0 to 255, and of what is written on it."""
ON_DARK = dict(
    zip(
        (color.lower() for color in COLORS if not GREY.fullmatch(color.lower())),
        ("#4da3dd", "#ff8a3d", "#2cc295", "#e29cc3", "#7cc8f2", "#f0b429"),
        strict=True,
    )
)
"""Colours of curves, as bright on a dark page as the others are dark on a light one."""


def svg_text(figure: Figure) -> str:
    """A figure as the SVG element alone, with letters as letters: a tenth of the size of outlines."""
    out = io.StringIO()
    figure.draw_without_rendering()
    box = figure.get_tightbbox().padded(0.05)
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "planetfall"}):
        figure.savefig(out, format="svg", metadata=NO_METADATA, bbox_inches=box, facecolor="none")
    text = LONG_NUMBER.sub(r"\1", out.getvalue())
    return text[text.index("<svg") :]


def themed(svg: str, by: Literal["system", "text"]) -> str:
    """An SVG whose colours follow the page that it is in; one with a map in it stays as it is, on white.

    Args:
        svg: As matplotlib writes it.
        by: `system`: light or dark as the system asks for, also inside an `<img>`. `text`: the colour of the text
            around it, for an SVG that stands in a page itself; greys are mixtures of that colour and nothing.
    """
    if "<image" in svg:  # lines over a map are seen against its colours, which stay
        return svg.replace("<svg ", '<svg class="map" ', 1).replace(
            "<defs>", '<rect width="100%" height="100%" fill="#fff"/><defs>', 1
        )
    colors = sorted(set(re.findall(r"#[0-9a-f]{6}\b", svg)))
    themes = {color: f"--c{color[1:]}" for color in colors if GREY.fullmatch(color) or color in ON_DARK}
    if by == "text":
        themes = {color: name for color, name in themes.items() if GREY.fullmatch(color)}
    for color, name in themes.items():
        svg = svg.replace(color, f"var({name}, {color})")
    end = svg.index(">", svg.index("<svg")) + 1
    return f"{svg[:end]}<style>{_style(themes, by)}</style>{svg[end:]}"


def _style(themes: dict[str, str], by: str) -> str:
    if by == "text":
        mixed = "".join(f"{name}: {_mixed(color)}; " for color, name in themes.items())
        return f".planetfall-figure svg:not(.map) {{ {mixed} fill: currentColor; }}"
    dark = "".join(f"{name}: {dark_of(color)}; " for color, name in themes.items())
    rules = f"svg {{ {dark} fill: {dark_of('#000000')}; }} #{GONE} {{ opacity: 0.3; }}"
    return f"@media screen and (prefers-color-scheme: dark) {{ {rules} }}"


def dark_of(color: str) -> str:
    """The colour on a dark page of one that is meant for white; greys are turned round."""
    if found := GREY.fullmatch(color):
        share = 1.0 - int(found[1], 16) / 255.0
        level = round(DARK_PAGE + share * (LIGHT_INK - DARK_PAGE))
        return f"#{level:02x}{level:02x}{level:02x}"
    return ON_DARK[color]


def _mixed(color: str) -> str:
    share = 1.0 - int(color[1:3], 16) / 255.0
    return "currentColor" if share == 1.0 else f"color-mix(in srgb, currentColor {share:.0%}, transparent)"
