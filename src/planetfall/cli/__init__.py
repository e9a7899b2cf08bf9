"""The command line: one file per verb, each importing what it needs when it runs."""

import sys


def main() -> None:
    """Entry point of the `planetfall` command."""
    from planetfall.cli.app import app
    from planetfall.errors import InputError, PlanetfallError

    try:
        app()
    except InputError as error:
        print(f"planetfall: {error}", file=sys.stderr)
        sys.exit(2)
    except PlanetfallError as error:
        print(f"planetfall: {error}", file=sys.stderr)
        sys.exit(1)
