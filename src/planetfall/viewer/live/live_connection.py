"""The connection between a live session and its pages: a websocket behind the viewer's door.

The server sends packs as binary messages and states or problems as JSON; a page sends commands as JSON. What a page
sends can be wrong in any way and is answered by a sentence, to that page alone; nothing is closed because of it.
`docs/reference/viewer-file.md` lists the messages.
"""

import asyncio
import json
from typing import Any, Protocol

from starlette.concurrency import run_in_threadpool
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from planetfall.errors import InputError, PlanetfallError
from planetfall.viewer.live.feed import Feed, FeedPosition

PERIOD = 0.1
"""Seconds between two looks at the feed: at most ten messages a second go to a page."""
MOST_CHARACTERS = 10_000
"""Of a command."""


class LiveSession(Protocol):
    """Something that runs while pages look on. Several pages see the same session, and each may command it."""

    @property
    def feed(self) -> Feed:
        """What the pages see; it has a scene before the first page is let in."""
        ...

    def do(self, command: dict[str, Any]) -> None:
        """Follows a page's command, whose `do` is a string. Called from the server's threads; must not take long.

        Raises:
            PlanetfallError: It cannot be followed; the page is told the sentence.
        """
        ...


def live_route(session: LiveSession) -> WebSocketRoute:
    """The route at which pages connect, for `make_app(..., further=...)`."""

    async def connected(websocket: WebSocket) -> None:
        await websocket.accept()
        seen = FeedPosition.from_text(websocket.query_params.get("seen", ""))
        talks = {
            asyncio.ensure_future(talk) for talk in (_send(websocket, session.feed, seen), _obey(websocket, session))
        }
        try:
            done, _ = await asyncio.wait(talks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for talk in talks:
                talk.cancel()
            await asyncio.gather(*talks, return_exceptions=True)
        for talk in done:
            talk.result()

    return WebSocketRoute("/live", connected)


async def _send(websocket: WebSocket, feed: Feed, seen: FeedPosition) -> None:
    """Sends what is new until the page is gone."""
    while True:
        messages, seen = await run_in_threadpool(feed.news, seen)
        for message in messages:
            try:
                if isinstance(message, bytes):
                    await websocket.send_bytes(message)
                else:
                    await websocket.send_text(json.dumps(message, allow_nan=False))
            except WebSocketDisconnect:
                return
        await asyncio.sleep(PERIOD)


async def _obey(websocket: WebSocket, session: LiveSession) -> None:
    """Follows commands until the page is gone."""
    while True:
        received = await websocket.receive()
        if received["type"] == "websocket.disconnect":
            return
        try:
            await run_in_threadpool(session.do, read_command(received.get("text")))
        except PlanetfallError as error:
            await websocket.send_text(json.dumps({"problem": str(error)}))


def read_command(text: str | None) -> dict[str, Any]:
    """A command from what a page sent.

    Raises:
        InputError: It is none.
    """
    allowed = 'JSON such as {"do": "pause"}'
    if text is None or len(text) > MOST_CHARACTERS:
        raise InputError("command", "it is not text, or too long", f"{allowed}, at most {MOST_CHARACTERS} characters")
    try:
        command = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("command", f"{text[:40]!r} is not JSON", allowed) from None
    if not isinstance(command, dict) or not isinstance(command.get("do"), str):
        raise InputError("command", f"{text[:40]!r} does not say what to do", allowed)
    return command


def number_in(command: dict[str, Any], key: str) -> float:
    """A finite number of a command.

    Raises:
        InputError: It is not there, or none.
    """
    value = command.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e300:
        raise InputError(f"command {command['do']}", f"{key} is {str(value)[:40]!r}", "a finite number")
    return float(value)


def unknown_command(command: dict[str, Any], known: tuple[str, ...]) -> InputError:
    """What to raise for a command that a session does not have."""
    return InputError("command", f"{command['do'][:40]!r} is unknown", f"one of {', '.join(known)}")
