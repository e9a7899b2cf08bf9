"""Help that is whole at 80 columns, and names that a shell completes."""

import re
from pathlib import Path
from typing import Any

from typer.core import TyperGroup

EXAMPLE = "Example: "
COLUMNS = 76
"""Room for an example: 80 columns, less the indent of help and a backslash."""


class WholeHelpGroup(TyperGroup):
    """A group of verbs whose list has the first paragraph of each, wrapped; Click would cut it off after one line.

    Examples can be copied as they stand: Click would wrap them like prose.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        for command in (self, *self.commands.values()):
            command.help = _with_copyable_example(command.help or "")

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the list of verbs."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, _first_paragraph(command.help or "")) for name, command in commands if command is not None]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


def _first_paragraph(text: str) -> str:
    return " ".join(text.strip().partition("\n\n")[0].split())


def _with_copyable_example(text: str) -> str:
    """Help whose example is not wrapped, but goes on behind a backslash where it is too long."""
    said, mark, example = text.partition(EXAMPLE)
    if not mark or "\b" in text:
        return text
    lines, line = [], EXAMPLE.strip()
    for piece in re.split(r"\s+(?=--)", example.strip()):  # an option stays with its value
        if len(line) + 1 + len(piece) > COLUMNS:
            lines.append(f"{line} \\")
            line = " " * len(EXAMPLE)
        line = f"{line} {piece}"
    return f"{said}\b\n" + "\n".join([*lines, line])


def scenario_names(incomplete: str) -> list[str]:
    """Built-in names and own files that begin as what was typed.

    The names are read from the folder itself, as a shell does not wait.
    """
    return _names("", incomplete) + _files(incomplete)


def drive_names(incomplete: str) -> list[str]:
    """The same of drives of rovers."""
    return _names("drives", incomplete) + _files(incomplete)


def terrain_names(incomplete: str) -> list[str]:
    """The same of terrains that can be made."""
    return _names("terrains", incomplete) + _files(incomplete)


def _names(kind: str, incomplete: str) -> list[str]:
    import planetfall

    library = Path(planetfall.__path__[0]) / "scenario" / "library" / kind
    return sorted(file.stem for file in library.glob("*.toml") if file.stem.startswith(incomplete))


def _files(incomplete: str) -> list[str]:
    """Scenario files of the folder that was typed; folders are left to the shell, which puts no space behind them."""
    folder, slash, start = incomplete.rpartition("/")
    inside = folder + slash
    try:
        found = sorted(Path(inside or ".").glob("*.toml"))
    except OSError:
        return []
    return [f"{inside}{path.name}" for path in found if path.name.startswith(start)]
