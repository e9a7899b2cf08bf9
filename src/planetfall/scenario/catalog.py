"""What is built in, by name and title."""

import html
from collections.abc import Iterator, Mapping

from planetfall.arguments import nearest
from planetfall.errors import InputError
from planetfall.scenario.files.built_in import library_names
from planetfall.scenario.files.load import read_values


class Catalog(Mapping[str, str]):
    """Built-in scenarios: titles by name, in the order of the alphabet; those of rovers' drives after the others.

    Attributes:
        drives: The names that `planetfall.load_drive` takes; `planetfall.load` takes all others.
    """

    def __init__(self, landings: Mapping[str, str], drives: Mapping[str, str]) -> None:
        self._titles, self.drives = {**landings, **drives}, tuple(drives)

    def __getitem__(self, name: str) -> str:
        """The title of a scenario."""
        if name not in self._titles:
            raise InputError("scenarios", f"no built-in scenario is called {name!r}{nearest(name, list(self))}")
        return self._titles[name]

    def __contains__(self, name: object) -> bool:
        return name in self._titles

    def __iter__(self) -> Iterator[str]:
        return iter(self._titles)

    def __len__(self) -> int:
        return len(self._titles)

    def __repr__(self) -> str:
        width = max(map(len, self._titles), default=0)
        return "\n".join(f"{name:<{width}}  {title}" for name, title in self._titles.items())

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        cell = "text-align: left; padding: 0 1em 0 0"
        rows = "".join(
            f"<tr><td style='{cell}'><code>{html.escape(name)}</code></td><td style='{cell}'>{html.escape(title)}</td>"
            f"<td style='{cell}'>{'load_drive' if name in self.drives else 'load'}</td></tr>"
            for name, title in self._titles.items()
        )
        head = "".join(f"<th style='{cell}'>{word}</th>" for word in ("name", "title", "made by planetfall."))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def scenarios() -> Catalog:
    """The built-in scenarios: titles by name; printed, one line for each.

    Returns:
        A mapping. Its keys are what `planetfall.load` takes, and for the drives of rovers `planetfall.load_drive`.

    Examples:
        >>> planetfall.scenarios()["msl-drop"]
        'MSL rover dropped from rest, 2 m above a 22 degree slope on Mars'
    """
    landings, drives = ({name: _title(name) for name in library_names(kind)} for kind in ("", "drives"))
    return Catalog(landings, drives)


def _title(name: str) -> str:
    """The title of a built-in scenario, without checking the rest of it; a variant has its own among its changes."""
    values = read_values(name)[0]
    if "based_on" not in values:
        return str(values.get("scenario", {}).get("title", ""))
    changed = values.get("changes", {})
    return str(changed.get("scenario.title") or _title(values["based_on"]))
