"""Help is whole at 80 columns, every verb has an example, and a shell completes verbs and names."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from planetfall.cli.app import app


def verbs(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The program itself, and all of its verbs."""
    yield path
    for name, inner in getattr(command, "commands", {}).items():
        yield from verbs(inner, (*path, name))


def told(*words: str) -> str:
    done = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"}, terminal_width=80)
    assert done.exit_code == 0
    return done.output


@pytest.mark.parametrize("verb", list(verbs(get_command(app))), ids=" ".join)
def test_help_is_whole_and_has_an_example(verb: tuple[str, ...]) -> None:
    text = told(*verb)
    assert "Example: planetfall " in text
    example = text[text.index("Example: ") :].partition("\n\n")[0]
    assert all(line.endswith(" \\") for line in example.splitlines()[:-1]), "it cannot be copied as it stands"
    for line in text.splitlines():
        assert len(line) <= 80
        is_cut = line.rstrip().endswith("...") and not line.startswith("Usage:")
        assert not is_cut, line


def test_the_list_of_verbs_tells_all_of_a_first_paragraph() -> None:
    words = " ".join(told().split())
    assert "Show a scenario: every key with its value, unit and meaning, and what follows from them. run" in words


def completed(shell: str, line: str, cwd: Path) -> str:
    """What a shell is offered for a line whose last word is not finished."""
    code = "import sys; sys.argv = ['planetfall']; from planetfall.cli import main; main()"
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1), "_TYPER_COMPLETE_ARGS": line}
    words["_TYPER_COMPLETE_FISH_ACTION"] = "get-args"
    words |= {"PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path), "_PLANETFALL_COMPLETE": f"complete_{shell}"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=cwd, env=words, timeout=120)
    return done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_verbs_options_and_names(shell: str, tmp_path: Path) -> None:
    assert "montecarlo" in completed(shell, "planetfall mont", tmp_path)
    assert "--device" in completed(shell, "planetfall run msl-drop --dev", tmp_path)
    assert "msl-drop" in completed(shell, "planetfall run msl-dr", tmp_path)
    assert "lsr1-step" in completed(shell, "planetfall rover drive lsr1-s", tmp_path)
    assert "rock-field" in completed(shell, "planetfall terrain make ro", tmp_path)


def test_a_shell_completes_own_scenarios_beside_those_that_are_built_in(tmp_path: Path) -> None:
    for name in ("my-landing.toml", "my-map.tif", "sites/mine.toml", "sites/other.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert completed("bash", "planetfall run my", tmp_path).split() == ["my-landing.toml"]
    assert completed("bash", "planetfall run si", tmp_path).split() == ["sink-flat"]
    assert completed("bash", "planetfall run sites/m", tmp_path).split() == ["sites/mine.toml"]
