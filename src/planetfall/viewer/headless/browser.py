"""A browser without a window, driven over its debugging connection: pictures and PDF of our own pages."""

import base64
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from planetfall.errors import PlanetfallError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
FLAGS = (
    "--headless=new", "--no-first-run", "--no-default-browser-check", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-quic", "--disable-extensions", "--mute-audio",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars", "--force-color-profile=srgb",
)  # fmt: skip
"""No connections of the browser's own, and the same pixels with and without a graphics card."""
PATIENCE = 120.0
"""Seconds that a page may take to come up."""


def find_browser() -> Path | None:
    """A Chromium on this machine: PLANETFALL_BROWSER, or the first of the usual names."""
    named = os.environ.get("PLANETFALL_BROWSER")
    found = (shutil.which(name) for name in ((named,) if named else NAMES))
    return next((Path(path) for path in found if path), None)


class Tab:
    """One page of a browser."""

    def __init__(self, connection: Any) -> None:
        self._connection, self._numbers, self._session = connection, itertools.count(1), ""

    def attach(self, width: int, height: int) -> None:
        """Opens an empty page of a size [pixels]."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        sizes = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **sizes)
        self.call("Page.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer of the browser to one command."""
        number = next(self._numbers)
        session = {"sessionId": self._session} if self._session else {}
        self._connection.send(json.dumps({"id": number, "method": method, "params": params, **session}))
        while True:
            answer = json.loads(self._connection.recv(timeout=PATIENCE))
            if answer.get("id") == number:
                break
        if "error" in answer:
            raise PlanetfallError(f"the browser refused {method}: {answer['error'].get('message')}")
        return answer["result"]

    def open(self, path: Path, until: str) -> None:
        """Opens a file and waits until an expression is true."""
        self.call("Page.navigate", url=path.resolve().as_uri())
        end = time.monotonic() + PATIENCE
        while not self.evaluate(f"Boolean({until})"):
            if time.monotonic() > end:
                raise PlanetfallError(f"{path.name} did not come up in the browser within {PATIENCE:g} s")
            time.sleep(0.05)

    def evaluate(self, expression: str) -> Any:
        """Value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise PlanetfallError(f"the page raised {answer['exceptionDetails'].get('text')}")
        return answer["result"].get("value")

    def png(self) -> bytes:
        """A picture of the page."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def pdf(self) -> bytes:
        """The page on A4 paper."""
        inch = {"paperWidth": 8.27, "paperHeight": 11.69, "marginTop": 0.5, "marginBottom": 0.5}
        sides = {"marginLeft": 0.5, "marginRight": 0.5, "printBackground": True}
        return base64.b64decode(self.call("Page.printToPDF", **inch, **sides)["data"])


@contextmanager
def browser_tab(width: int, height: int) -> Iterator[Tab]:
    """A page in a browser of its own, ended afterwards.

    Raises:
        PlanetfallError: There is no Chromium, or it does not start.
    """
    program = find_browser()
    if program is None:
        raise PlanetfallError(
            "no Chromium on this machine (looked for " + ", ".join(NAMES) + "); install one, for example Debian's "
            "package chromium, or name it with the environment variable PLANETFALL_BROWSER"
        )
    from websockets.sync.client import connect

    with tempfile.TemporaryDirectory(prefix="planetfall-browser-", ignore_cleanup_errors=True) as profile:
        # root, as in containers, has no sandbox to give; our own page with its own data is all that is opened
        own = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        words = [str(program), *FLAGS, *own, f"--user-data-dir={profile}", "--remote-debugging-port=0", "about:blank"]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            with connect(_address(process, Path(profile)), max_size=None, proxy=None) as connection:
                tab = Tab(connection)
                tab.attach(width, height)
                yield tab
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _address(process: subprocess.Popen[bytes], profile: Path) -> str:
    """Where the browser listens, which it writes into its folder."""
    written, end = profile / "DevToolsActivePort", time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        lines = written.read_text().split("\n") if written.is_file() else []
        if len(lines) == 2:
            return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
        time.sleep(0.05)
    raise PlanetfallError("the browser did not start")
