"""MkDocs hook: the words of a command stay whole where a narrow page wraps it.

A browser may break a line after any hyphen, and `--out` would become `--` and `out`.
"""

import re
from typing import Any

_BLOCK = re.compile(r'<div class="language-(?:sh|bash) highlight">.*?</div>', re.S)
_WORD = re.compile(r"(?<=>)([^<>\s]*-[^<>\s]*)(?=<|\s)")


def on_page_content(html: str, **_: Any) -> str:
    """Marks every word with a hyphen in the blocks of commands."""
    return _BLOCK.sub(lambda block: _WORD.sub(r'<span class="word">\1</span>', block[0]), html)
