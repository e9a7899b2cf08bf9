"""A live session behind a real server, and pages that connect to it as a browser does."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from websockets.sync.client import ClientConnection, connect

from planetfall.viewer.live.feed import Feed, FeedPosition, Message
from planetfall.viewer.live.live_connection import LiveSession, live_route
from planetfall.viewer.pack import Pack, read_pack
from planetfall.viewer.server import HOST, Door, bound_socket, serving

PATIENCE = 120.0


@dataclass(frozen=True)
class Served:
    """Where a session can be met."""

    door: Door

    @contextmanager
    def page(self, seen: str = "", *, token: str | None = None, origin: str | None = "own") -> Iterator[LivePage]:
        """A connection; that of the viewer's own page unless told otherwise."""
        address = f"ws://{HOST}:{self.door.port}/live?token={token or self.door.token}&seen={seen}"
        named: Any = f"http://{HOST}:{self.door.port}" if origin == "own" else origin
        with connect(address, origin=named, proxy=None, max_size=None) as connection:
            yield LivePage(connection)


@dataclass(frozen=True)
class LivePage:
    """One connection."""

    connection: ClientConnection

    def send(self, message: Any) -> None:
        """A command; strings and bytes go out as they stand."""
        self.connection.send(message if isinstance(message, str | bytes) else json.dumps(message))

    def take(self) -> Pack | dict[str, Any]:
        """The next message."""
        message = self.connection.recv(timeout=PATIENCE)
        return read_pack(message) if isinstance(message, bytes) else json.loads(message)

    def pack(self) -> Pack:
        """The next pack; states on the way are passed over."""
        while True:
            message = self.take()
            if isinstance(message, Pack):
                return message

    def said(self, key: str) -> Any:
        """The next state or problem."""
        while True:
            message = self.take()
            if isinstance(message, dict) and key in message:
                return message[key]

    def wait_for(self, phase: str) -> dict[str, Any]:
        """The first state of a phase."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            state = self.said("state")
            if state["phase"] == phase:
                return state
        raise AssertionError(f"the session never was {phase}")


class Mirror:
    """Does with a session's messages what the page does."""

    def __init__(self) -> None:
        self.seen = FeedPosition()
        self.header: dict[str, Any] = {}
        self.arrays: dict[str, np.ndarray] = {}
        self.states: list[Any] = []

    def read(self, feed: Feed) -> list[Message]:
        messages, self.seen = feed.news(self.seen)
        for message in messages:
            if isinstance(message, bytes):
                self.take(read_pack(message))
            else:
                self.states.append(message["state"])
        return messages

    def take(self, pack: Pack) -> None:
        if pack.header["kind"] != "frames":
            self.header, self.arrays = dict(pack.header), dict(pack.arrays)
            return
        for name, first in pack.header["firsts"].items():
            self.arrays[name] = np.concatenate([self.arrays[name][:first], pack.arrays[name]])
        self.header |= {**pack.header["header"], "seen": pack.header["seen"]}
        if "events" in pack.header:
            self.header["events"] = self.header["events"][: pack.header["first_event"]] + pack.header["events"]


@contextmanager
def served(session: LiveSession) -> Iterator[Served]:
    """Serves a session while the block runs."""
    listener = bound_socket()
    door = Door(port=listener.getsockname()[1])
    try:
        with serving(lambda _run: session.feed.whole(), listener, door, further=(live_route(session),)):
            yield Served(door)
    finally:
        listener.close()
