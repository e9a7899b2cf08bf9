"""Parts by name, each loaded from its own module when it is first asked for.

Warp reads the source of every function that a module declares for it: a run with one field of gravity and one law of
contact would wait for the functions of all the others.
"""

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Any, Generic, TypeVar

Part = TypeVar("Part")


class PartsByName(MutableMapping[str, Part], Generic[Part]):
    """A dict of parts, built-in ones by the place where they are declared; others may be entered as in any dict."""

    def __init__(self, places: dict[str, str]) -> None:
        """Of built-in parts: "module:NAME" by the name that a scenario has for them."""
        self._parts: dict[str, Any] = dict(places)

    def __getitem__(self, name: str) -> Part:
        """Loads a built-in part the first time."""
        part = self._parts[name]
        if isinstance(part, str):
            module, _, attribute = part.partition(":")
            part = self._parts[name] = getattr(import_module(module), attribute)
        return part

    def __setitem__(self, name: str, part: Part) -> None:
        self._parts[name] = part

    def __delitem__(self, name: str) -> None:
        del self._parts[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is one; that loads nothing."""
        return name in self._parts

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)
