"""Figures in pages, and how pages look on a dark screen; on paper they stay light."""

import base64
import html
from pathlib import Path

from planetfall.report.page.html_tables import scrolled
from planetfall.report.themed_svg import DARK_PAGE, LIGHT_INK, themed

MOST_LETTERS = 400_000
"""Of an SVG that a page holds; a larger one, of thousands of dots, is a tenth of its size as pixels."""
DARK = f"""
@media screen and (prefers-color-scheme: dark) {{
  :root {{ color-scheme: dark; background: {"#" + 3 * f"{DARK_PAGE:02x}"}; }}
  :root, body {{ color: {"#" + 3 * f"{LIGHT_INK:02x}"}; }}
  .quiet, figcaption {{ color: #a2adb8; }} a {{ color: #4da3dd; }}
  code {{ background: #262c33; }} thead th {{ border-color: #5b6570; }}
  #replay {{ border-color: #3b4650; }}
  .outcome {{ border-color: #4da3dd; }} .warning {{ border-color: #ff8a3d; }}
  img[src^="data:image/png"] {{ border-radius: 4px; }}
}}
"""


def figure_element(png: Path, alt: str, caption: str = "") -> str:
    """A figure that lies beside its SVG: as the SVG, in the colours of the page, unless that is too large."""
    svg = themed(png.with_suffix(".svg").read_text(encoding="utf-8"), "system")
    kind, data = ("svg+xml", svg.encode()) if len(svg) <= MOST_LETTERS else ("png", png.read_bytes())
    image = f'<img src="data:image/{kind};base64,{base64.b64encode(data).decode()}" alt="{html.escape(alt)}">'
    below = f"<figcaption>{html.escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{scrolled(image, 'figure')}{below}</figure>"
