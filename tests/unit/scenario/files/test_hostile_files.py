"""Scenario files that are damaged or meant badly: a sentence, and soon."""

import os
import re
from pathlib import Path

import pytest

import planetfall
from planetfall import InputError
from planetfall.scenario.files.toml_file import MAX_DEPTH, read_toml


def refused(path: Path, words: str) -> None:
    with pytest.raises(InputError) as caught:
        planetfall.load(path)
    assert re.search(words, str(caught.value)), str(caught.value)


def test_a_scenario_that_is_based_on_itself(tmp_path: Path) -> None:
    file = tmp_path / "loop.toml"
    file.write_text('based_on = "./loop.toml"\n')
    refused(file, r"based_on: .*loop\.toml is based on itself")
    with pytest.raises(InputError, match="is based on itself"):
        planetfall.load(file, {"scenario.duration": 1.0})


def test_scenarios_that_are_based_on_each_other(tmp_path: Path) -> None:
    for name, other in (("one", "other"), ("other", "one")):
        (tmp_path / f"{name}.toml").write_text(f'based_on = "./{other}.toml"\n')
    refused(tmp_path / "one.toml", r"based_on: .* is based on itself, or on too long a chain")


def test_a_long_chain_and_one_that_is_not_too_long(tmp_path: Path) -> None:
    for i in range(20):
        base = "sink-flat" if i == 0 else f"./{i - 1}.toml"
        (tmp_path / f"{i}.toml").write_text(f'based_on = "{base}"\n')
    assert planetfall.load(tmp_path / "5.toml").name == "sink-flat"
    refused(tmp_path / "19.toml", "a chain of at most 16 files")


LISTS, TABLES = "a = " + "[" * 5000 + "]" * 5000, "[" + ".".join("a" * 5000) + "]\n"
INLINE = "{a = " * 200 + "1" + "}" * 200


@pytest.mark.parametrize("text", [LISTS, TABLES, f"a = {INLINE}"])
def test_brackets_without_end(tmp_path: Path, text: str) -> None:
    (tmp_path / "deep.toml").write_text(text)
    refused(tmp_path / "deep.toml", f"nested more than {MAX_DEPTH} deep")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names on this system")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    refused(tmp_path / "pipe.toml", "not an ordinary file")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no device without end on this system")
def test_a_device_is_not_read() -> None:
    with pytest.raises(InputError, match="not an ordinary file"):
        read_toml(Path("/dev/zero"))


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "large.toml").open("wb") as file:
        file.truncate(1 << 34)
    refused(tmp_path / "large.toml", "more than 16 MiB")


@pytest.mark.parametrize("letter", ["\x1b", "\x07", "\x9b", "\r"])
def test_words_that_a_terminal_would_obey_are_refused(letter: str) -> None:
    with pytest.raises(InputError, match="control characters") as caught:
        planetfall.load("sink-flat").with_values({"scenario.title": f"red {letter}[31m"})
    assert letter not in str(caught.value)
    lines = planetfall.load("sink-flat").with_values({"scenario.title": "two\nlines"})
    assert lines.scenario.title == "two\nlines"


def test_a_number_of_thousands_of_digits(tmp_path: Path) -> None:
    """Python refuses it with advice for programmers; ours is for who wrote the file."""
    (tmp_path / "long.toml").write_text(f"a = {'9' * 5000}\n")
    refused(tmp_path / "long.toml", "a number has thousands of digits; expected numbers of at most 4300 digits")
