"""`planetfall view`: one page that opens anywhere, and sentences where there is nothing to show."""

from __future__ import annotations

import re
import subprocess
import time
from http.client import HTTPConnection
from pathlib import Path

import pytest

from support.command import PLANETFALL, inside, refuse, succeed


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cwd = tmp_path_factory.mktemp("view")
    succeed("run", "msl-drop", "--out", "drop", "--no-figures", cwd=cwd)
    return cwd / "drop"


def test_the_page_of_msl_drop_is_small_and_whole(run: Path) -> None:
    said = succeed("view", "drop", "--export", "drop.html", cwd=run.parent)
    page = run.parent / "drop.html"
    assert "drop.html" in said
    assert page.stat().st_size < 2_000_000
    text = page.read_text(encoding="utf-8")
    assert text.count('id="planetfall-data"') == 1
    # nothing is fetched: no address of anywhere in what the browser would load
    assert re.findall(r"(?:src|href)\s*=\s*[\"'](?!data:)[^\"']*[\"']", text.partition("<script")[0]) == []


def test_a_page_is_replaced_only_on_purpose(run: Path) -> None:
    target = run.parent / "kept.html"
    target.write_text("mine", encoding="utf-8")
    assert "--force" in refuse("view", "drop", "--export", "kept.html", cwd=run.parent)
    assert target.read_text(encoding="utf-8") == "mine"
    assert ".html" in refuse("view", "drop", "--export", "kept.txt", cwd=run.parent)


def test_what_is_no_run_is_refused(run: Path, tmp_path: Path) -> None:
    assert "not a run folder" in refuse("view", str(tmp_path), cwd=run.parent)
    assert "there is no such folder" in refuse("view", "nowhere", cwd=run.parent)
    assert f"did you mean {run.parent.name}/drop?" in refuse("view", run.parent.name, cwd=run.parent.parent)


def test_a_truncated_file_is_named(run: Path, tmp_path: Path) -> None:
    copy = tmp_path / "cut"
    copy.mkdir()
    for file in run.iterdir():
        data = file.read_bytes()
        (copy / file.name).write_bytes(data[: len(data) // 2] if file.suffix == ".nc" else data)
    assert "trajectory.nc: was changed or damaged" in refuse("view", "cut", cwd=tmp_path)


def test_two_viewers_serve_the_same_folder(run: Path) -> None:
    """Each at a port of its own, with a token of its own; a folder that is just being written gives a sentence."""
    words = [str(PLANETFALL), "view", "drop", "--no-browser"]
    viewers = [subprocess.Popen(words, cwd=run.parent, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        found = []
        for viewer in viewers:
            assert viewer.stdout is not None
            address = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)", viewer.stdout.readline())
            assert address is not None
            found.append(address.groups())
        assert found[0][0] != found[1][0] and found[0][1] != found[1][1]
        for port, token in found:
            status, body = asked(int(port), f"/data?token={token}")
            assert status == 200 and len(body) > 100_000
        (run / "trajectory.nc").rename(run / "aside.nc")
        status, body = asked(int(found[0][0]), f"/data?token={found[0][1]}")
        assert status == 409 and b"trajectory.nc missing" in body
        assert asked(int(found[0][0]), f"/data?token={found[1][1]}")[0] == 403
    finally:
        if (run / "aside.nc").exists():
            (run / "aside.nc").rename(run / "trajectory.nc")
        for viewer in viewers:
            viewer.terminate()
            viewer.communicate(timeout=60)


def asked(port: int, path: str) -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    for _ in range(100):
        try:
            connection.request("GET", path)
            break
        except ConnectionRefusedError:
            time.sleep(0.1)
    answer = connection.getresponse()
    out = answer.status, answer.read()
    connection.close()
    return out


def test_help_has_an_example(tmp_path: Path) -> None:
    assert "Example: planetfall view" in inside("view", "--help", cwd=tmp_path).stdout
