"""Tables and text of a page."""

import html
from collections.abc import Iterable
from typing import Any

NARROW = """
.scroll { overflow-x: auto; } .scroll table { margin-right: 1px; } .scroll img { display: block; }
@media screen and (max-width: 760px) {
  .scroll img { max-width: none; min-width: 100%; zoom: .62; } .scroll img[src^="data:image/png"] { zoom: .4; }
}
@media screen { .scroll { animation: more linear; animation-timeline: scroll(self inline); } }
@keyframes more { from, 95% { mask-image: linear-gradient(to left, #0000, #000 2rem); } }
@media screen and (max-width: 640px) {
  body { margin: 1rem auto; } code { overflow-wrap: anywhere; } .scroll th, .scroll td { padding-right: .5rem; }
  .scroll table:not(.inputs):not(.words) td { white-space: nowrap; }
  table.inputs { min-width: 44rem; } table.words { min-width: 38rem; }
  #replay iframe { height: 80vh; }
}
@media print { .scroll { overflow: visible; } }
"""
"""Style of tables and figures on a screen as narrow as a phone's: they scroll in a place of their own.

There the letters of a figure, of 10 points, are 8 pixels high; a PNG has 150 pixels to the inch where an SVG has 96.
Until the end is reached, the right edge fades, which says that there is more (in browsers that animate by scrolling).
"""
VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1">'
"""For the head of a page: a phone shows it at its own width."""


def text(words: str) -> str:
    """Words as HTML shows them."""
    return html.escape(words)


def table(header: tuple[str, ...], rows: Iterable[tuple[Any, ...]], name: str = "") -> str:
    """A table of cells, each written as it prints; `name`: its class in the page's style."""
    head = "".join(f"<th>{text(cell)}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{text(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return scrolled(f"<table class='{name}'><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")


def scrolled(content: str, label: str = "table") -> str:
    """A table or a figure in a place of its own, which scrolls where the page is too narrow for it."""
    return f'<div class=scroll tabindex=0 role=region aria-label="{label}">{content}</div>'
