"""The command line: one file per verb, each importing what it needs when it runs."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def main() -> None:
    """Entry point of the `planetfall` command."""
    from planetfall.cli.app import app
    from planetfall.errors import InputError, PlanetfallError

    try:
        with _warnings_as_notes():
            app()
    except InputError as error:
        print(f"planetfall: {error}", file=sys.stderr)
        sys.exit(2)
    except PlanetfallError as error:
        print(f"planetfall: {error}", file=sys.stderr)
        sys.exit(1)


@contextmanager
def _warnings_as_notes() -> Iterator[None]:
    """Says once, as a note, that a file was taken from elsewhere; other warnings stay what they are."""
    from planetfall.errors import FileElsewhereWarning

    said: set[str] = set()
    with warnings.catch_warnings():
        shown = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if not issubclass(category, FileElsewhereWarning):
                shown(message, category, *where, **more)
            elif str(message) not in said:
                from planetfall.cli.console import print_note

                said.add(str(message))
                print_note(str(message))

        warnings.simplefilter("always", FileElsewhereWarning)
        warnings.showwarning = show
        yield
