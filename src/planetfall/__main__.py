"""`python -m planetfall` is the `planetfall` command."""

from planetfall.cli import main

main()
