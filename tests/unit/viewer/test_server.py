"""Who is answered: those with the token, from our own page, who read. Everybody else gets a sentence."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from urllib.parse import quote

import pytest
import uvicorn
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from planetfall.errors import InputError
from planetfall.viewer.server import HOST, Door, bound_socket, make_app

GOOD = "token=open-sesame"


@dataclass(frozen=True)
class Answer:
    status: int
    text: str
    headers: dict[str, str]


@dataclass(frozen=True)
class Client:
    """Raw requests to a real server: paths and headers go out as they stand."""

    port: int

    def get(self, path: str, headers: dict[str, str] | None = None, method: str = "GET") -> Answer:
        connection = HTTPConnection(HOST, self.port, timeout=30)
        connection.putrequest(method, path, skip_host="host" in (headers or {}))
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
        connection.close()
        return Answer(answer.status, text, {name.lower(): value for name, value in answer.getheaders()})

    def live(self, query: str, origin: str | None) -> str:
        with connect(f"ws://{HOST}:{self.port}/live?{query}", origin=origin, proxy=None) as live:  # type: ignore[arg-type]
            return str(live.recv(timeout=30))


async def echo(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.send_text("hello")
    await websocket.close()


def source(run: int | None) -> bytes:
    if run is None:
        return b"results"
    if run == 7:
        return b"run seven"
    raise InputError("run", f"there is no run {run}")


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    listener = bound_socket()
    door = Door(port=listener.getsockname()[1], token="open-sesame")
    app = make_app(door, source, (WebSocketRoute("/live", echo),))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield Client(door.port)
    server.should_exit = True
    thread.join()
    listener.close()


def test_the_page_and_its_data_are_given(client: Client) -> None:
    page = client.get(f"/?{GOOD}")
    assert page.status == 200 and "planetfall" in page.text.lower()
    assert page.headers["cache-control"] == "no-store"
    assert client.get(f"/data?{GOOD}").text == "results"
    assert client.get(f"/data?{GOOD}&run=7").text == "run seven"


@pytest.mark.parametrize("query", ["", "token=", "token=open-sesamE", "token=open-sesame1", "token=%FF"])
@pytest.mark.parametrize("path", ["/", "/data", "/nothing"])
def test_a_wrong_token_is_refused(client: Client, path: str, query: str) -> None:
    answer = client.get(f"{path}?{query}")
    assert answer.status == 403
    assert "token is wrong or missing" in answer.text
    assert "results" not in answer.text


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"])
def test_a_foreign_origin_is_refused(client: Client, origin: str) -> None:
    answer = client.get(f"/data?{GOOD}", headers={"origin": origin})
    assert answer.status == 403 and "Another page" in answer.text


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8123", "", "127.0.0.1:80", "127.0.0.1"])
def test_a_foreign_name_for_this_machine_is_refused(client: Client, host: str) -> None:
    """A page elsewhere may let its own name point to loopback."""
    assert client.get(f"/data?{GOOD}", headers={"host": host}).status == 403


@pytest.mark.parametrize("path", ["/../pyproject.toml", "/%2e%2e/%2e%2e/etc/passwd", "/scenario.toml", "//etc/passwd"])
def test_no_path_leads_to_a_file(client: Client, path: str) -> None:
    assert client.get(f"{path}?{GOOD}").status == 404


@pytest.mark.parametrize("run", ["..", "1/../2", "-1", "1.5", "٧", "9" * 30, ""])
def test_what_is_no_number_is_no_run(client: Client, run: str) -> None:
    answer = client.get(f"/data?{GOOD}&run={quote(run)}")
    assert answer.status == 409 and "no run" in answer.text


def test_a_run_that_is_not_there_gives_a_sentence(client: Client) -> None:
    answer = client.get(f"/data?{GOOD}&run=8")
    assert answer.status == 409 and answer.text == "run: there is no run 8"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_can_be_written(client: Client, method: str) -> None:
    assert client.get(f"/data?{GOOD}", method=method).status == 405


def test_a_live_connection_from_our_page_is_taken(client: Client) -> None:
    assert client.live(GOOD, f"http://{HOST}:{client.port}") == "hello"


@pytest.mark.parametrize("origin", ["http://evil.example", None, "null"])
def test_a_live_connection_from_elsewhere_is_refused(client: Client, origin: str | None) -> None:
    with pytest.raises(WebSocketException):
        client.live(GOOD, origin)


def test_a_live_connection_with_a_wrong_token_is_refused(client: Client) -> None:
    with pytest.raises(WebSocketException):
        client.live("token=x", f"http://{HOST}:{client.port}")


def test_two_viewers_at_once_are_answered(client: Client) -> None:
    answers: list[str] = []
    threads = [threading.Thread(target=lambda: answers.append(client.get(f"/data?{GOOD}").text)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == ["results", "results"]


def test_two_doors_differ_and_two_sockets_too() -> None:
    one, other = bound_socket(), bound_socket()
    try:
        assert one.getsockname()[0] == HOST
        assert one.getsockname()[1] != other.getsockname()[1]
        assert Door(1).token != Door(1).token
        assert len(Door(1).token) >= 32
    finally:
        one.close()
        other.close()


def test_a_port_in_use_is_named() -> None:
    taken = bound_socket()
    taken.listen()
    port = taken.getsockname()[1]
    try:
        with pytest.raises(InputError, match=f"--port {port}"):
            bound_socket(port)
    finally:
        taken.close()
