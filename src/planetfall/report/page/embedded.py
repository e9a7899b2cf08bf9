"""A viewer page inside another page: compressed, and started on a click."""

import base64
import gzip
import html

from planetfall.viewer.pack import Pack
from planetfall.viewer.page import page_with

POLICY = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; style-src "
    "'unsafe-inline'; img-src data: blob:; connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'\">"
)
"""For the head of the page: nothing is fetched from anywhere. The viewer inside has the same, and inherits this one."""
STYLE = """
#replay { border: 1px solid #d5dae0; border-radius: 6px; overflow: hidden; } #replay iframe { width: 100%; height: 640px; border: 0; display: block; }
#replay button { font: inherit; padding: .8rem 1.6rem; margin: 1rem; cursor: pointer; }
"""  # noqa: E501
SCRIPT = """
document.querySelector('#replay button').onclick = async (event) => {
  event.target.disabled = true;
  const raw = atob(document.getElementById('replay-page').textContent.trim());
  const bytes = Uint8Array.from(raw, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const frame = document.createElement('iframe');
  frame.title = 'Viewer';
  frame.srcdoc = await new Response(stream).text();
  document.getElementById('replay').replaceChildren(frame);
};
addEventListener('beforeprint', () => document.querySelectorAll('details').forEach((part) => (part.open = true)));
"""


def place_for_viewer(button: str, on_paper: str) -> str:
    """Where the viewer appears: a button on the screen, a sentence on paper."""
    return (
        f"<div id=replay class=screen><button type=button>{html.escape(button)}</button></div>"
        f"<p class=paper>{html.escape(on_paper)}</p>"
    )


def held_viewer(pack: Pack) -> str:
    """The viewer itself, to stand at the end of a page that has a place for it."""
    page = base64.b64encode(gzip.compress(page_with(pack).encode(), 6, mtime=0)).decode()
    return f'<script id="replay-page" type="text/plain">{page}</script><script>{SCRIPT}</script>'
