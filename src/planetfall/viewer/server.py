"""Serving a page to this machine alone: loopback, a random token in the address, reading only."""

import hmac
import secrets
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from planetfall.errors import InputError, PlanetfallError
from planetfall.viewer.page import page_text

if TYPE_CHECKING:
    from uvicorn import Server

HOST = "127.0.0.1"
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}
Source = Callable[[int | None], bytes]
"""Gives the file that the page reads: of the results themselves, or of one run of a campaign, by its number."""


@dataclass(frozen=True)
class Door:
    """Who may come in: those with the `token` who were sent by our own address at `port`."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"http://{HOST}:{self.port}/?token={self.token}"

    def refusal(self, connection: HTTPConnection) -> str | None:
        """Why a request is not answered; None if it is."""
        own = {f"{name}:{self.port}" for name in (HOST, "localhost")}
        if connection.headers.get("host", "") not in own:
            return "This address is not that of the viewer."
        origin = connection.headers.get("origin")
        if origin is not None and origin not in {f"http://{name}" for name in own}:
            return "Another page requested these results; only the viewer's own page may do so."
        if connection.scope["type"] == "websocket" and origin is None:
            return "A live connection has to say which page opens it."
        if not hmac.compare_digest(connection.query_params.get("token", "").encode(), self.token.encode()):
            return "The token is wrong or missing; open the address that planetfall printed."
        return None


def make_app(door: Door, source: Source, further: tuple[BaseRoute, ...] = ()) -> ASGIApp:
    """The application: the page, what it reads, and `further` routes behind the same door."""

    async def page(_request: Request) -> Response:
        return HTMLResponse(page_text(), headers=HEADERS)

    async def data(request: Request) -> Response:
        try:
            number = request.query_params.get("run")
            if number is not None and not (number.isascii() and number.isdigit() and len(number) < 19):
                raise InputError("run", f"{number[:40]!r} is no run", "the number of a run of this campaign")
            body = await run_in_threadpool(source, None if number is None else int(number))
        except PlanetfallError as error:
            return PlainTextResponse(str(error), status_code=409, headers=HEADERS)
        return Response(body, media_type="application/octet-stream", headers=HEADERS)

    routes = [Route("/", page, methods=["GET"]), Route("/data", data, methods=["GET"]), *further]
    return _Guarded(Starlette(routes=routes), door)


class _Guarded:
    """Answers nobody whom the door refuses, whatever they ask for."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self.app, self.door = app, door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            refusal = self.door.refusal(HTTPConnection(scope))
            if refusal is not None:
                await self._refuse(refusal, scope, receive, send)
                return
        await self.app(scope, receive, send)

    async def _refuse(self, refusal: str, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 4403, "reason": refusal})
            return
        await PlainTextResponse(refusal, status_code=403, headers=HEADERS)(scope, receive, send)


def bound_socket(port: int = 0) -> socket.socket:
    """A socket on loopback: at a port, or at a free one.

    Raises:
        InputError: Something else uses that port.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except OSError as error:
        listener.close()
        raise InputError(f"--port {port}", f"cannot be used ({error.strerror})", advice="leave it out") from None
    return listener


def serve(
    source: Source,
    listener: socket.socket,
    door: Door,
    *,
    further: tuple[BaseRoute, ...] = (),
    started: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Serves until interrupted; `started` is awaited once requests are answered."""
    import asyncio

    server = _server(make_app(door, source, further))

    async def run() -> None:
        serving = asyncio.ensure_future(server.serve(sockets=[listener]))
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        if started is not None and not serving.done():
            await started()
        await serving

    asyncio.run(run())


@contextmanager
def serving(
    source: Source, listener: socket.socket, door: Door, *, further: tuple[BaseRoute, ...] = ()
) -> Iterator[None]:
    """Serves from a thread of its own while the caller's block runs."""
    server = _server(make_app(door, source, further))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="planetfall-viewer", daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join()


def _server(app: ASGIApp) -> "Server":
    import uvicorn

    # pages that stay connected are not waited for at the end
    options = {"log_level": "warning", "access_log": False, "lifespan": "off", "timeout_graceful_shutdown": 2}
    return uvicorn.Server(uvicorn.Config(app, **options))
