"""Help that is whole at 80 columns, and names that a shell completes."""

from pathlib import Path
from typing import Any

from typer.core import TyperGroup


class WholeHelpGroup(TyperGroup):
    """A group of verbs whose list has the first paragraph of each, wrapped; Click would cut it off after one line."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the list of verbs."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, _first_paragraph(command.help or "")) for name, command in commands if command is not None]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


def _first_paragraph(text: str) -> str:
    return " ".join(text.strip().partition("\n\n")[0].split())


def scenario_names(incomplete: str) -> list[str]:
    """Built-in names that begin as what was typed; read from the folder itself, as a shell does not wait."""
    return _names("", incomplete)


def drive_names(incomplete: str) -> list[str]:
    """The same of drives of rovers."""
    return _names("drives", incomplete)


def _names(kind: str, incomplete: str) -> list[str]:
    import planetfall

    library = Path(planetfall.__path__[0]) / "scenario" / "library" / kind
    return sorted(file.stem for file in library.glob("*.toml") if file.stem.startswith(incomplete))
