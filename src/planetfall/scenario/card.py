"""How a scenario is written in one line, and as a card in a notebook."""

from importlib import import_module
from typing import Any


class Carded:
    """A scenario, as a notebook or a prompt shows it; `to_dict` has all of it."""

    scenario: Any

    def __repr__(self) -> str:
        title = self.scenario.title
        return f"<{type(self).__name__} {self.scenario.name}{f': {title}' if title else ''}>"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        """The card that a notebook shows."""
        return display("cards").scenario_card(self)


def display(module: str) -> Any:
    """A module of `planetfall.display`, by name: it is above the layers that hold what it shows."""
    return import_module(f"planetfall.display.{module}")
