"""What holds for every command, whatever it does."""

import os
import sys

import pytest

from planetfall.cli import main


def test_figures_do_not_depend_on_the_back_end_of_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell of shell commands inherits it, also where Planetfall is installed in another environment."""
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    monkeypatch.setattr(sys, "argv", ["planetfall", "--version"])
    with pytest.raises(SystemExit):
        main()
    assert os.environ["MPLBACKEND"] == "agg"
