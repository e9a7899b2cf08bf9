"""Live connections: who gets one, what they may say, and that none of it harms the others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, WebSocketException

from planetfall.errors import InputError
from planetfall.viewer.live.feed import Feed, Rows
from planetfall.viewer.live.live_connection import number_in, read_command, unknown_command
from planetfall.viewer.pack import Pack
from support.served import Served, served


class Counter:
    """A session that counts: each command `more` adds so many frames."""

    def __init__(self) -> None:
        self.feed = Feed()
        header = {"format": "planetfall-view", "version": 1, "kind": "run", "events": [], "live": True}
        self.feed.show(Pack(header, {"time": np.zeros(1)}))
        self.count = 1

    def do(self, command: dict[str, Any]) -> None:
        if command["do"] != "more":
            raise unknown_command(command, ("more",))
        n = int(number_in(command, "value"))
        self.feed.extend({"time": Rows(self.count, np.arange(self.count, self.count + n, dtype=float))})
        self.count += n
        self.feed.tell({"phase": "running", "count": self.count})


@pytest.fixture
def session() -> Counter:
    return Counter()


@pytest.fixture
def server(session: Counter) -> Iterator[Served]:
    with served(session) as out:
        yield out


@pytest.mark.parametrize(
    ("token", "origin"), [("x", "own"), (None, None), (None, "http://evil.example"), (None, "null")]
)
def test_strangers_are_refused(server: Served, token: str | None, origin: str | None) -> None:
    with pytest.raises(WebSocketException), server.page(token=token, origin=origin) as page:
        page.take()


def test_two_pages_see_the_same(server: Served) -> None:
    with server.page() as one, server.page() as other:
        assert [page.pack().header["kind"] for page in (one, other)] == ["run", "run"]
        one.send({"do": "more", "value": 3})
        for page in (one, other):
            pack = page.pack()
            assert pack.header["firsts"] == {"time": 1}
            assert pack.arrays["time"].tolist() == [1.0, 2.0, 3.0]
        other.send({"do": "more", "value": 1})
        assert one.pack().arrays["time"].tolist() == [4.0]


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("{", "is not JSON"),
        ("[" * 9000, "is not JSON"),
        ("[]", "does not say what to do"),
        ('{"do": 3}', "does not say what to do"),
        ('{"do": "explode"}', "one of more"),
        ('{"do": "more"}', "a finite number"),
        ('{"do": "more", "value": true}', "a finite number"),
        ('{"do": "more", "value": NaN}', "a finite number"),
        ('{"do": "more", "value": 1' + 400 * "0" + "}", "a finite number"),
        (b"\x00\x01", "not text"),
        ("x" * 20_000, "too long"),
    ],
)
def test_nonsense_is_answered_and_nothing_is_closed(server: Served, message: str | bytes, sentence: str) -> None:
    with server.page() as page, server.page() as other:
        page.send(message)
        assert sentence in page.said("problem")
        page.send({"do": "more", "value": 1})
        for each in (page, other):  # the problem is told to the page that made it, and to no other
            said = each.said("state")
            assert said == {"phase": "running", "count": 2}


def test_a_page_that_goes_away_is_missed_by_nobody(server: Served, session: Counter) -> None:
    with server.page() as stays:
        stays.pack()
        with server.page() as goes:
            goes.pack()
            goes.connection.socket.close()  # as when a computer sleeps: nothing is said
        session.do({"do": "more", "value": 2})
        assert stays.pack().arrays["time"].tolist() == [1.0, 2.0]


def test_a_page_comes_back_to_where_it_was(server: Served, session: Counter) -> None:
    with server.page() as page:
        seen = page.pack().header["seen"]
    session.do({"do": "more", "value": 2})
    with server.page(seen) as page:
        assert page.pack().header["firsts"] == {"time": 1}


def test_the_server_ends_while_pages_are_connected(session: Counter) -> None:
    with ExitStack() as pages:
        with served(session) as server:
            page = pages.enter_context(server.page())
            page.pack()
        with pytest.raises(ConnectionClosed):
            page.take()


def test_commands_are_objects_that_say_what_to_do() -> None:
    assert read_command('{"do": "set", "key": "a", "value": 1}') == {"do": "set", "key": "a", "value": 1}
    assert number_in({"do": "set", "value": 2}, "value") == 2.0
    with pytest.raises(InputError, match="command set"):
        number_in({"do": "set", "value": "2"}, "value")
