"""A page in a browser, as the tests see it."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from planetfall.record.trajectory import Trajectory

SHOTS = os.environ.get("PLANETFALL_SHOTS")


@dataclass
class Window:
    """A page in the browser, with what went wrong in it and what it asked for."""

    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def open(self, address: str) -> None:
        self.page.goto(address)
        self.wait("window.planetfall && window.planetfall.isReady")

    def wait(self, expression: str, patience: float = 120.0) -> None:
        """Until an expression is true; the page's own rules forbid the driver's way of waiting, which uses eval."""
        end = time.monotonic() + patience
        while not self.page.evaluate(f"Boolean({expression})"):
            assert time.monotonic() < end, f"{expression} did not come true"
            time.sleep(0.05)

    def value(self, expression: str) -> Any:
        return self.page.evaluate(expression)

    def shot(self, name: str) -> None:
        """A picture for people, kept where PLANETFALL_SHOTS says; its bytes show that something was drawn."""
        picture = self.page.screenshot()
        assert len(picture) > 15_000
        if SHOTS:
            Path(SHOTS).mkdir(parents=True, exist_ok=True)
            (Path(SHOTS) / f"{name}.png").write_bytes(picture)


@dataclass(frozen=True)
class Exported:
    """A run and its page."""

    trajectory: Trajectory
    page: Path
