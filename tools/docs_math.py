"""MkDocs hook: formulas in LaTeX become MathML when the site is built, so that pages need no script to show them.

Written as on GitHub, which renders the same sources: a fenced block named `math`, and dollar-backtick inline.
"""

import re
from typing import Any

from latex2mathml.converter import convert
from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

_UNKNOWN_COMMAND = re.compile(r"<m[a-z]+[^>]*>(\\[A-Za-z]+)")


def to_mathml(latex: str, display: str) -> str:
    """MathML of a formula; a command that the converter does not know fails the build instead of the reader."""
    try:
        mathml = convert(latex, display=display)
    except Exception as error:
        raise PluginError(f"formula: cannot be converted: {latex.strip()!r}; {error!r}") from error
    unknown = _UNKNOWN_COMMAND.search(mathml)
    if unknown:
        raise PluginError(f"formula: unknown LaTeX command {unknown[1]} in {latex.strip()!r}; use another notation")
    return mathml


def _fence(source: str, *_: Any, **__: Any) -> str:
    return f'<div class="formula">{to_mathml(source, "block")}</div>'


class _InlineMath(InlineProcessor):
    def handleMatch(self, m: re.Match[str], data: str) -> tuple[str, int, int]:
        return self.md.htmlStash.store(to_mathml(m[1], "inline")), m.start(0), m.end(0)


class MathExtension(Extension):
    """Inline formulas for Python-Markdown."""

    def extendMarkdown(self, md: Markdown) -> None:
        """Register before the code-span pattern (priority 190), which would take the backticks."""
        md.inlinePatterns.register(_InlineMath(r"\$`([^`]+)`\$", md), "inline-math", 195)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add both notations to the site's Markdown."""
    fences = config.mdx_configs.setdefault("pymdownx.superfences", {}).setdefault("custom_fences", [])
    fences.append({"name": "math", "class": "formula", "format": _fence})
    config.markdown_extensions.append(MathExtension())  # pyright: ignore[reportArgumentType]
    return config
