"""Pages and a rover's session: what they send is followed or answered by a sentence, and all of them see the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.viewer.pack import Pack
from planetfall.viewer.rover.choices import offered
from planetfall.viewer.rover.live import RoverLive, changed_rows
from planetfall.viewer.rover.session import RoverSession
from support.served import LivePage, Served, served


@pytest.fixture
def session(tmp_path: Path) -> RoverLive:
    flat = planetfall.load_drive("lsr1-flat")
    return RoverLive(RoverSession(flat, planetfall.drive, offered()), lambda run: run.save(tmp_path / "saved"))


@pytest.fixture
def server(session: RoverLive) -> Iterator[Served]:
    with served(session) as out:
        yield out


def grown(whole: Pack, news: Pack) -> dict[str, np.ndarray]:
    """The arrays of a page after a message of kind frames."""
    assert news.header["kind"] == "frames"
    arrays = dict(whole.arrays)
    for name, first in news.header["firsts"].items():
        arrays[name] = np.concatenate([arrays[name][:first], news.arrays[name]])
    return arrays


def force(pack_header: dict[str, Any], arrays: dict[str, np.ndarray]) -> np.ndarray:
    (variable,) = [each for each in pack_header["variables"] if each["name"] == "contact_normal_force"]
    return arrays["var.contact_normal_force"] + np.array(variable["offsets"])


def test_a_change_reaches_all_pages(session: RoverLive, server: Served) -> None:
    """Frames up to the change are not sent again, those after it are those of the drive."""
    with server.page() as one, server.page() as other:
        whole, same = one.pack(), other.pack()
        assert whole.header["live"] is True and whole.header["session"]["undo"] == 0
        time = float(whole.arrays["time"][40])
        one.send({"do": "set", "key": "rover.mass", "value": 9.0, "time": time, "gesture": 1})
        news = one.pack()
        assert "var.mass" in news.arrays
        still = ("ground_", "joint", "time")  # on level ground a heavier rover stands as before
        assert not any(name.startswith(still) for name in news.arrays)
        header = {**whole.header, **news.header["header"]}
        drawn = force(header, grown(whole, news))
        np.testing.assert_allclose(drawn, session.session.trajectory.data.contact_normal_force.values, rtol=1e-6)
        assert header["session"]["undo"] == 1
        assert [stretch["values"]["rover.mass"] for stretch in header["rover"]["stretches"]] == [7.0, 9.0]
        np.testing.assert_array_equal(force(header, grown(same, other.pack())), drawn)
        one.send({"do": "set", "key": "rover.speed", "value": 0.06, "time": time, "gesture": 2})
        assert one.pack().header["firsts"]["time"] == 41  # the first to be reached at another time
        one.send({"do": "undo"})
        one.pack()
        one.send({"do": "undo"})
        back = grown(whole, one.pack())
        assert back.keys() == whole.arrays.keys()
        for name, values in whole.arrays.items():
            np.testing.assert_array_equal(back[name], values, err_msg=name)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"do": "set", "key": "rover.mass", "value": -1.0, "time": 10.0}, "must be greater than 0"),
    ({"do": "set", "key": "rover.mass", "value": "9", "time": 10.0}, "a finite number"),
    ({"do": "set", "key": "rover.mass", "value": 9.0}, "time is 'None'"),
    ({"do": "set", "key": ["rover.mass"], "value": 9.0, "time": 0.0}, "a text"),
    ({"do": "set", "key": "rover.mass", "value": 9.0, "time": 0.0, "gesture": {}}, "a finite number"),
    ({"do": "choose", "kind": "drive", "name": "../../etc/passwd", "time": 0.0}, "is not offered"),
    ({"do": "choose", "kind": "terrain", "name": 3, "time": 0.0}, "a text"),
    ({"do": "undo"}, "nothing was changed"),
    ({"do": "redo"}, "nothing was taken back"),
    ({"do": "fly"}, "one of set, undo, redo, choose, save"),
]


def test_what_cannot_be_followed_is_answered(session: RoverLive, server: Served) -> None:
    before = session.session.scenario
    with server.page() as page:
        page.pack()
        for command, sentence in REFUSED:
            page.send(command)
            assert sentence in page.said("problem"), command
    assert session.session.scenario == before


def choose(page: LivePage, kind: str, name: str) -> Pack:
    page.send({"do": "choose", "kind": kind, "name": name, "time": 0.0})
    return page.pack()


def test_another_choice_is_another_scene(session: RoverLive, server: Served) -> None:
    with server.page() as page:
        page.pack()
        slope = choose(page, "terrain", "lsr1-sandslope")
        assert slope.header["kind"] == "run" and slope.header["session"]["chosen"]["terrain"] == "lsr1-sandslope"
        assert np.ptp(slope.arrays["profile"][:, 1]) > 0.3
        torques = choose(page, "goal", "equal")
        assert torques.header["kind"] == "run" and torques.header["rover"]["goal"] == "equal"
        page.send({"do": "undo"})
        page.pack()
        page.send({"do": "undo"})
        assert page.pack().header["session"]["redo"] == 2


def test_saving_says_where(session: RoverLive, server: Served, tmp_path: Path) -> None:
    with server.page() as page:
        page.pack()
        page.send({"do": "set", "key": "rover.payload", "value": 2.0, "time": 30.0})
        page.pack()
        page.send({"do": "save"})
        while not (said := page.said("state")["sentence"]):
            pass
        assert said == f"Saved in {tmp_path / 'saved'}"
        page.send({"do": "save"})
        assert "holds an earlier run" in page.said("problem")
    assert planetfall.open(tmp_path / "saved").scenario == session.session.scenario


def test_changed_rows() -> None:
    old = np.array([[1.0, np.nan], [2.0, 3.0], [4.0, 5.0]])
    assert changed_rows(old, old.copy()) is None
    new = old.copy()
    new[1, 1] = 0.0
    rows = changed_rows(old, new)
    assert rows is not None and rows.first == 1 and np.array_equal(rows.values, new[1:])
    shorter, longer = changed_rows(old, old[:2]), changed_rows(old[:2], old)
    assert shorter is not None and (shorter.first, len(shorter.values)) == (2, 0)
    assert longer is not None and (longer.first, len(longer.values)) == (2, 1)
