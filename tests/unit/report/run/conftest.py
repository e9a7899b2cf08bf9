"""What tests of a run's figures share."""

from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> dict[str, Figure]:
    """Figures by the names of their files, kept instead of written."""
    out: dict[str, Figure] = {}

    def keep(figure: Figure, path: Path, **_options: Any) -> None:
        out[path.stem] = figure

    monkeypatch.setattr(Figure, "savefig", keep)
    return out
