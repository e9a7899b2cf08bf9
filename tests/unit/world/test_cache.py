"""The cache of arrays: found again, rebuilt where spoiled, safe between processes, harmless where it cannot write."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from planetfall.world.cache import LEFTOVER_AFTER, Entry, cache_folder, cached, content_key

ARRAYS = {"a": np.arange(12.0).reshape(3, 4), "b": np.array([1, 2, 3], dtype=np.int32), "none": np.zeros((0, 3))}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLANETFALL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Counting:
    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> Entry:
        self.calls += 1
        return Entry(dict(ARRAYS), {"nodes": 12, "error": 0.5})


def test_an_entry_is_made_once_and_comes_back_the_same(folder: Path) -> None:
    make = Counting()
    first, second = cached("thing", "k", make), cached("thing", "k", make)
    assert make.calls == 1
    assert (first.facts["cache"], second.facts["cache"]) == ("made", "read")
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(second.arrays[name], array)
        assert second.arrays[name].dtype == array.dtype
    assert second.facts["nodes"] == 12
    assert [path.suffix for path in folder.iterdir()] == [".bin"]


@pytest.mark.parametrize("where", ["header", "middle", "end", "truncated", "empty", "longer", "facts"])
def test_a_spoiled_entry_is_made_again(folder: Path, where: str) -> None:
    make = Counting()
    cached("thing", "k", make)
    path = next(folder.iterdir())
    data = bytearray(path.read_bytes())
    if where == "truncated":
        data = data[:-9]
    elif where == "empty":
        data = bytearray()
    elif where == "longer":
        data += b"\0" * 8
    elif where == "facts":
        data = bytearray(bytes(data).replace(b'"nodes": 12', b'"nodes": 13'))
    else:
        data[{"header": 3, "middle": len(data) // 2, "end": len(data) - 1}[where]] ^= 1
    path.write_bytes(bytes(data))
    again = cached("thing", "k", make)
    assert make.calls == 2
    np.testing.assert_array_equal(again.arrays["a"], ARRAYS["a"])
    assert cached("thing", "k", make).facts["cache"] == "read"


def test_a_folder_that_cannot_be_written_is_said_and_does_no_harm(monkeypatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("PLANETFALL_CACHE", str(tmp_path / "file" / "cache"))
    found = cached("thing", "k", Counting())
    assert found.facts["cache"].startswith("not kept: ")
    np.testing.assert_array_equal(found.arrays["a"], ARRAYS["a"])


KILLED_WHILE_WRITING = """
import os, signal
import numpy as np
from planetfall.world.cache import Entry, cached

os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
cached("thing", "k", lambda: Entry({"a": np.zeros(1000)}, {}))
"""


@pytest.mark.parametrize("key", ["k", "already there"])  # whether an entry is made next, or one is only read
def test_what_a_killed_process_was_writing_is_gone_an_hour_later(folder: Path, key: str) -> None:
    cached("thing", "already there", Counting())
    killed = subprocess.run([sys.executable, "-c", KILLED_WHILE_WRITING], check=False)
    assert killed.returncode == -signal.SIGKILL
    (part,) = folder.glob("*.part")
    cached("thing", key, Counting())
    assert part.exists()  # it might still be written
    long_ago = time.time() - LEFTOVER_AFTER - 1.0
    os.utime(part, (long_ago, long_ago))
    cached("thing", key, Counting())
    assert not list(folder.glob("*.part"))


def test_an_interrupt_while_writing_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cached("thing", "k", Counting())
    assert not list(folder.iterdir())


def test_an_interrupted_build_leaves_nothing(folder: Path) -> None:
    def interrupted() -> Entry:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cached("thing", "k", interrupted)
    assert not folder.exists() or not list(folder.iterdir())


def test_two_processes_that_make_the_same_entry_do_not_disturb_each_other(folder: Path) -> None:
    code = (
        "import numpy as np\nfrom planetfall.world.cache import Entry, cached\n"
        "for i in range(30):\n"
        "    e = cached('thing', f'k{i % 3}', lambda: Entry({'a': np.full(20000, 7.0)}, {}))\n"
        "    assert (e.arrays['a'] == 7.0).all() and len(e.arrays['a']) == 20000\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code], env=dict(os.environ)) for _ in range(2)]
    assert [process.wait(60) for process in running] == [0, 0]
    assert sorted(path.suffix for path in folder.iterdir()) == [".bin"] * 3


def test_every_bit_type_shape_and_name_is_in_the_key() -> None:
    base = {"vertices": np.arange(6.0).reshape(2, 3), "spacing": 0.1}
    moved = base["vertices"].copy()
    moved[0, 0] = np.nextafter(moved[0, 0], 1.0)
    others = [
        {**base, "vertices": moved},
        {**base, "vertices": base["vertices"].reshape(3, 2)},
        {**base, "vertices": base["vertices"].astype(np.float32)},
        {**base, "spacing": float(np.nextafter(0.1, 1.0))},
        {"points": base["vertices"], "spacing": 0.1},
    ]
    keys = {content_key(**given) for given in [base, *others]}
    assert len(keys) == 6
    assert content_key(**base) == content_key(**{key: base[key] for key in reversed(base)})


def test_the_folder_follows_the_system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PLANETFALL_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "planetfall"
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert cache_folder() == Path.home() / ".cache" / "planetfall"


def test_what_a_killed_writer_left_is_removed_and_a_busy_one_is_left_alone(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PLANETFALL_CACHE", str(tmp_path))
    old, busy = tmp_path / "sdf-1.abc.part", tmp_path / "sdf-2.def.part"
    for part in (old, busy):
        part.write_bytes(b"half")
    os.utime(old, (0.0, 0.0))
    cached("kind", "key", lambda: Entry({"a": np.zeros(2)}, {}))
    assert not old.exists() and busy.exists()
