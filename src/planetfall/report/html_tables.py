"""Tables and text of a page."""

import html
from collections.abc import Iterable
from typing import Any


def text(words: str) -> str:
    """Words as HTML shows them."""
    return html.escape(words)


def table(header: tuple[str, ...], rows: Iterable[tuple[Any, ...]], name: str = "") -> str:
    """A table of cells, each written as it prints; `name`: its class in the page's style."""
    head = "".join(f"<th>{text(cell)}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{text(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table class='{name}'><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
