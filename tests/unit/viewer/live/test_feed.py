"""A page that takes every addition, one that comes late and one that slept all end with the same scene."""

from __future__ import annotations

import numpy as np
import pytest

from planetfall.viewer.live.feed import Feed, FeedPosition, Rows
from planetfall.viewer.pack import Pack, read_pack
from support.served import Mirror


def scene(n: int = 2) -> Pack:
    header = {"format": "planetfall-view", "version": 1, "kind": "run", "events": [], "note": "first"}
    times = np.arange(n, dtype=np.float64)
    return Pack(header, {"time": times, "place": np.zeros((n, 1, 3), np.float32), "ground": np.ones(4, np.float32)})


def rows(first: int, *times: float) -> dict[str, Rows]:
    values = np.array(times)
    return {"time": Rows(first, values), "place": Rows(first, np.repeat(values, 3).reshape(-1, 1, 3))}


def write(feed: Feed, step: int) -> None:
    """Adds, replaces from an earlier row on, changes the header and begins anew, in turn."""
    if step == 0:
        feed.extend(rows(2, 2.0, 3.0), events=[{"time": 2.5}], first_event=0)
    elif step == 1:
        feed.extend(rows(4, 4.0), header={"note": "second"})
    elif step == 2:
        feed.extend(rows(3, 3.5, 4.5, 5.5), events=[{"time": 3.2}, {"time": 4.9}], first_event=0)
    elif step == 3:
        feed.extend({}, events=[{"time": 5.0}], first_event=1)
    else:
        feed.show(scene(3))
        feed.extend(rows(3, 9.0))


@pytest.mark.parametrize("asleep", range(1, 6))
def test_who_sleeps_misses_nothing(asleep: int) -> None:
    feed, awake, sleeper = Feed(), Mirror(), Mirror()
    feed.show(scene())
    awake.read(feed)
    sleeper.read(feed)
    for step in range(5):
        write(feed, step)
        awake.read(feed)
        if step % asleep == asleep - 1:
            sleeper.read(feed)
    late = Mirror()
    for reader in (sleeper, late):
        reader.read(feed)
        assert reader.header == awake.header
        assert reader.arrays.keys() == awake.arrays.keys()
        for name, values in awake.arrays.items():
            assert np.array_equal(reader.arrays[name], values)
    assert awake.arrays["time"].tolist() == [0.0, 1.0, 2.0, 9.0]


def test_additions_are_small() -> None:
    """What has been sent is not sent again."""
    feed, reader = Feed(), Mirror()
    feed.show(scene(10_000))
    reader.read(feed)
    feed.extend(rows(10_000, 1e4))
    (message,) = reader.read(feed)
    assert isinstance(message, bytes) and len(message) < 500
    assert reader.read(feed) == []


def test_the_file_joins_the_connection() -> None:
    """A page that fetched the file and connects with what the file says is sent only what came after it."""
    feed = Feed()
    feed.show(scene())
    feed.extend(rows(2, 2.0))
    file = read_pack(feed.whole())
    feed.extend(rows(3, 3.0))
    messages, _ = feed.news(FeedPosition.from_text(file.header["seen"]))
    packs = [read_pack(message) for message in messages if isinstance(message, bytes)]
    assert [pack.header["firsts"] for pack in packs] == [{"time": 3, "place": 3}]


@pytest.mark.parametrize("text", ["", "1", "1.2.3", "-1.0", "x.y", "٣.١", "9" * 40 + ".1", "7.0", "1.99"])
def test_whoever_says_nonsense_gets_the_whole(text: str) -> None:
    feed = Feed()
    feed.show(scene())
    messages, seen = feed.news(FeedPosition.from_text(text))
    assert [read_pack(message).header["kind"] for message in messages if isinstance(message, bytes)] == ["run"]
    assert seen.text == "1.0"


def test_the_latest_state_is_told_once() -> None:
    feed, reader = Feed(), Mirror()
    feed.show(scene())
    for time in (1.0, 2.0, 2.0):
        feed.tell({"time": time})
    reader.read(feed)
    reader.read(feed)
    assert reader.states == [{"time": 2.0}]


def test_there_is_nothing_to_extend_before_a_scene() -> None:
    with pytest.raises(ValueError, match="has to be shown"):
        Feed().extend({})
