"""Where Python runs: in a notebook, at a terminal, or where nobody looks."""

import sys


def in_notebook() -> bool:
    """Whether output goes to a notebook: an IPython that has a kernel, not the one of a terminal."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and getattr(shell, "kernel", None) is not None


def at_terminal() -> bool:
    """Whether somebody sees what is written to the standard error stream."""
    return sys.stderr is not None and sys.stderr.isatty()
