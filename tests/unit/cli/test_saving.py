"""How commands draw: quickly, and the same."""

from __future__ import annotations

import subprocess
import sys


def test_matplotlib_without_its_help_draws_the_same() -> None:
    """What `set` takes does not depend on the help that is left out."""
    code = (
        "from planetfall.cli.output.saving import WRITES_HELP, leave_out_help_texts\n"
        "from matplotlib.artist import Artist\n"
        "assert hasattr(Artist, WRITES_HELP), 'Matplotlib has renamed it: leave it out no more'\n"
        "leave_out_help_texts()\n"
        "from matplotlib.lines import Line2D\n"
        "line = Line2D([0.0], [1.0])\n"
        "line.set(color='red', linewidth=3.0)\n"
        "assert line.get_color() == 'red' and line.get_linewidth() == 3.0\n"
        "assert 'linewidth' not in (Line2D.set.__doc__ or '')\n"
        "try:\n    line.set(nothing=1)\nexcept AttributeError:\n    pass\nelse:\n    raise AssertionError\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
