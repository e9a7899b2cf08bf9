"""The command line: one file per verb, each importing what it needs when it runs."""

import codecs
import errno
import gc
import io
import json
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

OUTPUT_LOST = (errno.ENOSPC, errno.EPIPE, errno.EIO, errno.EDQUOT)
"""What says that printed words do not arrive; what a command writes to its own files it answers for itself."""

BETWEEN_COLLECTIONS = 1_000_000
"""Objects made between two searches for unused cycles: loading makes half a million that all stay, and with
Python's 700 a fifth of the time of a short run went into searching them over and over."""

IN_ASCII = {"±": "+-", "²": "^2", "³": "^3", "×": "x", "°": " deg"}
"""Letters in our own words for which ASCII has another form."""


def main() -> None:
    """Entry point of the `planetfall` command."""
    gc.set_threshold(BETWEEN_COLLECTIONS)
    os.environ["MPLBACKEND"] = (
        "agg"  # no window is opened; that of a notebook, which its shell inherits, may be missing
    )
    _write_to_any_terminal()
    from planetfall.cli.app import app
    from planetfall.errors import InputError, PlanetfallError

    try:
        with _warnings_as_notes(), _faults_of_plugins():
            app()
            sys.stdout.flush()
    except InputError as error:
        print(f"planetfall: {_without_controls(str(error))}", file=sys.stderr)
        sys.exit(2)
    except PlanetfallError as error:
        print(f"planetfall: {_without_controls(str(error))}", file=sys.stderr)
        sys.exit(1)
    except OSError as error:
        if error.errno not in OUTPUT_LOST:
            raise
        _leave_output(error)
    finally:
        gc.freeze()  # all that is left ends with the process: searching it for cycles took half a second


@contextmanager
def _faults_of_plugins() -> Iterator[None]:
    """What a plug-in raises is one sentence; the code that finds this out is loaded where something was raised."""
    try:
        yield
    except Exception:
        from planetfall.scenario.files.plugins import plugin_faults

        with plugin_faults():
            raise


def _write_to_any_terminal() -> None:
    """Letters that a terminal does not have are written in those that it has; other encodings stay as they are."""
    codecs.register_error("planetfall", _in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors != "planetfall":
            stream.reconfigure(errors="planetfall")


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    """`+-` for a plus or minus; what has no such form as JSON writes it, so that JSON stays JSON."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(IN_ASCII.get(letter) or json.dumps(letter)[1:-1] for letter in letters), error.end


def _without_controls(text: str) -> str:
    """Names may hold what a terminal obeys: it is told of, not sent."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else repr(letter)[1:-1] for letter in text)


def _leave_output(error: OSError) -> None:
    """Ends where nobody takes what is printed: a full device, or a pipe whose reader has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python complains once more when it ends
    if error.errno != errno.EPIPE:  # a reader who has seen enough is told nothing
        print(f"planetfall: the output cannot be written ({error.strerror})", file=sys.stderr)
    sys.exit(1)


@contextmanager
def _warnings_as_notes() -> Iterator[None]:
    """Says once, as a note, that a file is taken from elsewhere, or a worker left out; other warnings stay."""
    from planetfall.errors import FileElsewhereWarning, WorkerWarning

    said: set[str] = set()
    with warnings.catch_warnings():
        shown = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if not issubclass(category, FileElsewhereWarning | WorkerWarning):
                shown(message, category, *where, **more)
            elif str(message) not in said:
                from planetfall.cli.terminal.console import print_note

                said.add(str(message))
                print_note(str(message))

        warnings.simplefilter("always", FileElsewhereWarning)
        warnings.simplefilter("always", WorkerWarning)
        warnings.showwarning = show
        yield
