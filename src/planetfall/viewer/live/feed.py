"""What the pages of a live session see: one scene that grows, and what it has to say.

A session writes, from whichever thread it lives in; connections ask for what is new since they last asked. Nothing
waits for a page: one that is slow, or comes late, gets more at a time.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from planetfall.viewer.pack import Pack

Message = bytes | dict[str, Any]
"""A pack's file, or what is said beside it, which travels as JSON."""


@dataclass(frozen=True)
class FeedPosition:
    """How much a page has: which scene, how many of its revisions, which state. Nothing by default."""

    scene: int = 0
    revision: int = 0
    state: int = 0

    @classmethod
    def from_text(cls, text: str) -> "FeedPosition":
        """Of a page that says what it has, `SCENE.REVISION`; whatever else it says counts as nothing."""
        parts = text.split(".")
        if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
            return cls()
        return cls(int(parts[0]), int(parts[1]))

    @property
    def text(self) -> str:
        """What the page gives back when it connects again."""
        return f"{self.scene}.{self.revision}"


@dataclass(frozen=True)
class Rows:
    """Rows of an array from row `first` on; what was there before, and after, is replaced."""

    first: int
    values: np.ndarray


@dataclass(frozen=True)
class _Revision:
    """What one extension changed: from which row on each array, from which event on, which keys of the header."""

    firsts: dict[str, int]
    first_event: int | None
    keys: frozenset[str]


class Feed:
    """A scene that grows; safe to write from one thread while others read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pack: Pack | None = None
        self._scene = 0
        self._revisions: list[_Revision] = []
        self._state: dict[str, Any] = {}
        self._state_number = 0
        self.has_reader = False
        """Whether any page ever asked."""

    def show(self, pack: Pack) -> None:
        """Begins a scene: every page gets all of it."""
        with self._lock:
            self._pack, self._scene, self._revisions = pack, self._scene + 1, []

    def extend(
        self,
        rows: Mapping[str, Rows],
        *,
        events: list[dict[str, Any]] | None = None,
        first_event: int = 0,
        header: Mapping[str, Any] | None = None,
    ) -> None:
        """Adds to the scene.

        Args:
            rows: By the array's name.
            events: From event `first_event` on; what was there is replaced.
            first_event: Counts the scene's events from 0.
            header: Keys of the header that have new values.
        """
        with self._lock:
            if self._pack is None:
                raise ValueError("a scene has to be shown before it can be extended")
            arrays = dict(self._pack.arrays)
            for name, new in rows.items():
                arrays[name] = np.concatenate([arrays[name][: new.first], new.values.astype(arrays[name].dtype)])
            changed = {**self._pack.header, **(header or {})}
            if events is not None:
                changed["events"] = [*changed["events"][:first_event], *events]
            self._pack = Pack(changed, arrays)
            firsts = {name: new.first for name, new in rows.items()}
            at = None if events is None else first_event
            self._revisions.append(_Revision(firsts, at, frozenset(header or ())))

    def tell(self, state: dict[str, Any]) -> None:
        """Says how the session stands; pages get the latest such state, not each."""
        with self._lock:
            if state != self._state:
                self._state, self._state_number = dict(state), self._state_number + 1

    def whole(self) -> bytes:
        """The scene as it is now, as a file."""
        with self._lock:
            pack, seen = self._pack, FeedPosition(self._scene, len(self._revisions))
        return _file(pack, seen)

    def news(self, seen: FeedPosition) -> tuple[list[Message], FeedPosition]:
        """What a page has not seen yet, and what it has seen once it has that."""
        with self._lock:
            pack, revisions, state = self._pack, self._revisions[:], self._state
            now = FeedPosition(self._scene, len(revisions), self._state_number)
            self.has_reader = True
        out: list[Message] = []
        if now.state != seen.state:
            out.append({"state": state})
        if now.scene != seen.scene or seen.revision > now.revision:
            out.append(_file(pack, now))
        elif now.revision > seen.revision:
            out.append(_file(_growth(pack, revisions[seen.revision :]), now))
        return out, now


def _file(pack: Pack | None, seen: FeedPosition) -> bytes:
    if pack is None:
        raise ValueError("there is no scene yet")
    return Pack({**pack.header, "seen": seen.text}, pack.arrays).to_bytes()


def _growth(pack: Pack | None, revisions: list[_Revision]) -> Pack:
    """The rows, events and keys that some revisions changed, as they are now."""
    assert pack is not None
    firsts: dict[str, int] = {}
    for revision in revisions:
        for name, first in revision.firsts.items():
            firsts[name] = min(first, firsts.get(name, first))
    header: dict[str, Any] = {
        "format": pack.header["format"], "version": pack.header["version"], "kind": "frames", "firsts": firsts,
        "header": {key: pack.header[key] for revision in revisions for key in revision.keys},
    }  # fmt: skip
    event_firsts = [revision.first_event for revision in revisions if revision.first_event is not None]
    if event_firsts:
        header["first_event"] = min(event_firsts)
        header["events"] = pack.header["events"][min(event_firsts) :]
    return Pack(header, {name: pack.arrays[name][first:] for name, first in firsts.items()})
